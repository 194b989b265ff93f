package io.bsdb.flink.lookup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.Projection;
import io.bsdb.format.PartitionFile;
import io.bsdb.reader.Access;
import io.bsdb.reader.KeyShare;
import io.bsdb.reader.Verification;
import io.bsdb.table.Table;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.WriterOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.TaskInfoImpl;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyShareLookupTest {
  private static final VarCharType STRING = new VarCharType(VarCharType.MAX_LENGTH);
  private static final int KEYS = 200;

  @TempDir Path directory;

  /** The second of two subtasks, whose metrics can be seen. */
  private static final class SecondOfTwo extends FunctionContext {
    private final Map<String, Metric> metrics = new HashMap<>();

    SecondOfTwo() {
      super(null);
    }

    @Override
    public TaskInfo getTaskInfo() {
      return new TaskInfoImpl("task", 128, 1, 2, 0);
    }

    @Override
    public MetricGroup getMetricGroup() {
      return new UnregisteredMetricsGroup() {
        @Override
        public MetricGroup addGroup(String name) {
          return this;
        }

        @Override
        public <C extends Counter> C counter(String name, C counter) {
          metrics.put(name, counter);
          return counter;
        }

        @Override
        public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
          metrics.put(name, gauge);
          return gauge;
        }

        @Override
        public <H extends Histogram> H histogram(String name, H histogram) {
          metrics.put(name, histogram);
          return histogram;
        }
      };
    }

    <M> M metric(String name, Class<M> type) {
      return type.cast(Objects.requireNonNull(metrics.get(name), name));
    }

    Object gauge(String name) {
      return metric(name, Gauge.class).getValue();
    }
  }

  private static byte[] bytes(int i) {
    return ("key " + i).getBytes(StandardCharsets.UTF_8);
  }

  @BeforeEach
  void build() throws Exception {
    try (SnapshotWriter writer =
        SnapshotWriter.create(directory, WriterOptions.builder().partitions(4).build())) {
      for (int i = 0; i < KEYS; i++) {
        writer.add(bytes(i), bytes(i));
      }
      writer.publish();
    }
  }

  private SnapshotLookupFunction function(InputShuffle shuffle, Access access) {
    DeclaredTable table =
        new DeclaredTable(
            "d",
            directory.toString(),
            RowType.of(new LogicalType[] {STRING.copy(false), STRING}, new String[] {"k", "v"}),
            List.of("k"));
    return new SnapshotLookupFunction(
        new LookupSpec(
            table,
            new ReadSettings(
                access, Verification.METADATA, 0, Duration.ZERO, null, null, Long.MAX_VALUE),
            Projection.all(table),
            List.of(0),
            shuffle));
  }

  @Test
  void opensOnlyThePartitionsOfItsShare() throws Exception {
    Table table = Table.at(directory);
    String version = table.requireCurrentVersion();
    for (PartitionFile file : table.manifest(version).partitions().subList(0, 2)) {
      Files.delete(directory.resolve("snapshots").resolve(version).resolve(file.name()));
    }
    SnapshotLookupFunction function = function(InputShuffle.BY_KEY, Access.MAPPED);
    function.open(new SecondOfTwo());

    for (int i = 0; i < KEYS; i++) {
      GenericRowData compared = GenericRowData.of(StringData.fromBytes(bytes(i)));
      if (KeyShare.indexOf(bytes(i), 2) == 1) {
        assertThat(function.lookup(compared)).hasSize(1);
      } else {
        assertThatThrownBy(() -> function.lookup(compared))
            .hasMessageContaining("outside of what this reader has opened");
      }
    }
    function.close();
    assertThatThrownBy(() -> function(InputShuffle.NONE, Access.MAPPED).open(new SecondOfTwo()))
        .hasMessageContaining("cannot be opened");
    assertThat(OpenReaders.count()).isZero();
  }

  @Test
  void tellsWhatItDoes() throws Exception {
    SecondOfTwo context = new SecondOfTwo();
    SnapshotLookupFunction function = function(InputShuffle.NONE, Access.DIRECT);
    function.open(context);
    for (int i = 0; i < KEYS + 7; i++) {
      function.lookup(GenericRowData.of(StringData.fromBytes(bytes(i))));
    }

    assertThat(context.metric("hitCount", Counter.class).getCount()).isEqualTo(KEYS);
    assertThat(context.metric("missCount", Counter.class).getCount()).isEqualTo(7);
    assertThat(context.gauge("lookups")).isEqualTo(KEYS + 7L);
    assertThat(context.gauge("loadCount")).isEqualTo(1L);
    assertThat(context.gauge("numLoadFailures")).isEqualTo(0L);
    assertThat(context.gauge("numCachedRecords")).isEqualTo((long) KEYS);
    assertThat(context.gauge("version")).isEqualTo(Table.at(directory).requireCurrentVersion());
    Histogram latency = context.metric("readLatencyNanos", Histogram.class);
    assertThat(latency.getCount()).isPositive().isEqualTo(context.gauge("blockReads"));
    assertThat(latency.getStatistics().getQuantile(0.5))
        .isPositive()
        .isLessThanOrEqualTo((double) latency.getStatistics().getMax());
    function.close();
    assertThat(OpenReaders.count()).isZero();
  }
}
