package io.bsdb.flink.sink.build;

import io.bsdb.flink.sink.change.Change;
import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.SupportsConcurrentExecutionAttempts;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreCommitTopology;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreWriteTopology;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * The sink with one fault. The cluster is in the test's process, so tests see and steer it through
 * {@link #running}.
 */
public final class FaultySink<
        R,
        C,
        S extends
            Sink<Change> & SupportsPreWriteTopology<Change> & SupportsPreCommitTopology<R, C>
                & SupportsCommitter<C>>
    implements Sink<Change>,
        SupportsPreWriteTopology<Change>,
        SupportsPreCommitTopology<R, C>,
        SupportsCommitter<C>,
        SupportsConcurrentExecutionAttempts {
  private static final long serialVersionUID = 1L;

  public enum Fault {
    NONE,
    WRITER_FAILS_ONCE_WHILE_WRITING,
    WRITER_FAILS_ONCE_AFTER_BUILDING,
    WRITER_ALWAYS_FAILS,
    /** The first writer says that it was given other ranges of keys. */
    WRITER_HAS_OTHER_RANGES,
    COMMIT_FAILS_ONCE_BEFORE_PUBLISHING,
    COMMIT_FAILS_TWICE_AFTER_PUBLISHING,
    COMMIT_ALWAYS_FAILS_BEFORE_PUBLISHING,
    /** The first attempt of the first writer stops until {@link State#released}. */
    WRITER_HANGS_ONCE
  }

  /** What happened so far. */
  public static final class State {
    public final AtomicInteger faults = new AtomicInteger();
    final AtomicInteger writers = new AtomicInteger();
    final AtomicInteger commits = new AtomicInteger();
    final AtomicInteger publications = new AtomicInteger();
    public final CountDownLatch hanging = new CountDownLatch(1);
    public final CountDownLatch released = new CountDownLatch(1);
  }

  public static volatile State running = new State();

  private final S sink;
  private final String table;
  private final Fault fault;

  private FaultySink(S sink, Path table, Fault fault) {
    this.sink = sink;
    this.table = table.toString();
    this.fault = fault;
  }

  /** Wraps a sink, and forgets what happened before. */
  static <
          R,
          C,
          S extends
              Sink<Change> & SupportsPreWriteTopology<Change> & SupportsPreCommitTopology<R, C>
                  & SupportsCommitter<C>>
      Sink<Change> of(S sink, Path table, Fault fault) {
    running = new State();
    return new FaultySink<>(sink, table, fault);
  }

  @Override
  public DataStream<Change> addPreWriteTopology(DataStream<Change> records) {
    return sink.addPreWriteTopology(records);
  }

  @Override
  public DataStream<CommittableMessage<C>> addPreCommitTopology(
      DataStream<CommittableMessage<R>> built) {
    return sink.addPreCommitTopology(built);
  }

  @Override
  public SimpleVersionedSerializer<R> getWriteResultSerializer() {
    return sink.getWriteResultSerializer();
  }

  @Override
  public SimpleVersionedSerializer<C> getCommittableSerializer() {
    return sink.getCommittableSerializer();
  }

  @Override
  @SuppressWarnings("unchecked") // the writer of a sink with committables
  public CommittingSinkWriter<Change, R> createWriter(WriterInitContext context)
      throws IOException {
    running.writers.incrementAndGet();
    return new FaultyWriter(
        (CommittingSinkWriter<Change, R>) sink.createWriter(context),
        context.getTaskInfo().getIndexOfThisSubtask(),
        context.getTaskInfo().getAttemptNumber());
  }

  @Override
  public Committer<C> createCommitter(CommitterInitContext context) throws IOException {
    return new FaultyCommitter(sink.createCommitter(context));
  }

  private void failFirst(int times, String what) throws IOException {
    if (running.faults.getAndIncrement() < times) {
      throw new IOException("injected: " + what);
    }
  }

  private final class FaultyWriter implements CommittingSinkWriter<Change, R> {
    private final CommittingSinkWriter<Change, R> writer;
    private final int subtask;
    private final int attempt;
    private int written;

    FaultyWriter(CommittingSinkWriter<Change, R> writer, int subtask, int attempt) {
      this.writer = writer;
      this.subtask = subtask;
      this.attempt = attempt;
    }

    @Override
    public void write(Change entry, Context context) throws IOException, InterruptedException {
      if (subtask == 0 && ++written == 100) {
        switch (fault) {
          case WRITER_FAILS_ONCE_WHILE_WRITING -> failFirst(1, "writing");
          case WRITER_ALWAYS_FAILS -> failFirst(Integer.MAX_VALUE, "writing");
          case WRITER_HANGS_ONCE -> {
            if (attempt == 0) {
              // Once this is heard of, another build may begin, with a state of its own.
              State ours = running;
              ours.hanging.countDown();
              ours.released.await();
            }
          }
          default -> {}
        }
      }
      writer.write(entry, context);
    }

    @Override
    public void flush(boolean endOfInput) throws IOException, InterruptedException {
      writer.flush(endOfInput);
    }

    @Override
    @SuppressWarnings("unchecked") // files in place of files
    public Collection<R> prepareCommit() throws IOException, InterruptedException {
      Collection<R> built = writer.prepareCommit();
      if (subtask == 0 && fault == Fault.WRITER_FAILS_ONCE_AFTER_BUILDING) {
        failFirst(1, "after building");
      }
      if (subtask == 0 && fault == Fault.WRITER_HAS_OTHER_RANGES) {
        return built.stream()
            .map(BuiltFile.class::cast)
            .map(file -> (R) new BuiltFile(file.file(), file.splitters() + 1))
            .toList();
      }
      return built;
    }

    @Override
    public void close() throws Exception {
      writer.close();
    }
  }

  private final class FaultyCommitter implements Committer<C> {
    private final Committer<C> committer;

    FaultyCommitter(Committer<C> committer) {
      this.committer = committer;
    }

    @Override
    public void commit(Collection<CommitRequest<C>> requests)
        throws IOException, InterruptedException {
      running.commits.incrementAndGet();
      if (fault == Fault.COMMIT_FAILS_ONCE_BEFORE_PUBLISHING) {
        failFirst(1, "before publishing");
      }
      if (fault == Fault.COMMIT_ALWAYS_FAILS_BEFORE_PUBLISHING) {
        failFirst(Integer.MAX_VALUE, "before publishing");
      }
      String before = Table.at(Path.of(table)).currentVersion();
      committer.commit(requests);
      if (!Objects.equals(before, Table.at(Path.of(table)).currentVersion())) {
        running.publications.incrementAndGet();
      }
      if (fault == Fault.COMMIT_FAILS_TWICE_AFTER_PUBLISHING) {
        failFirst(2, "after publishing");
      }
    }

    @Override
    public void close() throws Exception {
      committer.close();
    }
  }
}
