package io.bsdb.writer;

import java.io.IOException;
import java.util.HexFormat;

/** A key came twice and the build is to fail on that. */
public final class DuplicateKeyException extends IOException {
  private static final long serialVersionUID = 1L;

  private final byte[] key;

  /** Creates the exception for a key. */
  public DuplicateKeyException(byte[] key) {
    super(
        "duplicate key: %s (hex %s); remove one of the records, or choose to keep the first or the last"
            .formatted(printable(key), HexFormat.of().formatHex(key, 0, Math.min(key.length, 64))));
    this.key = key.clone();
  }

  /** Returns the key. */
  public byte[] key() {
    return key.clone();
  }

  private static String printable(byte[] key) {
    StringBuilder text = new StringBuilder("'");
    for (int i = 0; i < Math.min(key.length, 64); i++) {
      text.append(key[i] >= ' ' && key[i] < 0x7F ? (char) key[i] : '.');
    }
    return text.append(key.length > 64 ? "…'" : "'").toString();
  }
}
