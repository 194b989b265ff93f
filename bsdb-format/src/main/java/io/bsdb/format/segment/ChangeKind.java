package io.bsdb.format.segment;

/** The kinds of records in a segment, with their numbers on disk. */
public enum ChangeKind {
  /** A key has this value from here on. */
  PUT(1),
  /** A key has no value from here on. */
  DELETE(2),
  /**
   * The position up to which a source had been read: the key is its name, the value the position.
   */
  POSITION(3);

  private final byte id;

  ChangeKind(int id) {
    this.id = (byte) id;
  }

  /** Returns the number on disk. */
  public byte id() {
    return id;
  }

  boolean hasValue() {
    return this != DELETE;
  }
}
