package io.bsdb.reload;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.Contents;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reload.ReloadReport.Difference;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.testkit.InMemory;
import io.bsdb.testkit.Records;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SegmentFiles;
import io.bsdb.writer.options.Duplicates;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Writers that compare a share of the partitions each, and one publication. */
class DifferenceWriterTest {
  private static final int WRITERS = 2;

  @TempDir(factory = InMemory.class)
  private Path directory;

  private Manifest build(RecordOrder order, Map<String, String> rows) throws IOException {
    WriterOptions options = WriterOptions.builder().order(order).partitions(5).build();
    return Records.of(rows).publish(directory, options);
  }

  private static Map<String, String> rows(int count) {
    Map<String, String> rows = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      rows.put("key" + i, "value" + i);
    }
    return rows;
  }

  private static int writer(int partition, int partitions) {
    return partition * WRITERS / partitions;
  }

  /** What one writer does: compares the input's rows of its partitions. */
  private Difference compare(
      int number, Manifest manifest, Map<String, String> input, List<SegmentFile> written)
      throws IOException {
    ReaderOptions share = ReaderOptions.builder().share(new KeyShare(number, WRITERS)).build();
    Partitioning partitioning = manifest.partitioning();
    try (SegmentFiles files = new SegmentFiles(Table.at(directory).storage());
        SnapshotReader reader = SnapshotReader.openVersion(directory, manifest.version(), share)) {
      DifferenceWriter writer =
          new DifferenceWriter(
              reader,
              partition -> writer(partition, partitioning.count()) == number,
              Duplicates.FAIL,
              key -> false,
              files);
      for (Map.Entry<String, String> row : input.entrySet()) {
        byte[] key = bytes(row.getKey());
        if (writer(partitioning.partition(key), partitioning.count()) == number) {
          writer.add(key, bytes(row.getValue()));
        }
      }
      Difference difference = writer.finish();
      written.addAll(files.finish());
      return difference;
    }
  }

  @ParameterizedTest
  @EnumSource
  void publishesTheDifferencesOfAllSharesAtOnce(RecordOrder order) throws Exception {
    build(order, rows(1_000));
    try (DeltaWriter delta = DeltaWriter.create(Table.at(directory))) {
      for (int i = 0; i < 50; i++) {
        delta.put(bytes("key" + i), bytes("by a delta"));
        delta.delete(bytes("key" + (900 + i)));
        delta.put(bytes("new" + i), bytes("by a delta"));
      }
      delta.publish();
    }
    Map<String, String> input = rows(990);
    for (int i = 20; i < 40; i++) {
      input.put("key" + i, "by a delta");
      input.put("key" + (100 + i), "changed");
      input.put("new" + i, "by the input");
    }
    Difference expected;
    WriterOptions options = WriterOptions.builder().order(order).build();
    try (TableReload dry = TableReload.dryRun(directory, options)) {
      for (Map.Entry<String, String> row : input.entrySet()) {
        dry.add(bytes(row.getKey()), bytes(row.getValue()));
      }
      expected = dry.publish().difference();
    }

    Table table = Table.at(directory);
    Manifest compared = table.manifest(table.requireCurrentVersion());
    List<SegmentFile> written = new ArrayList<>();
    Difference sum = compare(0, compared, input, written);
    for (int i = 1; i < WRITERS; i++) {
      sum = sum.plus(compare(i, compared, input, written));
    }
    assertThat(sum).isEqualTo(expected);
    assertThat(written).hasSize(WRITERS);
    table.edit(
        inService -> {
          DeltaWriter.requireVersion(compared.version(), inService, table);
          return inService.with(
              inService.partitions(), Map.of(), inService.changes().append(written));
        });
    assertThat(Contents.of(directory)).isEqualTo(input);
    assertThatThrownBy(
            () ->
                table.edit(
                    inService -> {
                      DeltaWriter.requireVersion(compared.version(), inService, table);
                      return inService;
                    }))
        .isInstanceOf(PublishConflictException.class)
        .hasMessageContaining("the table was changed meanwhile");
  }

  @Test
  void refusesKeysOfAnotherShare() throws Exception {
    Manifest manifest = build(RecordOrder.HASH, rows(100));
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      DifferenceWriter writer =
          new DifferenceWriter(
              reader, partition -> partition == 0, Duplicates.FAIL, key -> false, null);
      for (String key : rows(100).keySet()) {
        if (manifest.partitioning().partition(bytes(key)) == 1) {
          writer.add(bytes(key), bytes("value"));
        }
      }
      assertThatThrownBy(writer::finish)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("key of another share: partition=1 file=");
    }
    Difference a = new Difference("0000000001-00000000", 1, 1, 1, 1, 1);
    Difference b = new Difference("0000000002-00000000", 1, 1, 1, 1, 1);
    assertThatThrownBy(() -> a.plus(b))
        .hasMessageContaining("compared with different versions: 0000000001-00000000");
  }
}
