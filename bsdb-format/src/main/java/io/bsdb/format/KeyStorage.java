package io.bsdb.format;

/** Whether records hold their keys. */
public enum KeyStorage {
  /** Every key is stored, and compared in full by a lookup. */
  STORED(0),
  /** The approximate layout: only a signature speaks for the key. */
  OMITTED(1);

  public final int id;

  KeyStorage(int id) {
    this.id = id;
  }
}
