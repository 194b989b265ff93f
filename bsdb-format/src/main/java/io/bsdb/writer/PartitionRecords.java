package io.bsdb.writer;

import io.bsdb.format.PartitionProperties;
import io.bsdb.format.hash.DuplicateHashException;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.table.PartitionSource;
import io.bsdb.writer.intake.SpillFiles;
import io.bsdb.writer.options.Duplicates;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * The records of one partition, hashed: in one buffer, or in many where they lie. 20 or 32 bytes of
 * memory per record beside the records themselves. Reused from partition to partition; used by one
 * thread.
 */
final class PartitionRecords implements PartitionSource.Target {
  private static final int COPIES_LENGTH = 1 << 20;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private ByteBuffer data = NOTHING;

  /** Buffers that records were lent in; empty if all are in one. */
  private final List<ByteBuffer> buffers = new ArrayList<>();

  // Of each lent record: number of its buffer and offset of its key there, and lengths.
  private long[] places = new long[0];
  private int[] keyLengths = new int[0];
  private int[] valueLengths = new int[0];

  /** The buffer in which the last copied record is. */
  private ByteBuffer copies = NOTHING;

  private int[] starts = new int[0];
  private long[] high = new long[0];
  private long[] low = new long[0];
  private int count;
  private int keyLength;
  private int valueLength;
  private long keyBytes;
  private long valueBytes;
  private int longestRecord;

  /**
   * Loads a partition: the given buckets one after the other. To be used until they are released.
   */
  void load(SpillFiles spill, int firstBucket, int endBucket) throws IOException {
    forget();
    makeRoom((int) spill.records(firstBucket, endBucket));
    data = spill.load(firstBucket, endBucket);
    hash();
  }

  /** Loads records from one buffer, as {@link SpillFiles} has them. */
  void load(ByteBuffer bytes, int records) {
    forget();
    makeRoom(records);
    data = bytes;
    hash();
  }

  /** Loads records where they lie. */
  void load(PartitionSource source) throws IOException {
    forget();
    int most = Math.toIntExact(source.maxRecords());
    makeRoom(most);
    if (places.length < most) {
      places = new long[most];
      keyLengths = new int[most];
      valueLengths = new int[most];
    }
    source.read(this);
  }

  private void forget() {
    count = 0;
    data = NOTHING;
    copies = NOTHING;
    buffers.clear();
  }

  @Override
  @SuppressWarnings(
      "ReferenceEquality") // buffers that are equal may change, and take long to compare
  public void lend(
      ByteBuffer bytes, int keyOffset, int keyLength, int valueLength, long high, long low) {
    int buffer = buffers.size() - 1;
    if (buffer < 0 || buffers.get(buffer) != bytes) {
      buffer++;
      buffers.add(bytes);
    }
    places[count] = (long) buffer << 32 | keyOffset;
    keyLengths[count] = keyLength;
    valueLengths[count] = valueLength;
    this.high[count] = high;
    this.low[count++] = low;
  }

  @Override
  public void copy(byte[] key, byte[] value, long high, long low) {
    int length = key.length + value.length;
    if (copies.remaining() < length) {
      copies = ByteBuffer.allocate(Math.max(length, COPIES_LENGTH));
    }
    int offset = copies.position();
    copies.put(key).put(value);
    lend(copies, offset, key.length, value.length, high, low);
  }

  private void makeRoom(int records) {
    // What is too small goes first, so that the old and the new are not in memory together.
    if (starts.length < records) {
      starts = new int[0];
      high = new long[0];
      low = new long[0];
      starts = new int[records];
      high = new long[records];
      low = new long[records];
    }
  }

  private void hash() {
    count = 0;
    byte[] key = new byte[64];
    for (int position = 0; position < data.limit(); ) {
      long keyNumber = SpillFiles.varint(data, position);
      long valueNumber = SpillFiles.varint(data, (int) keyNumber);
      int length = (int) (keyNumber >>> 32);
      int keyOffset = (int) valueNumber;
      if (key.length < length) {
        key = new byte[length];
      }
      data.get(keyOffset, key, 0, length);
      var hash = KeyHash.hash(key, 0, length);
      starts[count] = position;
      high[count] = hash.getMostSignificantBits();
      low[count++] = hash.getLeastSignificantBits();
      position = keyOffset + length + (int) (valueNumber >>> 32);
    }
  }

