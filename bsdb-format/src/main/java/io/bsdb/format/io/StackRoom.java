package io.bsdb.format.io;

/**
 * Makes sure that the calling thread has some stack left before it begins what others wait for. A
 * thread in a recursion that never ends would else fail anywhere in it, and then often in what is
 * to clean up, too: a lock stays locked, a future is never completed.
 */
public final class StackRoom {
  /** Together they use 18 KB, whichever compiler was at work. */
  private static final int CALLS = 32;

  /** As many as one short write needs; of more, the processor does not foresee all returns. */
  private static final int CALLS_OF_WRITE = 16;

  /** As many as a publication needs that is the first one, and initializes classes. */
  private static final int CALLS_OF_PUBLICATION = 128;

  private StackRoom() {}

  /**
   * Uses stack and gives it back; takes 0.4 microseconds.
   *
   * @throws StackOverflowError if there is too little, before anything has begun
   */
  public static void require() {
    use(CALLS);
  }

  /**
   * Uses half as much, for a write, in 0.1 microseconds.
   *
   * @throws StackOverflowError if there is too little, before anything has begun
   */
  public static void requireForWrite() {
    use(CALLS_OF_WRITE);
  }

  /**
   * Uses four times as much as {@link #require}, for what opens, publishes or folds a table. It may
   * also initialize classes, and one in which that fails can never be used again.
   *
   * @throws StackOverflowError if there is too little, before anything has begun
   */
  public static void requireForPublication() {
    use(CALLS_OF_PUBLICATION);
  }

  private static void use(int calls) {
    use(
        calls, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0);
  }

  /** Its numbers only take room: they are passed on the stack. */
  private static void use(
      int calls,
      long n0,
      long n1,
      long n2,
      long n3,
      long n4,
      long n5,
      long n6,
      long n7,
      long n8,
      long n9,
      long n10,
      long n11,
      long n12,
      long n13,
      long n14,
      long n15,
      long n16,
      long n17,
      long n18,
      long n19,
      long n20,
      long n21,
      long n22,
      long n23,
      long n24,
      long n25,
      long n26,
      long n27,
      long n28,
      long n29,
      long n30,
      long n31) {
    if (calls > 0) {
      use(
          calls - 1, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, n13, n14, n15, n16, n17,
          n18, n19, n20, n21, n22, n23, n24, n25, n26, n27, n28, n29, n30, n31);
    }
  }
}
