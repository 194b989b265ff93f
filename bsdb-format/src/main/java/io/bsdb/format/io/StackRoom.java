package io.bsdb.format.io;

/**
 * Makes sure that the calling thread has some stack left before it begins what others wait for. A
 * thread in a recursion that never ends would else fail anywhere in it, and then often in what is
 * to clean up, too: a lock stays locked, a future is never completed.
 */
public final class StackRoom {
  /** Together they use 13 KB if compiled by the optimizing compiler, and 37 KB otherwise. */
  private static final int CALLS = 100;

  /** As many as one short write needs; a fourth of {@link #CALLS} would be too few. */
  private static final int CALLS_OF_WRITE = 50;

  private StackRoom() {}

  /**
   * Uses stack and gives it back; takes a microsecond.
   *
   * @throws StackOverflowError if there is too little, before anything has begun
   */
  public static void require() {
    long unused = use(CALLS, 1, 2, 3, 4, 5, 6, 7, 8);
  }

  /**
   * Uses half as much: for a write, which itself takes a few microseconds.
   *
   * @throws StackOverflowError if there is too little, before anything has begun
   */
  public static void requireForWrite() {
    long unused = use(CALLS_OF_WRITE, 1, 2, 3, 4, 5, 6, 7, 8);
  }

  /** Its numbers only take room: they are needed after the call, so they lie in the frame. */
  private static long use(
      int calls, long a, long b, long c, long d, long e, long f, long g, long h) {
    return calls == 0 ? 0 : use(calls - 1, h, a, b, c, d, e, f, g) + a + b + c + d + e + f + g + h;
  }
}
