package io.bsdb.reader;

import java.io.IOException;

/** What callers of a reader see of a failure that came another way than by being thrown to them. */
final class Thrown {
  private Thrown() {}

  /**
   * The failure itself, to be thrown; if it is unchecked, this throws it.
   *
   * @return it, or an exception that it caused if it is checked but none of I/O
   */
  static IOException asIs(Throwable failure) {
    if (failure instanceof IOException e) {
      return e;
    }
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
    return new IOException(failure);
  }
}
