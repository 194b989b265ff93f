package io.bsdb.flink.lookup;

/** Lets tests of other packages see whether readers are left open. */
public final class OpenReaders {
  private OpenReaders() {}

  public static int count() {
    return SharedSnapshots.openCount();
  }
}
