package io.bsdb.reader;

import java.util.List;
import java.util.Objects;

/** The keys of a batch. */
final class Keys {
  private Keys() {}

  /** Checks that neither the list nor one of its keys is null. */
  static void requireNonNull(List<byte[]> keys) {
    Objects.requireNonNull(keys, "keys");
    int index = 0;
    for (byte[] key : keys) {
      if (key == null) {
        throw new NullPointerException("keys[%d]".formatted(index));
      }
      index++;
    }
  }
}
