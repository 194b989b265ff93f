package io.bsdb.format.io;

import io.bsdb.format.Internal;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A {@link java.util.function.Supplier} that may throw. */
@Internal
@FunctionalInterface
public interface IOSupplier<T extends @Nullable Object> {
  T get() throws IOException;
}
