package io.bsdb.format;

import java.io.IOException;

/**
 * A snapshot is sound as far as can be seen but needs a newer bsdb: a format version or a required
 * section that this one does not know.
 */
public final class UnsupportedVersionException extends IOException {
  private static final long serialVersionUID = 1L;

  public UnsupportedVersionException(String message) {
    super(message);
  }
}
