package io.bsdb.format.io;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A {@link java.util.function.Supplier} that may throw. */
@FunctionalInterface
public interface IOSupplier<T extends @Nullable Object> {
  T get() throws IOException;
}
