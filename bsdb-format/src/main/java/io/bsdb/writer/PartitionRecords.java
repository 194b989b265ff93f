package io.bsdb.writer;

import io.bsdb.format.PartitionProperties;
import io.bsdb.format.hash.DuplicateHashException;
import io.bsdb.format.hash.KeyHash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The records of one partition, hashed: 20 bytes of memory per record beside the records
 * themselves. Reused from partition to partition; used by one thread.
 */
final class PartitionRecords {
  private ByteBuffer data = ByteBuffer.allocate(0);
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
    makeRoom((int) spill.records(firstBucket, endBucket));
    data = spill.load(firstBucket, endBucket);
    hash();
  }

  /** Loads records from one buffer, as {@link SpillFiles} has them. */
  void load(ByteBuffer bytes, int records) {
    makeRoom(records);
    data = bytes;
    hash();
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

  /** Returns the exception for two records that the perfect hash could not tell apart. */
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
    byte[] key = new byte[keyLength(starts[index])];
    data.get(keyOffset(starts[index]), key);
    return key;
  }

  /** Measures lengths; call after {@link #resolve}. */
  void measure() {
    keyLength = count == 0 ? 0 : keyLength(starts[0]);
    valueLength = count == 0 ? 0 : valueLength(starts[0]);
    keyBytes = 0;
    valueBytes = 0;
    longestRecord = 0;
    for (int i = 0; i < count; i++) {
      int key = keyLength(starts[i]);
      int value = valueLength(starts[i]);
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
    return starts[index];
  }

  ByteBuffer data() {
    return data;
  }

  int keyOffset(int start) {
    return (int) SpillFiles.varint(data, (int) SpillFiles.varint(data, start));
  }

  int keyLength(int start) {
    return (int) (SpillFiles.varint(data, start) >>> 32);
  }

  int valueLength(int start) {
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
