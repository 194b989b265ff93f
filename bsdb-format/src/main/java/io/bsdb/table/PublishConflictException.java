package io.bsdb.table;

import java.io.IOException;

/** Another version was put in service since this build began; the one in service stays as it is. */
public final class PublishConflictException extends IOException {
  private static final long serialVersionUID = 1L;

  public PublishConflictException(String message) {
    super(message);
  }
}
