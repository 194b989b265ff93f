package io.bsdb.flink.sink.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.sink.stream.FaultyStream.Fault;
import io.bsdb.flink.sink.stream.FaultyStream.Phase;
import io.bsdb.flink.storage.NoRenameFileSystem;
import io.bsdb.flink.storage.S3Server;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.StreamProgress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams that are written into a table while jobs, machines, checkpoints and disks fail. */
@Timeout(120)
class StreamFaultsTest {
  private static final int TASK_MANAGERS = 2;

  /** More than a job makes, a few per checkpoint, until a test ends it. */
  private static final long MANY = 100_000;

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(TASK_MANAGERS)
              .setNumberSlotsPerTaskManager(4)
              .build());

  /** How many TaskManagers of the cluster are gone; those after them are not. */
  private static int lost;

  @TempDir Path directory;
  @TempDir Path states;
  private StreamRun run;

  @BeforeEach
  void create() {
    run = run();
  }

  @AfterEach
  void empties() {
    NoRenameFileSystem.full(name -> false);
  }

  private StreamRun run() {
    return new StreamRun(directory);
  }

  /** Runs a job whose tasks halt in a phase, and then lose their TaskManagers. */
  private void loseTaskManagers(Phase phase, long changes, MiniCluster cluster) throws Exception {
    JobClient job = run.with(phase, Fault.HALT).start(changes);
    for (int i = 0; i < FaultyStream.FAULTS; i++) {
      FaultyStream.running.halted.acquire();
      loseTaskManagers(cluster);
    }
    job.getJobExecutionResult().get();
  }

  private static void loseTaskManagers(MiniCluster cluster) throws Exception {
    for (int i = 0; i < TASK_MANAGERS; i++) {
      cluster.startTaskManager();
    }
    for (int i = 0; i < TASK_MANAGERS; i++) {
      cluster.terminateTaskManager(lost++).get();
    }
  }

  @ParameterizedTest
  @EnumSource(Phase.class)
  void appliesEachChangeOnceThoughTasksFail(Phase phase) throws Exception {
    run.with(phase, Fault.EXCEPTION).run(600);

    assertThat(FaultyStream.running.faults()).isEqualTo(FaultyStream.FAULTS);
    assertAppliedOnce(600);
  }

  @ParameterizedTest
  @EnumSource(Phase.class)
  void appliesEachChangeOnceThoughTaskManagersAreLost(
      Phase phase, @InjectMiniCluster MiniCluster cluster) throws Exception {
    loseTaskManagers(phase, 600, cluster);

    assertAppliedOnce(600);
  }

  /** Nothing is renamed there, and only one object at a time is replaced. */
  @ParameterizedTest
  @EnumSource(names = {"SEALED", "COLLECTED", "PUBLISHED"})
  void appliesEachChangeOnceInObjectStorageThoughTaskManagersAreLost(
      Phase phase, @InjectMiniCluster MiniCluster cluster) throws Exception {
    try (S3Server server = S3Server.through("native")) {
      run = StreamRun.remote("s3://" + S3Server.BUCKET + "/t", directory);
      loseTaskManagers(phase, 600, cluster);

      run.assertHasOnce(600);
      assertThat(progress().superseded()).hasSizeBetween(1, FaultyStream.FAULTS);
      assertThat(server.keys()).contains("t/CURRENT");
    }
  }

  /** Another incarnation went on after each fault, and what was left behind can be deleted. */
  private void assertAppliedOnce(long changes) throws IOException {
    run.assertHasOnce(changes);
    assertThat(progress().superseded()).hasSizeBetween(1, FaultyStream.FAULTS);
    Table table = run.table();
    Instant longAgo = Instant.now().minus(Duration.ofDays(8));
    for (String name : table.storage().list("data")) {
      Files.setLastModifiedTime(directory.resolve("data").resolve(name), FileTime.from(longAgo));
    }
    table.sweep(Duration.ZERO);
    Set<String> named = new TreeSet<>();
    for (String version : table.versions()) {
      named.addAll(table.manifest(version).files());
    }
    assertThat(table.storage().list("data"))
        .allSatisfy(name -> assertThat(named).contains("data/" + name));
    run.assertHasOnce(changes);
  }

  private StreamProgress progress() throws IOException {
    return Objects.requireNonNull(run.current().changes().streams().get("s"));
  }

  /** The deltas of checkpoints that came to nothing are published with the next one. */
  @Test
  void appliesEachChangeOnceThoughCheckpointsFail() throws Exception {
    AtomicInteger failed = new AtomicInteger();
    NoRenameFileSystem.full(
        name -> name.contains("_metadata") && failed.getAndIncrement() % 3 != 2);

    run.perSecond(2000)
        .with(
            new Configuration()
                .set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem")
                .set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, NoRenameFileSystem.path(states))
                .set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, Integer.MAX_VALUE))
        .run(600);

    // The last changes need a checkpoint that succeeds, which is the third one at the earliest.
    assertThat(failed).hasValueGreaterThanOrEqualTo(3);
    run.assertHas(600);
    assertThat(progress().superseded()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void appliesEachChangeOnceThoughCheckpointsOverlap(boolean unaligned) throws Exception {
    Configuration checkpoints =
        new Configuration()
            .set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(10))
            .set(CheckpointingOptions.ENABLE_UNALIGNED, unaligned)
            .set(CheckpointingOptions.FORCE_UNALIGNED, unaligned);
    if (!unaligned) {
      checkpoints.set(CheckpointingOptions.MAX_CONCURRENT_CHECKPOINTS, 4);
    }

    run.perSecond(1000).with(checkpoints).with(Phase.COLLECTED, Fault.EXCEPTION).run(1500);

    assertThat(FaultyStream.running.faults()).isEqualTo(FaultyStream.FAULTS);
    run.assertHas(1500);
  }

  /** The job went on after the savepoint, so that what it published since is published again. */
  @Test
  void goesOnFromAnOldSavepoint() throws Exception {
    JobClient first = run.start(MANY);
    run.await(first, 100);
    String old = StreamRun.savepoint(first, states);
    run.await(first, run.published() + 200);
    String newer = StreamRun.stop(first, states);
    run.assertHasOnce(run.published());

    run().fast().from(old).parallelism(3).run(MANY);

    run.assertHas(MANY);
    run().fast().from(newer).run(MANY);
    run.assertHas(MANY);
    assertThat(progress().superseded()).hasSize(2);
  }

  /** Nothing had been published when the savepoint was made. */
  @Test
  void goesOnFromASavepointBeforeTheFirstChange(@InjectMiniCluster MiniCluster cluster)
      throws Exception {
    JobClient first = run.idle().start(MANY);
    CommonTestUtils.waitForAllTaskRunning(cluster, first.getJobID(), false);
    String empty = StreamRun.stop(first, states);
    assertThat(run.published()).isZero();

    JobClient second = run().from(empty).start(MANY);
    run.await(second, 100);
    StreamRun.stop(second, states);

    run().fast().from(empty).run(MANY);
    run.assertHas(MANY);
  }

  @Test
  void refusesToGoOnAfterARollbackUntilItIsUndone() throws Exception {
    JobClient job = run.start(MANY);
    run.await(job, 100);
    String savepoint = StreamRun.savepoint(job, states);
    run.await(job, run.published() + 100);
    Table table = run.table();
    String old = table.versions().get(1);
    table.rollback(old);

    assertThatThrownBy(() -> job.getJobExecutionResult().get())
        .hasStackTraceContaining("what comes between is missing: the stream was written up to")
        .hasStackTraceContaining("perhaps the table was rolled back");
    assertThat(table.currentVersion()).isEqualTo(old);
    assertThatThrownBy(() -> run().fast().from(savepoint).run(MANY))
        .hasStackTraceContaining("what comes between is missing");
    assertThat(table.currentVersion()).isEqualTo(old);

    List<String> versions = table.versions();
    table.rollback(versions.get(versions.size() - 1));
    run().fast().from(savepoint).run(MANY);
    run.assertHas(MANY);
  }

  @Test
  void onlyOneOfTwoJobsWritesAStream() throws Exception {
    JobClient first = run.start(MANY);
    run.await(first, 100);
    String writing = progress().last().incarnation().toString();

    assertThatThrownBy(() -> run().run(MANY))
        .hasStackTraceContaining("another job wrote the stream, up to " + writing);

    StreamRun.stop(first, states);
    run.assertHasOnce(run.published());
  }

  @Test
  void twoJobsWriteTwoStreams() throws Exception {
    JobClient first = run.start(500);
    run.await(first, 100);
    JobClient second = run().named("other").start(300);
    first.getJobExecutionResult().get();
    second.getJobExecutionResult().get();

    assertThat(run.published()).isEqualTo(800);
    assertThat(run.current().changes().streams()).containsOnlyKeys("s", "other");
  }

  @ParameterizedTest
  @ValueSource(strings = {".seg", "manifest.json", "CURRENT"})
  void goesOnWhenADiskIsNoLongerFull(String suffix) throws Exception {
    AtomicInteger written = new AtomicInteger();
    NoRenameFileSystem.full(
        name -> {
          int number = name.endsWith(suffix) ? written.incrementAndGet() : 0;
          return number > 8 && number <= 11;
        });

    new StreamRun(directory, NoRenameFileSystem.path(directory)).run(600);

    assertThat(written).hasValueGreaterThan(11);
    run.assertHasOnce(600);
  }
}
