package io.bsdb.format.io;

/**
 * Makes sure that the calling thread has some stack left before it begins what others wait for. A
 * thread in a recursion that never ends would else fail anywhere in it, and then often in what is
 * to clean up, too: a lock stays locked, a future is never completed.
 */
public final class StackRoom {
  /** Together they use 20 KB or more. */
  private static final int CALLS = 40;

  /** As many as one short write needs; of more, the processor does not foresee all returns. */
  private static final int CALLS_OF_WRITE = 20;

  /** As many as a publication needs that is the first one, and initializes classes. */
  private static final int CALLS_OF_PUBLICATION = 128;

  /** Read each time, as a compiler does not know that it is always the same. */
  private static volatile long zero;

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
   * Uses three times as much as {@link #require}, for what opens, publishes or folds a table. It
   * may also initialize classes, and one in which that fails can never be used again.
   *
   * @throws StackOverflowError if there is too little, before anything has begun
   */
  public static void requireForPublication() {
    use(CALLS_OF_PUBLICATION);
  }

  /**
   * Calls itself. The last call has 64 numbers at the same time, so every call has room for them,
   * half a kilobyte at least, whichever compiler was at work. It is too long to become part of
   * itself, where two calls would share the room of one.
   */
  private static long use(int calls) {
    if (calls > 0) {
      return use(calls - 1);
    }
    long n0 = zero;
    long n1 = zero;
    long n2 = zero;
    long n3 = zero;
    long n4 = zero;
    long n5 = zero;
    long n6 = zero;
    long n7 = zero;
    long n8 = zero;
    long n9 = zero;
    long n10 = zero;
    long n11 = zero;
    long n12 = zero;
    long n13 = zero;
    long n14 = zero;
    long n15 = zero;
    long n16 = zero;
    long n17 = zero;
    long n18 = zero;
    long n19 = zero;
    long n20 = zero;
    long n21 = zero;
    long n22 = zero;
    long n23 = zero;
    long n24 = zero;
    long n25 = zero;
    long n26 = zero;
    long n27 = zero;
    long n28 = zero;
    long n29 = zero;
    long n30 = zero;
    long n31 = zero;
    long n32 = zero;
    long n33 = zero;
    long n34 = zero;
    long n35 = zero;
    long n36 = zero;
    long n37 = zero;
    long n38 = zero;
    long n39 = zero;
    long n40 = zero;
    long n41 = zero;
    long n42 = zero;
    long n43 = zero;
    long n44 = zero;
    long n45 = zero;
    long n46 = zero;
    long n47 = zero;
    long n48 = zero;
    long n49 = zero;
    long n50 = zero;
    long n51 = zero;
    long n52 = zero;
    long n53 = zero;
    long n54 = zero;
    long n55 = zero;
    long n56 = zero;
    long n57 = zero;
    long n58 = zero;
    long n59 = zero;
    long n60 = zero;
    long n61 = zero;
    long n62 = zero;
    long n63 = zero;
    return n63 - n62 - n61 - n60 - n59 - n58 - n57 - n56 - n55 - n54 - n53 - n52 - n51 - n50 - n49
        - n48 - n47 - n46 - n45 - n44 - n43 - n42 - n41 - n40 - n39 - n38 - n37 - n36 - n35 - n34
        - n33 - n32 - n31 - n30 - n29 - n28 - n27 - n26 - n25 - n24 - n23 - n22 - n21 - n20 - n19
        - n18 - n17 - n16 - n15 - n14 - n13 - n12 - n11 - n10 - n9 - n8 - n7 - n6 - n5 - n4 - n3
        - n2 - n1 - n0;
  }
}
