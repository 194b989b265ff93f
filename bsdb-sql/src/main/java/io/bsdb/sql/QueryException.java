package io.bsdb.sql;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A query that cannot be carried out, as opposed to a sink that cannot take its records. */
public final class QueryException extends IOException {
  private static final long serialVersionUID = 1L;

  QueryException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
