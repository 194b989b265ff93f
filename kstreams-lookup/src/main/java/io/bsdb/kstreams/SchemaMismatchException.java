package io.bsdb.kstreams;

import java.io.IOException;

/** A version's schema is not what the lookup was built for; it is not put in service. */
public final class SchemaMismatchException extends IOException {
  private static final long serialVersionUID = 1L;

  SchemaMismatchException(String message) {
    super(message);
  }
}
