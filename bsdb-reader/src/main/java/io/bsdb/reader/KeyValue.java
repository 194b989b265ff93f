package io.bsdb.reader;

/** A record that was found. Both arrays are the caller's own. */
public final class KeyValue {
  private final byte[] key;
  private final byte[] value;

  /** Takes both arrays as they are. */
  public KeyValue(byte[] key, byte[] value) {
    this.key = key;
    this.value = value;
  }

  public byte[] key() {
    return key;
  }

  public byte[] value() {
    return value;
  }
}
