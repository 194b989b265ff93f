package io.bsdb.flink.sink;

import io.bsdb.compact.StreamFolder;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.storage.LocalDirectories;
import io.bsdb.format.Uninterrupted;
import io.bsdb.table.Table;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.ThreadSafeSimpleCounter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Folds the changes of a table in a thread of its own, while deltas go on. Used by the thread that
 * publishes them, through the same {@link Table}.
 */
final class BackgroundFold implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundFold.class);

  private final DeclaredTable declared;
  private final Table table;
  private final Duration stagingRetention;
  private final Counter foldedPartitions;
  private volatile boolean closed;
  private @Nullable Run run;

  BackgroundFold(DeclaredTable declared, Table table, BuildSettings settings, MetricGroup metrics) {
    this.declared = declared;
    this.table = table;
    this.stagingRetention = settings.stagingRetention();
    this.foldedPartitions = metrics.counter("foldedPartitions", new ThreadSafeSimpleCounter());
  }

  /** Begins to fold, if there are many changes and no fold is running. */
  void startIfDue() throws IOException {
    if ((run == null || !run.isAlive())
        && StreamFolder.isDue(table.manifest(table.requireCurrentVersion()))) {
      run = new Run();
      run.start();
    }
  }

  /** Ends a fold without publishing it, and waits for that: another task may publish next. */
  @Override
  public void close() {
    closed = true;
    if (run != null) {
      run.end();
      Uninterrupted.join(run);
    }
  }

  private final class Run extends Thread {
    private final TemporaryDirectory temporary;
    private final StreamFolder folder;

    Run() throws IOException {
      super("bsdb-fold " + declared.name());
      setDaemon(true);
      temporary =
          TemporaryDirectory.create(
              LocalDirectories.ofTable(declared.path()),
              "fold-" + UUID.randomUUID(),
              stagingRetention);
      folder = new StreamFolder(table, temporary.path());
    }

    void end() {
      folder.stop();
      interrupt();
    }

    @Override
    public void run() {
      try (temporary) {
        int partitions = folder.run();
        foldedPartitions.inc(partitions);
        LOG.info("Table {}: folded {} partitions.", declared.name(), partitions);
      } catch (IOException | RuntimeException | Error e) {
        if (!closed) { // tried again later
          LOG.warn("Table {}: changes could not be folded.", declared.name(), e);
        }
      }
    }
  }
}
