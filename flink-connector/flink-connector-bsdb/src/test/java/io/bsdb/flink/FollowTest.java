package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.lookup.OpenReaders;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.Schema;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A stream that runs while the table changes. */
@Timeout(120)
@ExtendWith({SharedCluster.class, OpenReaders.class})
class FollowTest {
  private static final long FAIL = -2;
  private static final BlockingQueue<Long> INPUT = new LinkedBlockingQueue<>();
  private static final BlockingQueue<String> OUTPUT = new LinkedBlockingQueue<>();
  private static final AtomicBoolean FAILED = new AtomicBoolean();

  @TempDir Path directory;

  @BeforeEach
  void reset() {
    INPUT.clear();
    OUTPUT.clear();
    FAILED.set(false);
  }

  /** Emits what the test puts into the queue. */
  private static final class Queue implements MapFunction<Long, Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public Long map(Long unused) throws Exception {
      long next = INPUT.take();
      if (next == FAIL && FAILED.compareAndSet(false, true)) {
        throw new IllegalStateException("injected");
      }
      return next;
    }
  }

  private String ddl() {
    return """
        CREATE TABLE t (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED)
        WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.partitions' = '2', 'lookup.refresh-interval' = '5 ms')"""
        .formatted(directory);
  }

  private void publish(String name) throws Exception {
    Sql.batch(1)
        .numbers("n", 10)
        .run(ddl())
        .run("INSERT OVERWRITE t SELECT f0, '%s' FROM n".formatted(name));
  }

  private JobClient stream() throws Exception {
    Sql session = Sql.streaming(2).run(ddl()).restarting(1);
    session.tables.createTemporaryView(
        "s",
        session.tables.fromDataStream(
            session
                .env
                .fromSequence(0, Long.MAX_VALUE - 1)
                .setParallelism(1)
                .map(new Queue())
                .setParallelism(1),
            Schema.newBuilder().columnByExpression("pt", "PROCTIME()").build()));
    session
        .tables
        .toDataStream(
            session.tables.sqlQuery(
                "SELECT d.name FROM s JOIN t FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0"))
        .map(row -> OUTPUT.add(row.getFieldAs(0)))
        .sinkTo(new DiscardingSink<>());
    return session.env.executeAsync();
  }

  private static void stop(JobClient job) throws Exception {
    job.cancel().get();
    assertThatThrownBy(() -> job.getJobExecutionResult().get())
        .hasStackTraceContaining("Job was cancelled");
  }

  private static String next(long id) throws InterruptedException {
    INPUT.add(id);
    return OUTPUT.take();
  }

  @Test
  void changesOverWhileTheStreamRuns() throws Exception {
    publish("one");
    JobClient job = stream();
    assertThat(next(1)).isEqualTo("one");

    publish("two");

    String name = next(1);
    while (name.equals("one")) {
      name = next(2);
    }
    assertThat(name).isEqualTo("two");
    assertThat(OpenReaders.count()).isEqualTo(1);
    stop(job);
  }

  @Test
  void closesAndOpensTheTableWhenTheJobFails() throws Exception {
    publish("one");
    JobClient job = stream();
    assertThat(next(1)).isEqualTo("one");

    INPUT.add(FAIL);

    assertThat(next(3)).isEqualTo("one");
    assertThat(FAILED).isTrue();
    assertThat(OpenReaders.count()).isEqualTo(1);
    stop(job);
  }
}
