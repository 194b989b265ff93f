package io.bsdb.http.exchange;

import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** The body of an answer while it is written, up to a limit. */
public final class Answer extends OutputStream {
  private final int limit;
  private final Budget.Share share;
  private byte[] bytes = new byte[512];
  private int count;

  /**
   * @param share of the memory of all answers, from which the bytes are taken
   */
  Answer(int limit, Budget.Share share) {
    this.limit = limit;
    this.share = share;
  }

  @Override
  public void write(int b) {
    reserve(1);
    bytes[count] = (byte) b;
    count++;
  }

  @Override
  public void write(byte[] source, int offset, int length) {
    reserve(length);
    System.arraycopy(source, offset, bytes, count, length);
    count += length;
  }

  private void reserve(int length) {
    require(length);
    if (count + length > bytes.length) {
      int capacity = Math.max(count + length, (int) Math.min(2L * count, limit));
      share.add(capacity - bytes.length);
      bytes = Arrays.copyOf(bytes, capacity);
    }
  }

  /**
   * Refuses what does not fit.
   *
   * @throws Problem if the answer would be too large
   */
  public void require(long length) {
    if ((long) count + length > limit) {
      throw new Problem(
          Problem.Kind.ANSWER_TOO_LARGE,
          "an answer has at most %d bytes; ask for fewer keys or columns",
          limit);
    }
  }

  /** Writes a little-endian number. */
  public void writeInt(int value) {
    write(value);
    write(value >>> 8);
    write(value >>> 16);
    write(value >>> 24);
  }

  public ByteBuffer toByteBuffer() {
    return ByteBuffer.wrap(bytes, 0, count);
  }
}
