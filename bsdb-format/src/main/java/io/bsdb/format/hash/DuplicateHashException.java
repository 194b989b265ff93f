package io.bsdb.format.hash;

/** Two inputs of a perfect hash have the same 128-bit hash. */
public final class DuplicateHashException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final int firstIndex;
  private final int secondIndex;

  DuplicateHashException(int firstIndex, int secondIndex) {
    super("duplicate hash: firstIndex=" + firstIndex + " secondIndex=" + secondIndex);
    this.firstIndex = firstIndex;
    this.secondIndex = secondIndex;
  }

  /** Returns the index in the input of the first of the two; less than {@link #secondIndex}. */
  public int firstIndex() {
    return firstIndex;
  }

  /** Returns the index in the input of the other. */
  public int secondIndex() {
    return secondIndex;
  }
}
