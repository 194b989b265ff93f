package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.lookup.OpenReaders;
import io.bsdb.flink.storage.NoRenameFileSystem;
import io.bsdb.table.Table;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A stream that never pauses while a table on another file system changes. */
@Timeout(180)
@ExtendWith(OpenReaders.class)
class RemoteFollowTest {
  private static final InMemoryReporter METRICS = InMemoryReporter.create();

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(Sql.cluster(METRICS.addToConfiguration(new Configuration())));

  private static final BlockingQueue<Row> OUTPUT = new ArrayBlockingQueue<>(64);

  @TempDir Path directory;

  /** By the name that is in all rows of a version: what these rows said is their version. */
  private final Map<String, TreeSet<String>> seen = new TreeMap<>();

  @BeforeEach
  void reset() {
    OUTPUT.clear();
    NoRenameFileSystem.partitionsRead();
  }

  private String ddl() {
    return """
        CREATE TABLE t (
          id BIGINT,
          name STRING,
          filling STRING,
          version STRING METADATA FROM 'snapshot-version' VIRTUAL,
          PRIMARY KEY (id) NOT ENFORCED
        ) WITH (
          'connector' = 'bsdb',
          'path' = '%s',
          'sink.partitions' = '2',
          'sink.retain-versions' = '20',
          'lookup.refresh-interval' = '5 ms',
          'lookup.local-dir' = '%s',
          'lookup.max-local-size' = '200 kb')"""
        .formatted(
            NoRenameFileSystem.path(directory.resolve("remote")), directory.resolve("local"));
  }

  private Table remote() {
    return Table.at(directory.resolve("remote"));
  }

  private String publish(String name, int rows) throws Exception {
    Sql.batch(1)
        .numbers("n", rows)
        .run(ddl())
        .run("INSERT OVERWRITE t SELECT f0, '%s', REPEAT('x', 1000) FROM n".formatted(name));
    return remote().requireCurrentVersion();
  }

  private static Integer emit(Row row) throws InterruptedException {
    OUTPUT.put(row);
    return 0;
  }

  private JobClient stream() throws Exception {
    Sql session = Sql.streaming(2).numbers("s", Long.MAX_VALUE).run(ddl());
    session.env.configure(new Configuration().set(RestartStrategyOptions.RESTART_STRATEGY, "none"));
    session
        .tables
        .toDataStream(
            session.tables.sqlQuery(
                "SELECT d.name, d.version FROM s JOIN t FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = MOD(s.f0, 10)"))
        .map(RemoteFollowTest::emit)
        .sinkTo(new DiscardingSink<>());
    return session.env.executeAsync();
  }

  private String nextName() throws InterruptedException {
    Row row = OUTPUT.take();
    String name = row.getFieldAs(0);
    seen.computeIfAbsent(name, first -> new TreeSet<>()).add(row.getFieldAs(1));
    return name;
  }

  /** Publishes while rows flow, and then on until they come from what was published. */
  private String publishUnderLoad(String name) throws Exception {
    FutureTask<String> publication = new FutureTask<>(() -> publish(name, 10));
    new Thread(publication, "publisher").start();
    String found = nextName();
    while (!publication.isDone() || !found.equals(name)) {
      found = nextName();
    }
    return publication.get();
  }

  private static void stop(JobClient job) throws Exception {
    assertThat(job.getJobStatus().get()).isEqualTo(JobStatus.RUNNING);
    job.cancel().get();
    assertThatThrownBy(() -> job.getJobExecutionResult().get())
        .hasStackTraceContaining("Job was cancelled");
  }

  private static long metric(JobClient job, String name) {
    return METRICS.getMetricsByIdentifiers(job.getJobID()).entrySet().stream()
        .filter(metric -> metric.getKey().endsWith(".bsdb." + name))
        .mapToLong(metric -> (Long) ((Gauge<?>) metric.getValue()).getValue())
        .max()
        .orElse(-1);
  }

  /** Waits for the count of loads, which is written after the version has been put in use. */
  private static void awaitLoads(JobClient job, long count) throws Exception {
    while (metric(job, "loadCount") < count) {
      OUTPUT.take();
    }
    assertThat(metric(job, "loadCount")).isEqualTo(count);
  }

  /** The versions of which files are copied. */
  private List<String> copies() throws Exception {
    List<String> versions = new ArrayList<>();
    try (Stream<Path> files = Files.walk(directory.resolve("local"))) {
      Set<String> names =
          files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
      for (String version : remote().versions()) {
        if (remote().manifest(version).partitions().stream()
            .anyMatch(file -> names.contains(file.fileId() + ".bsdb"))) {
          versions.add(version);
        }
      }
    }
    return versions;
  }

  @Test
  void changesOverTimeAndAgainWhileTheStreamRuns() throws Exception {
    List<String> published = new ArrayList<>(List.of(publish("0", 10)));
    JobClient job = stream();
    nextName();

    for (int i = 1; i <= 4; i++) {
      published.add(publishUnderLoad(Integer.toString(i)));
      assertThat(copies()).as("version in use and its successor").hasSizeLessThanOrEqualTo(2);
    }

    for (int i = 0; i <= 4; i++) {
      assertThat(seen.get(Integer.toString(i))).containsExactly(published.get(i));
    }
    assertThat(seen).hasSize(5);
    assertThat(copies()).contains(published.get(4)).doesNotContain(published.get(2));
    awaitLoads(job, 5);
    assertThat(OpenReaders.count()).isEqualTo(1);
    stop(job);
  }

  @Test
  void keepsItsVersionWhenTheNextOneIsTooLargeForTheDisk() throws Exception {
    String small = publish("small", 10);
    JobClient job = stream();
    nextName();
    assertThat(NoRenameFileSystem.partitionsRead()).hasSize(2);

    FutureTask<String> publication = new FutureTask<>(() -> publish("large", 400));
    new Thread(publication, "publisher").start();
    while (!publication.isDone()) {
      assertThat(nextName()).isEqualTo("small");
    }
    publication.get();
    // Until then a refresh may have met a half written CURRENT; the one after the next did not.
    long failures = metric(job, "numLoadFailures");
    while (metric(job, "numLoadFailures") < failures + 2) {
      assertThat(nextName()).isEqualTo("small");
    }

    assertThat(NoRenameFileSystem.partitionsRead()).as("copied nothing of it").isEmpty();
    assertThat(copies()).containsExactly(small);
    assertThat(metric(job, "loadCount")).isEqualTo(1);

    publishUnderLoad("small again");
    awaitLoads(job, 2);
    assertThat(seen).containsOnlyKeys("small", "small again");
    stop(job);
  }
}
