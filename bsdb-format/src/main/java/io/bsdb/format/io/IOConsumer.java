package io.bsdb.format.io;

import io.bsdb.format.Internal;
import java.io.IOException;

/** A {@link java.util.function.Consumer} that may throw. */
@Internal
@FunctionalInterface
public interface IOConsumer<T> {
  void accept(T value) throws IOException;
}
