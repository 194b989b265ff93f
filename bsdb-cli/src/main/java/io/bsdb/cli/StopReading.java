package io.bsdb.cli;

/** Thrown by a sink that has seen enough, to whoever reads. */
final class StopReading extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StopReading() {
    super(null, null, false, false);
  }
}