  /**
   * Applies the policy on duplicates.
   *
   * @throws DuplicateKeyException if there is one and the policy is FAIL
   * @throws IOException if two different keys have one 128-bit hash
   */
  void resolve(Duplicates duplicates) throws IOException {
    int mask = Integer.highestOneBit(Math.max(1, count)) * 4 - 1;
    int[] slots = new int[mask + 1];
    int kept = 0;
    for (int i = 0; i < count; i++) {
      int slot = (int) low[i] & mask;
      while (slots[slot] != 0 && !sameHash(slots[slot] - 1, i)) {
        slot = (slot + 1) & mask;
      }
      int earlier = slots[slot] - 1;
      if (earlier < 0) {
        slots[slot] = kept + 1;
        keep(i, kept++);
        continue;
      }
      requireSameKey(earlier, i);
      if (duplicates == Duplicates.FAIL) {
        throw new DuplicateKeyException(key(i));
      }
      if (duplicates == Duplicates.LAST) {
        keep(i, earlier);
      }
    }
    count = kept;
  }

  private boolean sameHash(int a, int b) {
    return low[a] == low[b] && high[a] == high[b];
  }

  private void keep(int from, int to) {
    starts[to] = starts[from];
    high[to] = high[from];
    low[to] = low[from];
  }

  /** Returns the exception for two records that the perfect hash could not separate. */
  IOException duplicate(DuplicateHashException e) throws IOException {
    requireSameKey(e.firstIndex(), e.secondIndex());
    return new DuplicateKeyException(key(e.secondIndex()));
  }

  private void requireSameKey(int a, int b) throws IOException {
    byte[] first = key(a);
    byte[] second = key(b);
    if (!Arrays.equals(first, second)) {
      throw new IOException(
          "two keys have the same 128-bit hash: hex %s and hex %s; a table can hold only one of them, remove the other"
              .formatted(HexFormat.of().formatHex(first), HexFormat.of().formatHex(second)));
    }
  }

  /** Returns a copy of a record's key. */
  byte[] key(int index) {
    int start = start(index);
    byte[] key = new byte[keyLength(start)];
    data(start).get(keyOffset(start), key);
    return key;
  }

  /** Measures lengths; call after {@link #resolve}. */
  void measure() {
    keyLength = count == 0 ? 0 : keyLength(start(0));
    valueLength = count == 0 ? 0 : valueLength(start(0));
    keyBytes = 0;
    valueBytes = 0;
    longestRecord = 0;
    for (int i = 0; i < count; i++) {
      int key = keyLength(start(i));
      int value = valueLength(start(i));
      keyBytes += key;
      valueBytes += value;
      longestRecord = Math.max(longestRecord, key + value);
      keyLength = key == keyLength ? key : PartitionProperties.VARYING;
      valueLength = value == valueLength ? value : PartitionProperties.VARYING;
    }
  }

  int count() {
    return count;
  }

  long[] high() {
    return high;
  }

  long[] low() {
    return low;
  }

  /** Returns where record {@code index} starts, for the methods that take a start. */
  int start(int index) {
    return isLent() ? index : starts[index];
  }

  private boolean isLent() {
    return !buffers.isEmpty();
  }

  /** Returns the buffer that holds a record. */
  ByteBuffer data(int start) {
    return isLent() ? buffers.get((int) (places[start] >>> 32)) : data;
  }

  int keyOffset(int start) {
    if (isLent()) {
      return (int) places[start];
    }
    return (int) SpillFiles.varint(data, (int) SpillFiles.varint(data, start));
  }

  int keyLength(int start) {
    if (isLent()) {
      return keyLengths[start];
    }
    return (int) (SpillFiles.varint(data, start) >>> 32);
  }

  int valueLength(int start) {
    if (isLent()) {
      return valueLengths[start];
    }
    return (int) (SpillFiles.varint(data, (int) SpillFiles.varint(data, start)) >>> 32);
  }

  /** Returns the length of every key, or VARYING. */
  int keyLength() {
    return keyLength;
  }

  /** Returns the length of every value, or VARYING. */
  int valueLength() {
    return valueLength;
  }

  long keyBytes() {
    return keyBytes;
  }

  long valueBytes() {
    return valueBytes;
  }

  /** Bytes of the longest key and value together. */
  int longestRecord() {
    return longestRecord;
  }
}
