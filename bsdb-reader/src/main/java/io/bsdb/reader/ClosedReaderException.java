package io.bsdb.reader;

/** A reader was used after its close. */
public final class ClosedReaderException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  /**
   * @param what was closed
   */
  public ClosedReaderException(String what) {
    super(what + " is closed");
  }
}
