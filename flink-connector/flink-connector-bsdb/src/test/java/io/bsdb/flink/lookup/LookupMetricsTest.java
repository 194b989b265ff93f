package io.bsdb.flink.lookup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.Access;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LookupMetricsTest {
  private static final int KEYS = 200;

  @TempDir Path directory;
  private final MeteredContext context = new MeteredContext();
  private SnapshotLookupFunction function;

  @AfterEach
  void closesReaders() throws IOException {
    function.close();
    assertThat(OpenReaders.count()).isZero();
  }

  private static byte[] bytes(int i) {
    return ("key " + i).getBytes(StandardCharsets.UTF_8);
  }

  private Manifest publish() throws IOException {
    return publish(WriterOptions.builder().partitions(2).build());
  }

  private Manifest publish(WriterOptions options) throws IOException {
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      for (int i = 0; i < KEYS; i++) {
        writer.add(bytes(i), bytes(i));
      }
      return writer.publish();
    }
  }

  /** Damages the first block of every partition. */
  private void damage(Manifest manifest) throws IOException {
    Path snapshot = directory.resolve("snapshots").resolve(manifest.version());
    for (PartitionFile partition : manifest.partitions()) {
      Path file = snapshot.resolve(partition.name());
      byte[] content = Files.readAllBytes(file);
      content[SnapshotFormat.PAGE] ^= 1;
      Files.write(file, content);
    }
  }

  private void open(Access access) throws Exception {
    function = new SnapshotLookupFunction(TestLookup.spec(directory, access, InputShuffle.NONE));
    function.open(context);
  }

  private void lookUp(int key) throws IOException {
    function.lookup(GenericRowData.of(StringData.fromBytes(bytes(key))));
  }

  @Test
  void tellsWhatItDoes() throws Exception {
    publish();
    open(Access.DIRECT);
    for (int i = 0; i < KEYS + 7; i++) {
      lookUp(i);
    }

    assertThat(context.metric("hitCount", Counter.class).getCount()).isEqualTo(KEYS);
    assertThat(context.metric("missCount", Counter.class).getCount()).isEqualTo(7);
    assertThat(context.gauge("lookups")).isEqualTo(KEYS + 7L);
    assertThat(context.gauge("loadCount")).isEqualTo(1L);
    assertThat(context.gauge("numLoadFailures")).isEqualTo(0L);
    assertThat(context.gauge("latestLoadFailure")).isEqualTo("");
    assertThat(context.gauge("numCachedRecords")).isEqualTo((long) KEYS);
    assertThat(context.gauge("version")).isEqualTo(Table.at(directory).requireCurrentVersion());
    assertThat(context.gauge("layout")).isEqualTo("blocked");
    assertThat(context.gauge("signatureBits")).isEqualTo(8.0);
    assertThat(context.gauge("memoryBudgetBytes")).isEqualTo(0L);
    assertThat((long) context.gauge("memoryIndexBytes")).isPositive();
    assertThat(context.gauge("refusedForMemory")).isEqualTo(0L);
    Histogram latency = context.metric("readLatencyNanos", Histogram.class);
    assertThat(latency.getCount()).isPositive().isEqualTo(context.gauge("blockReads"));
    assertThat(latency.getStatistics().getQuantile(0.5))
        .isPositive()
        .isLessThanOrEqualTo((double) latency.getStatistics().getMax());
  }

  @Test
  void tellsWhyTheVersionInServiceIsNotInUse() throws Exception {
    publish();
    open(Access.MAPPED);
    TableReader live = SharedSnapshots.open().get(0);

    Manifest damaged = publish();
    damage(damaged);
    assertThatThrownBy(live::refresh).isInstanceOf(IOException.class);
    assertThat(context.gauge("numLoadFailures")).isEqualTo(1L);
    assertThat(context.gauge("latestLoadFailure"))
        .asString()
        .contains("CorruptSnapshotException: block checksum mismatch")
        .contains(damaged.version());

    publish();
    live.refresh();
    assertThat(context.gauge("latestLoadFailure")).isEqualTo("");
  }

  @Test
  void tellsWhyTheVersionInUseIsNotTheOneOfTheReader() throws Exception {
    publish();
    open(Access.MAPPED);
    TableReader live = SharedSnapshots.open().get(0);

    Manifest other =
        publish(
            WriterOptions.builder()
                .partitions(2)
                .schema(
                    new DeclaredTable(
                            "other",
                            directory.toString(),
                            RowType.of(
                                new LogicalType[] {TestLookup.STRING.copy(false)},
                                new String[] {"k"}),
                            List.of("k"))
                        .schema())
                .build());
    live.refresh();
    lookUp(1);
    assertThat(context.gauge("numLoadFailures")).isEqualTo(0L);
    assertThat(context.gauge("latestLoadFailure"))
        .asString()
        .contains("the DDL of table d does not match the snapshot")
        .contains(other.version());

    publish();
    live.refresh();
    lookUp(1);
    assertThat(context.gauge("latestLoadFailure")).isEqualTo("");
  }
}
