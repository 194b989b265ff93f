package io.bsdb.examples.quickstart;

/**
 * The stream: the check-ins that the SQL of the Flink quickstart makes. Each is at one of the
 * places, except every 20th, which is at an unknown place. The same ones come out every time.
 */
final class CheckIns {
  static final int UNKNOWN_EVERY = 20;

  /** A step without a divisor in common with the number of places. */
  private static final long STRIDE = 7919;

  private static final long USERS = 50_000;

  private final long[] placeIds;

  /**
   * @param placeIds from the lowest
   */
  CheckIns(long[] placeIds) {
    this.placeIds = placeIds.clone();
  }

  /**
   * Returns the check-in of a number.
   *
   * @param number 0 or more
   */
  CheckIn at(long number) {
    long place =
        number % UNKNOWN_EVERY == UNKNOWN_EVERY - 1
            ? -1 - number
            : placeIds[(int) (number * STRIDE % placeIds.length)];
    return new CheckIn(number * 31 % USERS, place);
  }
}
