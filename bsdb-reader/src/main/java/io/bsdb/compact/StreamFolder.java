package io.bsdb.compact;

import io.bsdb.format.Internal;
import io.bsdb.table.Changes;
import io.bsdb.table.Manifest;
import io.bsdb.table.Partitioning;
import io.bsdb.table.SegmentFile;
import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Folds the changes of a table for the stream that is written into it, where nobody else may:
 * through local copies, a few partitions at a time, each time as a version of its own. Used by one
 * thread.
 *
 * @hidden
 */
@Internal
public final class StreamFolder {
  /** Changes for which folding is not worth a version: each is looked up in memory anyhow. */
  private static final long SMALL = 1 << 20;

  private static final long MAX_CHANGES = 16_000_000;
  private static final long BYTES_PER_SECOND = 50_000_000;

  /** Of all partitions, how many a step folds. */
  private static final int STEPS = 8;

  private final Table table;
  private final Compactor compactor;

  /**
   * @param temporary an empty local directory
   */
  public StreamFolder(Table table, Path temporary) {
    this.table = table;
    this.compactor =
        Compactor.remote(table, temporary)
            .ofStream()
            .keepHistory(Duration.ZERO) // is for builds, which are refused there
            .maxSegments(Changes.MAX_SEGMENTS) // merged by the stream
            .maxBytesPerSecond(BYTES_PER_SECOND);
  }

  /**
   * Returns whether changes are to be folded: a quarter as many as there are records, or 16
   * million. Reads nothing but the manifest, so that changes of one key in several segments count
   * several times.
   */
  public static boolean isDue(Manifest inService) {
    return inService.changes().length() >= SMALL && load(inService) >= 1;
  }

  /** Estimates the changes that are not folded, as a fraction of those at which folding is due. */
  private static double load(Manifest manifest) {
    Partitioning partitioning = manifest.partitioning();
    double changes = 0;
    for (SegmentFile segment : manifest.changes().segments()) {
      double unfolded =
          partitioning
              .partitions(segment.firstHash(), segment.lastHash())
              .mapToObj(manifest.partitions()::get)
              .mapToInt(file -> file.foldedThrough() < segment.number() ? 1 : 0)
              .average()
              .orElseThrow();
      changes += unfolded * (segment.puts() + segment.deletes());
    }
    return changes / Math.min(MAX_CHANGES, Compactor.FOLD_FRACTION * manifest.recordCount());
  }

  /**
   * Folds the partitions in which most has changed, until half of what is due is left.
   *
   * @return how many partitions were folded
   */
  public int run() throws IOException {
    int folded = 0;
    int step;
    do {
      step = fold(Compactor.FOLD_FRACTION / 2);
      if (step == 0) {
        step = fold(0); // the same few keys, again and again
      }
      folded += step;
    } while (step > 0 && load(inService()) > 0.5);
    return folded;
  }

  private int fold(double fraction) throws IOException {
    return compactor
        .foldFraction(fraction)
        .maxPartitions(Math.max(1, inService().partitions().size() / STEPS))
        .run()
        .foldedPartitions();
  }

  private Manifest inService() throws IOException {
    return table.manifest(table.requireCurrentVersion());
  }

  /** Ends a {@link #run} with an {@link java.io.InterruptedIOException}. Called by any thread. */
  public void stop() {
    compactor.stop();
  }
}
