package io.bsdb.benchmarks.live;

import io.bsdb.benchmarks.harness.Machine;
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
import io.bsdb.table.storage.DirectoryTree;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * Reloads a table in which some rows have changed: by a build of all rows, by its differences where
 * one row in a hundred has changed, and by {@code auto} where all rows have. Always in this order,
 * so that differences are those from rows of one kind.
 */
public final class ReloadBench {
  private final Path table;
  private final RecordFile records;
  private int reloads;

  /** The first byte of the rows that have one difference in a hundred. */
  private byte common;

  /** A reload in which one of so many rows differs from the last time. */
  private record Way(Publish publish, int changedEvery, Row row) {}

  private ReloadBench(Path table, RecordFile records) {
    this.table = table;
    this.records = records;
  }

  /** Runs the rounds, after one that does not count. */
  public static List<Section> run(Path directory, long count, int rounds) throws Exception {
    RecordFile records = RecordFile.of(directory, new Workload(count));
    Path table = directory.resolve("reloaded");
    Path copies = directory.resolve("copies");
    DirectoryTree.delete(table);
    DirectoryTree.delete(copies);
    ReloadBench bench = new ReloadBench(table, records);
    List<Way> ways =
        List.of(
            new Way(Publish.ALL, 1, new Row("a build of all rows")),
            new Way(Publish.CHANGES, 100, new Row("changes, 1 % of the rows changed")),
            new Way(Publish.AUTO, 1, new Row("auto, all rows changed")));
    bench.reload(ways.get(0));
    try (TableReader reader = TableReader.builder(table).refreshEvery(Duration.ZERO).open();
        TableReader copying =
            TableReader.builder(table).localDirectory(copies).refreshEvery(Duration.ZERO).open()) {
      for (int round = 0; round <= rounds; round++) {
        for (Way way : ways) {
          bench.measure(way, round > 0 ? way.row : new Row("untimed"), reader, copying);
        }
      }
    }
    DirectoryTree.delete(table);
    DirectoryTree.delete(copies);
    return List.of(
        new Section(
            "Reloads of %,d records".formatted(count), ways.stream().map(Way::row).toList()));
  }

  private void measure(Way way, Row row, TableReader reader, TableReader copying) throws Exception {
    long start = System.nanoTime();
    long processor = Machine.processorNanos();
    Manifest published = Objects.requireNonNull(reload(way).manifest());
    row.add("processor, s", (Machine.processorNanos() - processor) / 1e9);
    row.add("time, s", (System.nanoTime() - start) / 1e9);
    long bytes =
        way.publish == Publish.CHANGES
            ? published.changes().segments().stream().mapToLong(SegmentFile::length).sum()
            : published.length();
    row.add("published, MB", bytes / 1e6);
    row.add("refresh, ms", refresh(reader, published));
    row.add("refresh with a copy, ms", refresh(copying, published));
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

  /** Reloads all records, whose first byte is that of the last time unless they differ. */
  private ReloadReport reload(Way way) throws Exception {
    byte differing = (byte) ('a' + reloads++ % 26);
    if (way.changedEvery == 1) {
      common = differing;
    }
    long[] number = {0};
    try (TableReload reload = TableReload.begin(table, WriterOptions.defaults(), way.publish)) {
      records.forEach(
          (key, value) -> {
            value[0] = number[0]++ % way.changedEvery == 0 ? differing : common;
            reload.add(key, value);
          });
      return reload.publish();
    }
  }
}
