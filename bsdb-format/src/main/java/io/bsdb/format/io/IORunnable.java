package io.bsdb.format.io;

import io.bsdb.format.Internal;
import java.io.IOException;

/** A {@link Runnable} that may throw. */
@Internal
@FunctionalInterface
public interface IORunnable {
  void run() throws IOException;
}
