package io.bsdb.format.io;

import java.io.IOException;

/** Rethrows a failure captured in a future or another thread. */
public final class Thrown {
  private Thrown() {}

  /**
   * Returns the failure itself, to be thrown; if it is unchecked, this throws it.
   *
   * @return it, or an exception that it caused if it is checked but none of I/O
   */
  public static IOException asIs(Throwable failure) {
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
