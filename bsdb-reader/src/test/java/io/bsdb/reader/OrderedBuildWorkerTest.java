package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.table.Build;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.BuildWorker;
import io.bsdb.writer.SnapshotPublisher;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One snapshot in key order built by several writers, each of given ranges of keys. */
class OrderedBuildWorkerTest {
  private static final int PARTITIONS = 8;
  private static final WriterOptions OPTIONS =
      WriterOptions.builder().order(RecordOrder.KEY).build();

  @TempDir Path directory;
  private Table table;
  private Build build;

  @BeforeEach
  void begin() throws IOException {
    table = Table.at(directory.resolve("table"));
    build = table.begin();
  }

  private static byte[] key(int number) {
    return new byte[] {(byte) number, 1};
  }

  private BuildWorker worker(String attempt, WriterOptions options) {
    return BuildWorker.create(
        table, build, PARTITIONS, attempt, directory.resolve("tmp-" + attempt), options);
  }

  /** Builds the keys from {@code from} to {@code to} in the given ranges. */
  private List<PartitionFile> build(String attempt, int from, int to, Map<Integer, Integer> ranges)
      throws IOException {
    TreeMap<Integer, byte[]> firstKeys = new TreeMap<>();
    ranges.forEach((partition, first) -> firstKeys.put(partition, key(first)));
    try (BuildWorker worker = worker(attempt, OPTIONS)) {
      for (int i = to; i >= from; i--) {
        worker.add(key(i), new byte[] {(byte) i});
      }
      return worker.finish(firstKeys);
    }
  }

  private Manifest publish(List<PartitionFile> first, List<PartitionFile> second)
      throws IOException {
    List<PartitionFile> files = new ArrayList<>(first);
    files.addAll(second);
    return SnapshotPublisher.publish(table, build, PARTITIONS, files, OPTIONS);
  }

  /** Partition 4 gets no records. */
  @Test
  void filesOfSeveralWritersMakeOneSnapshot() throws Exception {
    List<PartitionFile> upper = build("b", 130, 250, Map.of(5, 130, 7, 200));
    List<PartitionFile> lower = build("a", 0, 129, Map.of(0, 0, 2, 10, 3, 100, 4, 130));
    assertThat(upper).extracting(PartitionFile::partition).containsExactly(5, 7);
    assertThat(lower).extracting(PartitionFile::recordCount).containsExactly(10, 90, 30);
    assertThat(upper.get(1).name()).isEqualTo("part-00007-b.bsdb");

    Manifest manifest = publish(upper, lower);

    assertThat(manifest.partitions())
        .extracting(PartitionFile::recordCount)
        .containsExactly(10, 90, 30, 70, 51);
    SnapshotVerifier.verify(directory.resolve("table").resolve(build.directory()));
    try (SnapshotReader reader = SnapshotReader.open(directory.resolve("table"));
        RecordCursor cursor = reader.scan()) {
      for (int i = 0; i <= 250; i++) {
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.key()).isEqualTo(key(i));
        assertThat(reader.get(key(i))).containsExactly((byte) i);
      }
      assertThat(cursor.next()).isFalse();
    }
  }

  @Test
  void refusesRangesThatDoNotAscend() {
    assertThatThrownBy(() -> build("a", 0, 20, Map.of(0, 0, 3, 10, 4, 10)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "ranges of keys are not ascending: partition 4 does not begin above partition 3");
  }

  @Test
  void refusesRangesOfKeysInHashOrder() throws Exception {
    try (BuildWorker worker = worker("a", WriterOptions.builder().build())) {
      assertThatThrownBy(() -> worker.finish(new TreeMap<>()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("partitions are ranges of hashes, not of keys");
    }
  }

  @Test
  void refusesFilesThatAreNotInTheOrderOfTheirKeys() throws Exception {
    List<PartitionFile> lower = build("a", 0, 20, Map.of(3, 0));
    List<PartitionFile> upper = build("b", 21, 40, Map.of(3, 21));
    assertThatThrownBy(() -> publish(lower, upper))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "partitions are not in the order of their keys: part-00003-a.bsdb is partition 3, and part-00003-b.bsdb, which does not begin in front of it, partition 3");

    List<PartitionFile> same = build("c", 0, 40, Map.of(4, 0));
    assertThatThrownBy(() -> publish(lower, same))
        .hasMessageContaining("part-00003-a.bsdb is partition 3, and part-00004-c.bsdb");
    assertThat(table.currentVersion()).isNull();
  }
}
