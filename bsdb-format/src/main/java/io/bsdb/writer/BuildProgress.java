package io.bsdb.writer;

/** Counts what is built, and notifies the listener. Safe for many threads. */
final class BuildProgress {
  private final BuildListener listener;
  private final int partitionCount;
  private long records;
  private int done;

  BuildProgress(BuildListener listener, int partitionCount) {
    this.listener = listener;
    this.partitionCount = partitionCount;
  }

  int partitionCount() {
    return partitionCount;
  }

  synchronized void built(int count) {
    records += count;
    listener.partitionBuilt(++done, partitionCount, records);
  }
}
