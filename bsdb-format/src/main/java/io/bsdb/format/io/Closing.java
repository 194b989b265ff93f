package io.bsdb.format.io;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** Closes several resources, whichever of them fails. */
public final class Closing {
  private Closing() {}

  /** Closes a resource, or cleans up, after a failure, in which another one is suppressed. */
  public static void after(Throwable failure, Closeable resource) {
    try {
      resource.close();
    } catch (IOException | RuntimeException | Error e) {
      suppress(e, failure);
    }
  }

  /**
   * Closes all, in their order.
   *
   * @throws IOException the first failure, or what is unchecked itself; later ones are suppressed
   *     in it
   */
  public static void all(List<? extends Closeable> resources) throws IOException {
    Throwable failure = null;
    for (int i = 0; i < resources.size(); i++) { // an iterator takes memory
      try {
        resources.get(i).close();
      } catch (IOException | RuntimeException | Error e) {
        if (failure == null) {
          failure = e;
        } else {
          suppress(e, failure);
        }
      }
    }
    if (failure != null) {
      throw Thrown.asIs(failure);
    }
  }

  private static void suppress(Throwable e, Throwable failure) {
    if (e == failure) {
      return;
    }
    try {
      failure.addSuppressed(e);
    } catch (OutOfMemoryError noRoom) {
      // The first failure is thrown, and what is left to close is closed.
    }
  }
}
