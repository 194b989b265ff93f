package io.bsdb.flink.sink.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.flink.Publications;
import io.bsdb.flink.sink.build.FaultyBuild;
import io.bsdb.flink.sink.change.Change;
import io.bsdb.flink.sink.stream.FaultyStream.Fault;
import io.bsdb.flink.sink.stream.FaultyStream.Phase;
import io.bsdb.flink.storage.FileSystemStorage;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A stream that is written into a table: its n-th change is of the key n mod 100, and each seventh
 * deletes it.
 */
final class StreamRun {
  /** More than there are changes between two checkpoints, unless they are made at a rate. */
  private static final long KEYS = 100;

  /** Where a reader finds the table, or copies of its files. */
  private final Path directory;

  private final Table table;
  private final String path;
  private final Configuration configuration = new Configuration();
  private String stream = "s";
  private int perCheckpoint = 40;
  private int perSecond;
  private boolean idle;
  private int parallelism = 2;
  private Phase phase = Phase.WRITING;
  private Fault fault = Fault.NONE;

  /** Prepares a run into the table of a local directory. */
  StreamRun(Path directory) {
    this(directory, Table.at(directory), directory.toString());
  }

  /**
   * @param path of the same directory, on another file system
   */
  StreamRun(Path directory, String path) {
    this(directory, Table.at(directory), path);
  }

  /**
   * Prepares a run into a table in object storage.
   *
   * @param copies where readers keep copies of its files
   */
  static StreamRun remote(String path, Path copies) {
    return new StreamRun(copies, Table.of(new FileSystemStorage(path)), path);
  }

  private StreamRun(Path directory, Table table, String path) {
    this.directory = directory;
    this.table = table;
    this.path = path;
    configuration
        .set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(20))
        .set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay")
        .set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 10)
        .set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ZERO);
  }

  StreamRun with(Phase faultyPhase, Fault itsFault) {
    phase = faultyPhase;
    fault = itsFault;
    return this;
  }

  StreamRun named(String name) {
    stream = name;
    return this;
  }

  /** Makes all changes at once. */
  StreamRun fast() {
    perCheckpoint = Integer.MAX_VALUE;
    return this;
  }

  /** Makes changes at a rate, rather than a few whenever a checkpoint is complete. */
  StreamRun perSecond(int changes) {
    perSecond = changes;
    return this;
  }

  /** Makes no change, ever. */
  StreamRun idle() {
    idle = true;
    return this;
  }

  StreamRun with(Configuration settings) {
    configuration.addAll(settings);
    return this;
  }

  StreamRun parallelism(int tasks) {
    parallelism = tasks;
    return this;
  }

  StreamRun from(String savepoint) {
    configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
    return this;
  }

  /** Starts a job that makes so many changes. */
  JobClient start(long changes) throws Exception {
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    DeltaSink sink =
        DeltaSink.ofStream(FaultyBuild.table(path), FaultyBuild.settings(), stream, false);
    env.fromSource(
            new DataGeneratorSource<>(n -> n, changes, rate(), Types.LONG),
            WatermarkStrategy.noWatermarks(),
            "changes")
        .uid("changes")
        .setParallelism(1)
        .map(StreamRun::change)
        .returns(Change.TYPE)
        .uid("encode")
        .setParallelism(1)
        .sinkTo(FaultyStream.of(sink, phase, fault))
        .uid("sink")
        .setParallelism(parallelism);
    return env.executeAsync();
  }

  private RateLimiterStrategy<?> rate() {
    if (idle) {
      return tasks -> requests -> new CompletableFuture<>();
    }
    return perSecond > 0
        ? RateLimiterStrategy.perSecond(perSecond)
        : RateLimiterStrategy.perCheckpoint(perCheckpoint);
  }

  void run(long changes) throws Exception {
    start(changes).getJobExecutionResult().get();
  }

  private static boolean isDelete(long n) {
    return n >= KEYS && n % 7 == 3;
  }

  private static Change change(long n) {
    byte[] key = ByteBuffer.allocate(Long.BYTES).putLong(n % KEYS).array();
    return isDelete(n)
        ? Change.delete(key)
        : Change.put(key, ByteBuffer.allocate(Long.BYTES + 1).putLong(n).array());
  }

  private static Map<Long, Long> model(long changes) {
    Map<Long, Long> rows = new TreeMap<>();
    for (long n = 0; n < changes; n++) {
      if (isDelete(n)) {
        rows.remove(n % KEYS);
      } else {
        rows.put(n % KEYS, n);
      }
    }
    return rows;
  }

  Table table() {
    return table;
  }

  Manifest current() throws IOException {
    return table().manifest(table().requireCurrentVersion());
  }

  /** How many changes were published. */
  long published() throws IOException {
    return table().currentVersion() == null ? 0 : current().changes().count();
  }

  /** Waits until so many were. */
  void await(JobClient job, long changes) throws Exception {
    Publications.await(directory, job, () -> published() >= changes);
  }

  static String savepoint(JobClient job, Path directory) throws Exception {
    return job.triggerSavepoint(directory.toString(), SavepointFormatType.CANONICAL).get();
  }

  static String stop(JobClient job, Path directory) throws Exception {
    String savepoint =
        job.stopWithSavepoint(false, directory.toString(), SavepointFormatType.CANONICAL).get();
    job.getJobExecutionResult().get();
    return savepoint;
  }

  /** The table has what so many changes leave, whether or not some were published again. */
  void assertHas(long changes) throws IOException {
    Map<Long, Long> rows = new TreeMap<>();
    try (TableReader current = TableReader.builder(table).localDirectory(directory).open();
        TableReader.Lease lease = current.lease();
        RecordCursor cursor = lease.reader().scan()) {
      while (cursor.next()) {
        rows.put(
            ByteBuffer.wrap(cursor.key()).getLong(), ByteBuffer.wrap(cursor.value()).getLong());
      }
    }
    assertThat(rows).isEqualTo(model(changes));
  }

  /** Each change was published once. */
  void assertHasOnce(long changes) throws IOException {
    assertHas(changes);
    assertThat(published()).isEqualTo(changes);
  }
}
