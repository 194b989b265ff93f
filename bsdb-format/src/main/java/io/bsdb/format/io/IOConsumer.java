package io.bsdb.format.io;

import java.io.IOException;

/** A {@link java.util.function.Consumer} that may throw. */
@FunctionalInterface
public interface IOConsumer<T> {
  void accept(T value) throws IOException;
}
