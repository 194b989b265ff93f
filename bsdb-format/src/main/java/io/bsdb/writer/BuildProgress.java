package io.bsdb.writer;

/** Counts what is built, and notifies the listener. Safe for many threads. */
final class BuildProgress {
  private final BuildListener listener;
  private final int total;
  private long records;
  private int done;

  BuildProgress(BuildListener listener, int total) {
    this.listener = listener;
    this.total = total;
  }

  synchronized void built(int count) {
    records += count;
    listener.partitionBuilt(++done, total, records);
  }
}
