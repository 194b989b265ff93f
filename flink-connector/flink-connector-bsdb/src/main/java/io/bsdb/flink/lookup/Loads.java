package io.bsdb.flink.lookup;

import io.bsdb.reader.follow.TableReader;
import io.bsdb.table.manifest.Manifest;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The versions that a shared reader loads: how many, how long it took, and the log of those put in
 * service. One version is loaded at a time; read by many threads.
 */
final class Loads implements TableReader.Listener, TableReader.Check {
  private static final Logger LOG = LoggerFactory.getLogger(Loads.class);

  private final String table;
  private final AtomicLong count = new AtomicLong();
  private volatile long begun;
  private volatile long latestNanos;
  private volatile long bytes;
  private volatile long records;

  Loads(String table) {
    this.table = table;
  }

  /** Notes that a load begins. Every version is accepted. */
  @Override
  public void accept(Manifest manifest) {
    begun = System.nanoTime();
  }

  @Override
  public void onRefreshed(Manifest manifest) {
    finished(manifest);
    LOG.info("Table {} now serves version {}.", table, manifest.version());
  }

  /** Notes that a load has succeeded. */
  void finished(Manifest manifest) {
    latestNanos = System.nanoTime() - begun;
    bytes = manifest.length();
    records = manifest.recordCount();
    count.getAndIncrement();
  }

  /** Versions loaded so far. */
  long count() {
    return count.get();
  }

  /** Returns how long the last load took, with the copying of files. */
  long latestMillis() {
    return TimeUnit.NANOSECONDS.toMillis(latestNanos);
  }

  /** Returns the bytes of all partition files of the version loaded last. */
  long bytes() {
    return bytes;
  }

  /** Records of the version loaded last. */
  long records() {
    return records;
  }
}
