package io.bsdb.writer;

import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;

/**
 * A build has fewer rows than {@link WriterOptions#minRows} or {@link WriterOptions#maxShrinkage}
 * demand; the version in service stays as it is.
 */
public final class TooFewRowsException extends IOException {
  private static final long serialVersionUID = 1L;

  /** The options that limit the loss of rows. */
  public enum Limit {
    MIN_ROWS,
    MAX_SHRINKAGE
  }

  private final Limit limit;

  TooFewRowsException(Limit limit, String message) {
    super(message);
    this.limit = limit;
  }

  /** Returns which option refused the build. */
  public Limit limit() {
    return limit;
  }
}
