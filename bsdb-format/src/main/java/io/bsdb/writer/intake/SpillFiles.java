package io.bsdb.writer.intake;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.io.Closing;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Records waiting to be built, by range of the hash space ("bucket"), in input order. Each bucket
 * has a buffer in memory; full buffers are appended to the bucket's file. Little data never reaches
 * the disk. Filled by one thread; afterwards different buckets may be read by different threads.
 *
 * <p>A record is the key's length and the value's length as LEB128 numbers, then the key, then the
 * value.
 */
public final class SpillFiles implements Closeable {
  private static final int FIRST_BUFFER = 1 << 12;
  private static final byte[] NOTHING = new byte[0];

  private final Path directory;
  private final String name;
  private final int bufferLength;
  private final Bucket[] buckets;

  /**
   * @param directory where files go; created when the first is needed
   * @param name distinguishes the files of several objects in one directory
   * @param bufferLength bytes in memory per bucket
   */
  public SpillFiles(Path directory, String name, int bucketCount, int bufferLength) {
    this.directory = directory;
    this.name = name;
    this.bufferLength = bufferLength;
    this.buckets = new Bucket[bucketCount];
    for (int i = 0; i < bucketCount; i++) {
      buckets[i] = new Bucket();
    }
  }

  private static final class Bucket {
    byte[] buffer = NOTHING;
    int buffered;
    long records;
    @Nullable SpillFile file;

    long bytes() {
      return buffered + (file == null ? 0 : file.length());
    }
  }

  /** Receives records; the array is only lent. */
  public interface Consumer {
    void accept(byte[] bytes, int keyOffset, int keyLength, int valueLength) throws IOException;
  }

  public void add(
      int index,
      byte[] key,
      int keyOffset,
      int keyLength,
      byte[] value,
      int valueOffset,
      int valueLength)
      throws IOException {
    Bucket bucket = buckets[index];
    int length = 8 + keyLength + valueLength;
    if (bucket.buffer.length - bucket.buffered < length) {
      makeRoom(index, bucket, length);
    }
    byte[] buffer = bucket.buffer;
    int position = putVarint(buffer, bucket.buffered, keyLength);
    position = putVarint(buffer, position, valueLength);
    System.arraycopy(key, keyOffset, buffer, position, keyLength);
    position += keyLength;
    System.arraycopy(value, valueOffset, buffer, position, valueLength);
    bucket.buffered = position + valueLength;
    bucket.records++;
    if (bucket.buffered > bufferLength) {
      flush(index, bucket);
    }
  }

  private void makeRoom(int index, Bucket bucket, int length) throws IOException {
    if (bucket.buffered + length > bufferLength) {
      flush(index, bucket);
    }
    if (bucket.buffer.length < bucket.buffered + length) {
      int doubled = Math.min(bufferLength, Math.max(FIRST_BUFFER, 2 * bucket.buffer.length));
      bucket.buffer = Arrays.copyOf(bucket.buffer, Math.max(doubled, bucket.buffered + length));
    }
  }

  private void flush(int index, Bucket bucket) throws IOException {
    if (bucket.buffered == 0) {
      return;
    }
    file(index, bucket).write(bucket.buffer, bucket.buffered);
    bucket.buffered = 0;
    if (bucket.buffer.length > bufferLength) {
      bucket.buffer = new byte[bufferLength];
    }
  }

  private SpillFile file(int index, Bucket bucket) throws IOException {
    SpillFile file = bucket.file;
    if (file == null) {
      file = SpillFile.create(directory, name, index);
      bucket.file = file;
    }
    return file;
  }

  /** Writes a LEB128 number; returns the position after it. */
  public static int putVarint(byte[] target, int offset, int number) {
    int position = offset;
    int rest = number;
    for (; rest >= 1 << 7; rest >>>= 7) {
      target[position++] = (byte) (rest | 0x80);
    }
    target[position++] = (byte) rest;
    return position;
  }

  /** Reads a LEB128 number: the number in the upper 32 bits, the position after it in the lower. */
  public static long varint(ByteBuffer bytes, int offset) {
    int position = offset;
    int octet = bytes.get(position++);
    int number = octet & 0x7F;
    for (int shift = 7; octet < 0; shift += 7) {
      octet = bytes.get(position++);
      number |= (octet & 0x7F) << shift;
    }
    return ((long) number << 32) | position;
  }

  public int bucketCount() {
    return buckets.length;
  }

  /** Returns the bytes in some buckets. */
  public long bytes(int firstBucket, int endBucket) {
    long bytes = 0;
    for (int i = firstBucket; i < endBucket; i++) {
      bytes += buckets[i].bytes();
    }
    return bytes;
  }

