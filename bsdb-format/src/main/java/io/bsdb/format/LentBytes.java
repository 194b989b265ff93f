package io.bsdb.format;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Memory that records are read from where they lie: a mapped file, a buffer that a block was read
 * or decoded into, a segment. A {@link ValueReader} gets it for the time of one call; used later,
 * it may hold other bytes, or end the process.
 *
 * <p>Read-only, little-endian and addressed absolutely. An offset outside of it throws {@link
 * IndexOutOfBoundsException}; one outside of the value that was lent yields other bytes.
 */
public abstract class LentBytes {
  /**
   * Creates the part of something that lends memory.
   *
   * @hidden
   */
  @Internal
  protected LentBytes() {}

  /**
   * Returns bytes in an array.
   *
   * @hidden
   */
  @Internal
  public static LentBytes of(byte[] array) {
    ByteBuffer buffer = ByteBuffer.wrap(array).order(ByteOrder.LITTLE_ENDIAN);
    return new LentBytes() {
      @Override
      public ByteBuffer body() {
        return buffer;
      }
    };
  }

  /**
   * Returns the buffer, little-endian, whose position is neither read nor moved.
   *
   * @hidden
   */
  @Internal
  public abstract ByteBuffer body();

  /** Returns one byte. */
  public final byte byteAt(int offset) {
    return body().get(offset);
  }

  /** Returns a number of two bytes. */
  public final short shortAt(int offset) {
    return body().getShort(offset);
  }

  /** Returns a number of four bytes. */
  public final int intAt(int offset) {
    return body().getInt(offset);
  }

  /** Returns a number of eight bytes. */
  public final long longAt(int offset) {
    return body().getLong(offset);
  }

  /** Returns whether some bytes are these. */
  public final boolean holds(int offset, int length, byte[] other) {
    return body().slice(offset, length).equals(ByteBuffer.wrap(other));
  }

  /** Returns a copy of some bytes. */
  public final byte[] copy(int offset, int length) {
    byte[] copy = new byte[length];
    body().get(offset, copy);
    return copy;
  }

  /** Copies some bytes into an array, from an index on. */
  public final void copy(int offset, int length, byte[] target, int start) {
    body().get(offset, target, start, length);
  }

  /**
   * Copies some bytes into a buffer, from its position on, which moves to their end.
   *
   * @throws BufferOverflowException if they do not fit; the buffer is unchanged then
   */
  public final void copy(int offset, int length, ByteBuffer target) {
    if (length > target.remaining()) {
      throw new BufferOverflowException();
    }
    target.put(target.position(), body(), offset, length);
    target.position(target.position() + length);
  }

  /**
   * Lends a value.
   *
   * @param found offset in the upper 32 bits, length in the lower
   * @param key passed to the reader
   * @throws ReaderFailure if the reader throws, other than for memory that cannot be read
   * @hidden
   */
  @Internal
  public final <T> @Nullable T lend(long found, int key, ValueReader<T> reader) {
    int offset = (int) (found >>> 32);
    int length = (int) found;
    Objects.checkFromIndexSize(offset, length, body().limit());
    try {
      return reader.read(key, this, offset, length);
    } catch (InternalError e) { // a mapped file cannot be read
      throw e;
    } catch (Throwable e) { // other languages throw checked exceptions that are not declared
      throw new ReaderFailure(e);
    }
  }

  /**
   * Returns whether a {@link ValueReader} runs in the calling thread. Slow.
   *
   * @hidden
   */
  @Internal
  public static boolean isLending() {
    return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
        .walk(
            frames ->
                frames.anyMatch(
                    frame ->
                        frame.getDeclaringClass() == LentBytes.class
                            && frame.getMethodName().equals("lend")));
  }

  /**
   * Refuses to wait in a {@link ValueReader} for what may wait for its lookup. Slow.
   *
   * @param what is named in the message
   * @hidden
   */
  @Internal
  public static void requireLendsNothing(String what) {
    if (isLending()) {
      throw new IllegalStateException(
          "a ValueReader must not wait for what waits for its lookup: %s; do this after the lookup"
              .formatted(what));
    }
  }

  /**
   * Refuses to close a cursor in a {@link ValueReader} that reads what it lends.
   *
   * @param lends whether the cursor lends a value
   * @hidden
   */
  @Internal
  public static void requireClosable(boolean lends) {
    if (lends) {
      throw new IllegalStateException(
          "a ValueReader must not close the cursor that lends it a value; do this after the call");
    }
  }

  /**
   * Carries what a {@link ValueReader} threw, which has nothing to do with the table, to the end of
   * the lookup.
   *
   * @hidden
   */
  @Internal
  public static final class ReaderFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private ReaderFailure(Throwable thrown) {
      super(null, thrown, false, false);
    }

    /** Returns what the reader threw. */
    public Throwable thrown() {
      return Objects.requireNonNull(getCause(), "cause");
    }
  }
}
