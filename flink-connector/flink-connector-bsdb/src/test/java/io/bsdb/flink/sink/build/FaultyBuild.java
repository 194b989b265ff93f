package io.bsdb.flink.sink.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.sink.build.FaultySink.Fault;
import io.bsdb.flink.sink.change.Change;
import io.bsdb.flink.sink.reload.ReloadSink;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reload.Publish;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/** A table with one version in service, to which builds with faults are added. */
public final class FaultyBuild {
  public static final int ROWS = 2_000;
  private static final int PREVIOUS_ROWS = 10;
  public static final int PARTITIONS = 5;

  private final Path directory;
  private final String path;
  private final RecordOrder order;
  private final Publish publish;
  private final String previous;

  /** Returns a cluster that can lose a TaskManager. */
  public static MiniClusterResourceConfiguration cluster() {
    return new MiniClusterResourceConfiguration.Builder()
        .setNumberTaskManagers(2)
        .setNumberSlotsPerTaskManager(3)
        .build();
  }

  public FaultyBuild(Path directory) throws Exception {
    this(directory, RecordOrder.HASH);
  }

  public FaultyBuild(Path directory, RecordOrder order) throws Exception {
    this(directory, order, Publish.ALL);
  }

  /**
   * @param publish what is published of all but the first version
   */
  public FaultyBuild(Path directory, RecordOrder order, Publish publish) throws Exception {
    this(directory, directory.toString(), order, publish);
  }

  /**
   * @param path of the same directory in the DDL
   */
  public FaultyBuild(Path directory, String path, RecordOrder order, Publish publish)
      throws Exception {
    this.directory = directory;
    this.path = path;
    this.order = order;
    this.publish = publish;
    run(Fault.NONE, PREVIOUS_ROWS);
    this.previous = Table.at(directory).requireCurrentVersion();
  }

  public static DeclaredTable table(Path directory) {
    return table(directory.toString());
  }

  public static DeclaredTable table(String path) {
    return table(path, RecordOrder.HASH);
  }

  private static DeclaredTable table(String path, RecordOrder order) {
    RowType type =
        RowType.of(
            new LogicalType[] {new BigIntType(false), new BigIntType(false)},
            new String[] {"id", "value"});
    return new DeclaredTable("t", path, type, List.of("id"), Set.of(), Set.of(), order);
  }

  public static BuildSettings settings() {
    return settings(Duration.ofDays(1));
  }

  public static BuildSettings settings(long minRows) {
    return settings(minRows, Duration.ofDays(1), RecordOrder.HASH);
  }

  public static BuildSettings settings(Duration stagingRetention) {
    return settings(0, stagingRetention, RecordOrder.HASH);
  }

  private static BuildSettings settings(
      long minRows, Duration stagingRetention, RecordOrder order) {
    return new BuildSettings(
        WriterOptions.builder()
            .partitions(PARTITIONS)
            .order(order)
            .memoryBytes(WriterOptions.MIN_MEMORY_BYTES)
            .minRows(minRows)
            .build()
            .toMap(),
        10,
        stagingRetention,
        true);
  }

  /** Builds while all task managers are lost, and others come. */
  public void runWhileTaskManagersAreLost(MiniCluster cluster) throws Exception {
    JobClient job = start(Fault.WRITER_HANGS_ONCE, ROWS);
    FaultySink.running.hanging.await();
    cluster.startTaskManager();
    cluster.terminateTaskManager(0).get();
    cluster.terminateTaskManager(1).get();
    cluster.startTaskManager();
    job.getJobExecutionResult().get();
    assertPublishedOnce();
  }

  /** Builds while another build publishes a version of its own. */
  public void assertRefusedAfterAnother(String message) throws Exception {
    JobClient job = start(Fault.WRITER_HANGS_ONCE, ROWS);
    FaultySink.State state = FaultySink.running;
    state.hanging.await();
    run(Fault.NONE, 20);
    state.released.countDown();
    assertThatThrownBy(() -> job.getJobExecutionResult().get()).hasStackTraceContaining(message);
    assertThat(ids()).hasSize(20);
    assertNothingIsLeftOfOthers();
  }

  public JobClient start(Fault fault, int rows) throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(ExecutionOptions.RUNTIME_MODE, RuntimeExecutionMode.BATCH);
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 3);
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ZERO);
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    env.setParallelism(2);
    env.fromSequence(1, rows)
        .map(FaultyBuild::entry)
        .returns(Change.TYPE)
        .sinkTo(sink(fault))
        .setParallelism(2);
    return env.executeAsync();
  }

  private Sink<Change> sink(Fault fault) throws IOException {
    DeclaredTable table = table(path, order);
    BuildSettings settings = settings(0, Duration.ofDays(1), order);
    ReloadSink reload =
        Table.at(directory).currentVersion() == null
            ? null
            : ReloadSink.begin(publish, null, table, settings);
    return reload == null
        ? FaultySink.of(SnapshotSink.begin(table, settings), directory, fault)
        : FaultySink.of(reload, directory, fault);
  }

  private static Change entry(long id) {
    return Change.put(
        ByteBuffer.allocate(Long.BYTES).putLong(id).array(),
        ByteBuffer.allocate(Long.BYTES + 1).putLong(id).array());
  }

  public void run(Fault fault, int rows) throws Exception {
    start(fault, rows).getJobExecutionResult().get();
  }

  /** One more version, once published, with all rows as changes. */
  public void assertChangesPublishedOnce() throws IOException {
    Manifest manifest = publishedOnce();
    assertThat(manifest.recordCount()).isEqualTo(PREVIOUS_ROWS);
    assertThat(manifest.changes().count()).isEqualTo(ROWS - PREVIOUS_ROWS);
    assertThat(ids()).hasSize(ROWS);
  }

  private Manifest publishedOnce() throws IOException {
    Table table = Table.at(directory);
    String version = table.requireCurrentVersion();
    assertThat(table.versions()).containsExactly(previous, version);
    assertThat(FaultySink.running.publications).hasValue(1);
    return table.manifest(version);
  }

  /** One more version, once published, with all rows, and no file that it does not name. */
  public void assertPublishedOnce() throws IOException {
    Manifest manifest = publishedOnce();
    String version = manifest.version();
    assertThat(manifest.recordCount()).isEqualTo(ROWS);
    assertThat(files(version))
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(
                    Stream.of("manifest.json"),
                    manifest.partitions().stream().map(PartitionFile::name))
                .toList());
    assertThat(ids()).hasSize(ROWS);
  }

  public void assertPreviousStays() throws IOException {
    Table table = Table.at(directory);
    assertThat(table.requireCurrentVersion()).isEqualTo(previous);
    assertThat(table.versions()).containsExactly(previous);
    assertThat(FaultySink.running.publications).hasValue(0);
    assertThat(ids()).hasSize(PREVIOUS_ROWS);
  }

  /** Complete versions, and nothing else. */
  public void assertNothingIsLeftOfOthers() throws IOException {
    Table table = Table.at(directory);
    assertThat(table.storage().list("snapshots")).isEqualTo(table.versions());
  }

  private List<String> files(String version) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("snapshots").resolve(version))) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  public Set<Long> ids() throws IOException {
    Set<Long> ids = new HashSet<>();
    try (SnapshotReader reader = SnapshotReader.open(directory);
        RecordCursor cursor = reader.scan()) {
      while (cursor.next()) {
        assertThat(ids.add(ByteBuffer.wrap(cursor.key()).getLong())).isTrue();
        assertThat(cursor.value()).startsWith(cursor.key());
      }
    }
    return ids;
  }
}