  /** Records in some buckets. */
  public long records(int firstBucket, int endBucket) {
    long records = 0;
    for (int i = firstBucket; i < endBucket; i++) {
      records += buckets[i].records;
    }
    return records;
  }

  /**
   * Returns all bytes of some buckets, one bucket after the other. What has reached the disk is
   * {@linkplain SpillFile#map mapped}. Valid until {@link #release}.
   *
   * @throws ArithmeticException if they are more than a buffer can hold
   */
  public ByteBuffer load(int firstBucket, int endBucket) throws IOException {
    int length = Math.toIntExact(bytes(firstBucket, endBucket));
    boolean spilled = false;
    for (int i = firstBucket; i < endBucket; i++) {
      spilled |= buckets[i].file != null;
    }
    return spilled ? map(firstBucket, endBucket) : gather(firstBucket, endBucket, length);
  }

  private ByteBuffer map(int firstBucket, int endBucket) throws IOException {
    SpillFile file = file(firstBucket, buckets[firstBucket]);
    flush(firstBucket, buckets[firstBucket]);
    for (int i = firstBucket + 1; i < endBucket; i++) {
      Bucket bucket = buckets[i];
      if (bucket.file != null) {
        file.append(bucket.file);
      }
      file.write(bucket.buffer, bucket.buffered);
      release(bucket);
    }
    return file.map();
  }

  private ByteBuffer gather(int firstBucket, int endBucket, int length) {
    Bucket first = buckets[firstBucket];
    if (first.buffered == length) {
      return ByteBuffer.wrap(first.buffer, 0, length);
    }
    ByteBuffer gathered = ByteBuffer.allocate(length);
    for (int i = firstBucket; i < endBucket; i++) {
      gathered.put(buckets[i].buffer, 0, buckets[i].buffered);
    }
    return gathered.flip();
  }

  /** Gives the memory and the disk space of buckets back. */
  public void release(int firstBucket, int endBucket) throws IOException {
    for (int i = firstBucket; i < endBucket; i++) {
      release(buckets[i]);
    }
  }

  /** Passes a bucket's records on one by one, in order, and gives its disk space back. */
  public void drain(int index, Consumer consumer) throws IOException {
    Bucket bucket = buckets[index];
    byte[] chunk = new byte[4 << 20];
    int filled = 0;
    SpillFile file = bucket.file;
    for (long position = 0; file != null && position < file.length(); ) {
      int read = file.read(ByteBuffer.wrap(chunk, filled, chunk.length - filled), position);
      position += read;
      filled += read;
      int used = drain(chunk, filled, consumer);
      if (used > 0) {
        System.arraycopy(chunk, used, chunk, 0, filled - used);
        filled -= used;
      }
      if (filled == chunk.length) {
        chunk =
            Arrays.copyOf(
                chunk, Math.min(2 * chunk.length, SnapshotFormat.MAX_VALUE_LENGTH + (1 << 20)));
      }
    }
    drain(bucket.buffer, bucket.buffered, consumer);
    release(bucket);
  }

  private static int drain(byte[] chunk, int filled, Consumer consumer) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(chunk);
    int used = 0;
    // Two lengths take at most 3 and 5 bytes: with fewer left they are read with the next chunk,
    // unless all is there.
    while (used < filled && complete(chunk, used, filled)) {
      long key = varint(bytes, used);
      long value = varint(bytes, (int) key);
      int keyLength = (int) (key >>> 32);
      int valueLength = (int) (value >>> 32);
      int keyOffset = (int) value;
      if (filled - keyOffset < keyLength + valueLength) {
        break;
      }
      consumer.accept(chunk, keyOffset, keyLength, valueLength);
      used = keyOffset + keyLength + valueLength;
    }
    return used;
  }

  private static boolean complete(byte[] chunk, int position, int filled) {
    int numbers = 0;
    for (int i = position; i < filled && numbers < 2; i++) {
      numbers += chunk[i] >= 0 ? 1 : 0;
    }
    return numbers == 2;
  }

  private static void release(Bucket bucket) throws IOException {
    bucket.buffer = NOTHING;
    bucket.buffered = 0;
    SpillFile file = bucket.file;
    bucket.file = null;
    if (file != null) {
      file.close();
    }
  }

  /** Deletes all files. */
  @Override
  public void close() throws IOException {
    Closing.all(Stream.of(buckets).<Closeable>map(bucket -> () -> release(bucket)).toList());
  }
}
