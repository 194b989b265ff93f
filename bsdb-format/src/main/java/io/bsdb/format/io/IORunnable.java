package io.bsdb.format.io;

import java.io.IOException;

/** A {@link Runnable} that may throw. */
@FunctionalInterface
public interface IORunnable {
  void run() throws IOException;
}
