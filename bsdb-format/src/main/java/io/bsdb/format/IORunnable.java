package io.bsdb.format;

import java.io.IOException;

/** A {@link Runnable} that may throw. */
@Internal
@FunctionalInterface
public interface IORunnable {
  void run() throws IOException;
}
