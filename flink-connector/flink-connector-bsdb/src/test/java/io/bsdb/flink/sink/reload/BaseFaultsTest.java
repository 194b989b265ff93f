package io.bsdb.flink.sink.reload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.sink.build.FaultyBuild;
import io.bsdb.flink.sink.build.FaultySink.Fault;
import io.bsdb.flink.storage.NoRenameFileSystem;
import io.bsdb.reload.Publish;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Faults of the tasks that build all partitions, where too much of a sample differs. */
@Timeout(120)
class BaseFaultsTest {
  @RegisterExtension
  static final MiniClusterExtension CLUSTER = new MiniClusterExtension(FaultyBuild.cluster());

  @TempDir private Path directory;

  /** Partition files that were created. */
  private final AtomicInteger created = new AtomicInteger();

  /** The versions that the table had at each fault. */
  private final List<List<String>> versionsAtFaults = new CopyOnWriteArrayList<>();

  @AfterEach
  void repair() {
    NoRenameFileSystem.writing(name -> {});
    NoRenameFileSystem.full(name -> false);
  }

  private FaultyBuild build(RecordOrder order) throws Exception {
    return new FaultyBuild(directory, NoRenameFileSystem.path(directory), order, Publish.AUTO);
  }

  private List<String> versions() throws IOException {
    return Table.at(directory).versions();
  }

  /** Returns whether a partition file is the one, of those created, at which a fault is due. */
  private boolean isDue(String name, int number) throws IOException {
    boolean due = name.endsWith(".bsdb") && created.incrementAndGet() == number;
    if (due) {
      versionsAtFaults.add(versions());
    }
    return due;
  }

  private void assertPublishedOnce(FaultyBuild build, List<String> before) throws Exception {
    assertThat(versionsAtFaults).containsExactly(before);
    assertThat(created).hasValueGreaterThan(FaultyBuild.PARTITIONS);
    build.assertPublishedOnce();
  }

  @ParameterizedTest
  @CsvSource({"HASH, 1", "HASH, 3", "HASH, 5", "KEY, 1", "KEY, 5"})
  void publishesOnceIfAFileCannotBeCreated(RecordOrder order, int number) throws Exception {
    FaultyBuild build = build(order);
    List<String> before = versions();
    NoRenameFileSystem.writing(
        name -> {
          if (isDue(name, number)) {
            throw new IOException("injected: creating " + name);
          }
        });

    build.run(Fault.NONE, FaultyBuild.ROWS);

    assertPublishedOnce(build, before);
  }

  @Test
  void publishesOnceIfTheSpaceRanOutAmidAFile() throws Exception {
    FaultyBuild build = build(RecordOrder.HASH);
    List<String> before = versions();
    NoRenameFileSystem.full(name -> uncheckedIsDue(name, 2));

    build.run(Fault.NONE, FaultyBuild.ROWS);

    assertPublishedOnce(build, before);
  }

  private boolean uncheckedIsDue(String name, int number) {
    try {
      return isDue(name, number);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void publishesOnceIfTaskManagersAreLost(@InjectMiniCluster MiniCluster cluster) throws Exception {
    FaultyBuild build = build(RecordOrder.HASH);
    List<String> before = versions();
    CountDownLatch building = new CountDownLatch(1);
    NoRenameFileSystem.writing(
        name -> {
          if (isDue(name, FaultyBuild.PARTITIONS)) {
            building.countDown();
            hangUntilKilled();
          }
        });

    JobClient job = build.start(Fault.NONE, FaultyBuild.ROWS);
    building.await();
    cluster.startTaskManager();
    cluster.terminateTaskManager(0).get();
    cluster.terminateTaskManager(1).get();
    cluster.startTaskManager();
    job.getJobExecutionResult().get();

    assertPublishedOnce(build, before);
  }

  private static void hangUntilKilled() throws IOException {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("injected: the task was killed");
    }
  }

  @Test
  void leavesTheTableAsItWasIfItAlwaysFails() throws Exception {
    FaultyBuild build = build(RecordOrder.HASH);
    NoRenameFileSystem.writing(
        name -> {
          if (name.endsWith(".bsdb")) {
            throw new IOException("injected: creating " + name);
          }
        });

    assertThatThrownBy(() -> build.run(Fault.NONE, FaultyBuild.ROWS))
        .hasStackTraceContaining("injected: creating part");

    build.assertPreviousStays();
  }
}
