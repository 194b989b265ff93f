package io.bsdb.format.io;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A {@link java.util.function.Function} that may throw. */
@FunctionalInterface
public interface IOFunction<T, R extends @Nullable Object> {
  R apply(T value) throws IOException;
}
