package io.bsdb.flink.sink;

import io.bsdb.compact.Author;
import io.bsdb.compact.Compactor;
import io.bsdb.compact.Upkeep;
import io.bsdb.compact.UpkeepSettings;
import io.bsdb.compact.Workplace;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.storage.LocalDirectories;
import io.bsdb.flink.storage.TableLocation;
import io.bsdb.table.Table;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.ThreadSafeSimpleCounter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Merges and folds the changes of a table for the committer of a stream, in place on a local disk,
 * and elsewhere through temporary copies. Goes through the same {@link Table} as the committer, so
 * that commits and folds take turns where there are no locks.
 */
public final class TableUpkeep implements Upkeep.Listener, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(TableUpkeep.class);

  /** Nothing is due before the committer asks for it: it alone changes the table. */
  private static final Duration PERIOD = Duration.ofNanos(Long.MAX_VALUE);

  /** Longer than it takes from finding a version to having opened its files. */
  private static final Duration SPARED_VERSIONS = Duration.ofHours(1);

  private final DeclaredTable declared;
  private final Table table;
  private final Duration stagingRetention;
  private final Counter foldedPartitions;
  private final Counter mergedSegments;
  private final Upkeep upkeep;

  /** Folds that failed since the last that did not, and the same of tidying up. */
  private final AtomicInteger failedFolds = new AtomicInteger();

  private final AtomicInteger failedTidyUps = new AtomicInteger();

  public TableUpkeep(
      DeclaredTable declared, Table table, BuildSettings settings, MetricGroup metrics) {
    this.declared = declared;
    this.table = table;
    this.stagingRetention = settings.stagingRetention();
    this.foldedPartitions = metrics.counter("foldedPartitions", new ThreadSafeSimpleCounter());
    this.mergedSegments = metrics.counter("mergedSegments", new ThreadSafeSimpleCounter());
    metrics.gauge("upkeepFailures", () -> failedFolds.get() + failedTidyUps.get());
    // Without locks the history is of no use: builds that keep changes are refused there.
    Duration history = table.storage().hasLocks() ? Compactor.KEEP_HISTORY : Duration.ZERO;
    this.upkeep =
        new Upkeep(
            "bsdb-fold " + declared.name(),
            table,
            Author.STREAM,
            UpkeepSettings.ofStream(history),
            () -> workplace(declared, table, settings),
            this,
            PERIOD);
  }

  /** Returns where files of the table are read and written, until it is closed. */
  public static Workplace workplace(DeclaredTable declared, Table table, BuildSettings settings)
      throws IOException {
    TableLocation location = new TableLocation(declared.path());
    if (location.isLocal()) {
      return Workplace.in(location.directory(), table);
    }
    TemporaryDirectory temporary =
        TemporaryDirectory.create(
            LocalDirectories.ofTable(declared.path()),
            "fold-" + UUID.randomUUID(),
            settings.stagingRetention());
    return Workplace.copies(table, temporary.path(), temporary);
  }

  /**
   * Merges the newest segments, if there are many, and deletes old versions. What was published
   * before is in service whatever happens here, and it is tried again later.
   *
   * @param retainVersions how many to keep
   */
  public void tidyUp(int retainVersions) {
    try {
      upkeep.merge();
      LOG.info(
          "Table {}: deleted versions {}, leftovers {}.",
          declared.name(),
          table.prune(retainVersions, SPARED_VERSIONS),
          table.sweep(stagingRetention));
      failedTidyUps.set(0);
    } catch (IOException | RuntimeException e) {
      failedTidyUps.incrementAndGet();
      LOG.warn(
          "Table {}: changes are in service, but the table could not be tidied up.",
          declared.name(),
          e);
    }
  }

  /** Begins to fold, in a thread of its own, if that is due. */
  public void wake() {
    upkeep.wake();
  }

  @Override
  public void published(Compactor.Result step) {
    foldedPartitions.inc(step.foldedPartitions());
    mergedSegments.inc(step.mergedSegments());
    LOG.info(
        "Table {}: version {}: folded {} partitions, merged {} segments.",
        declared.name(),
        step.manifest().version(),
        step.foldedPartitions(),
        step.mergedSegments());
  }

  @Override
  public void ended() {
    if (upkeep.failure() == null) {
      failedFolds.set(0);
    } else {
      failedFolds.incrementAndGet();
    }
  }

  /** Ends a fold without publishing it, and waits for that: another task may publish next. */
  @Override
  public void close() {
    upkeep.interrupt();
    upkeep.close();
  }
}
