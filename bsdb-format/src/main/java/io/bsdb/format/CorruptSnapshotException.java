package io.bsdb.format;

import java.io.IOException;

/**
 * Bytes of a snapshot are not what its writer wrote: damaged, truncated or forged. The message
 * names the file, the offset, and what was expected and found. The answer to a lookup is unknown,
 * never "absent".
 */
public final class CorruptSnapshotException extends IOException {
  private static final long serialVersionUID = 1L;

  public CorruptSnapshotException(String message) {
    super(message);
  }

  public CorruptSnapshotException(String message, Throwable cause) {
    super(message, cause);
  }
}
