package io.bsdb.benchmarks.live;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.Machine;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.RecordFile;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reload.Publish;
import io.bsdb.reload.ReloadReport;
import io.bsdb.reload.TableReload;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Reloads a table of which some rows have changed: by a build of all rows, by its differences, and
 * by {@code auto} where all rows have changed. In rounds, after one that does not count.
 */
public final class ReloadBench {
  private static final int CHANGED_PART = 100;

  private final Path table;
  private final RecordFile records;
  private final Row build = new Row("build", "a build of all rows");
  private final Row changes = new Row("changes", "publish=changes, 1 % of the rows changed");
  private final Row auto = new Row("auto", "publish=auto, all rows changed");
  private int variants;

  private ReloadBench(Path table, RecordFile records) {
    this.table = table;
    this.records = records;
  }

  /** Runs the rounds. */
  public static List<Section> run(Path directory, long count, int rounds) throws Exception {
    Files.createDirectories(directory);
    RecordFile records = RecordFile.of(directory, new Workload(count));
    Path table = directory.resolve("reloaded");
    Path copies = directory.resolve("copies");
    Directories.delete(table);
    Directories.delete(copies);
    ReloadBench bench = new ReloadBench(table, records);
    bench.reload(Publish.ALL, 1);
    try (TableReader reader = TableReader.builder(table).refreshEvery(Duration.ZERO).open();
        TableReader copying =
            TableReader.builder(table).localDirectory(copies).refreshEvery(Duration.ZERO).open()) {
      for (int round = 0; round <= rounds; round++) {
        Progress.step("round %d of %d", round, rounds);
        bench.measure(round, bench.build, Publish.ALL, 1, reader, copying);
        bench.measure(round, bench.changes, Publish.CHANGES, CHANGED_PART, reader, copying);
        bench.measure(round, bench.auto, Publish.AUTO, 1, reader, copying);
      }
    }
    return List.of(
        Section.of(
            String.format(Locale.ROOT, "Reloads of %,d records", count),
            List.of(bench.build, bench.changes, bench.auto)));
  }

  private void measure(
      int round, Row row, Publish publish, int part, TableReader reader, TableReader copying)
      throws Exception {
    Row counted = round > 0 ? row : new Row("untimed", "");
    long start = System.nanoTime();
    long processor = Machine.processorNanos();
    ReloadReport report = reload(publish, part);
    counted.add("processor, s", (Machine.processorNanos() - processor) / 1e9);
    counted.add("time, s", (System.nanoTime() - start) / 1e9);
    Manifest published = Objects.requireNonNull(report.manifest());
    long bytes =
        publish == Publish.CHANGES
            ? published.changes().segments().stream().mapToLong(SegmentFile::length).sum()
            : published.length();
    counted.add("published, MB", bytes / 1e6);
    counted.add("refresh, ms", refresh(reader, published));
    counted.add("refresh with a copy, ms", refresh(copying, published));
    Table.at(table).prune(1);
  }

  private static double refresh(TableReader reader, Manifest published) throws IOException {
    long start = System.nanoTime();
    reader.refresh();
    double milliseconds = (System.nanoTime() - start) / 1e6;
    if (!reader.manifest().version().equals(published.version())) {
      throw new IllegalStateException("the follower has missed " + published.version());
    }
    return milliseconds;
  }

  /** Reloads all records; one of so many differs from the last time. */
  private ReloadReport reload(Publish publish, int part) throws Exception {
    byte variant = (byte) ('a' + variants++ % 26);
    WriterOptions options = WriterOptions.defaults();
    long[] number = {0};
    try (TableReload reload = TableReload.begin(table, options, publish)) {
      records.forEach(
          (key, value) -> {
            boolean differs = number[0]++ % part == 0;
            value[0] = differs ? variant : (byte) ('a' + (variants + 24) % 26);
            reload.add(key, value);
          });
      return reload.publish();
    }
  }
}
