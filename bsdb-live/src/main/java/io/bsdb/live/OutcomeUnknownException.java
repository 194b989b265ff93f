package io.bsdb.live;

import io.bsdb.format.Internal;
import java.io.IOException;

/**
 * A write or an fsync of the log failed while a change was written: whether it is on disk is known
 * only when the table has been opened again. The table takes no further changes; lookups go on.
 */
public final class OutcomeUnknownException extends IOException {
  private static final long serialVersionUID = 1;

  /**
   * Creates an exception; called by tables.
   *
   * @hidden
   */
  @Internal
  public OutcomeUnknownException(String message, Throwable cause) {
    super(message, cause);
  }
}
