package io.bsdb.row;

import io.bsdb.format.CorruptSnapshotException;
import java.io.UncheckedIOException;

/** The unchecked form of {@link CorruptSnapshotException}. */
final class Damage {
  private Damage() {}

  static UncheckedIOException found(String message) {
    return new UncheckedIOException(message, new CorruptSnapshotException(message));
  }
}
