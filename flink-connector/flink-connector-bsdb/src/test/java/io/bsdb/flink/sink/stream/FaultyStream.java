package io.bsdb.flink.sink.stream;

import io.bsdb.flink.sink.change.Change;
import io.bsdb.table.manifest.SegmentFile;
import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.functions.MapFunction;
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
 * The sink of a stream with a fault in one of its phases, which happens twice: the second time soon
 * after the job was restored. The cluster is in the test's process, so tests see and steer it
 * through {@link #running}.
 */
final class FaultyStream
    implements Sink<Change>,
        SupportsPreWriteTopology<Change>,
        SupportsPreCommitTopology<SegmentFile, Delta>,
        SupportsCommitter<Delta> {
  private static final long serialVersionUID = 1L;

  static final int FAULTS = 2;

  /** Where a sink is when the fault happens; how often the first writer has been there before. */
  enum Phase {
    /** In the middle of a segment. */
    WRITING(100),
    /** The segment of a checkpoint is complete, and nobody knows of it. */
    SEALED(4),
    /** The collector gets a segment, or the word that there is none. */
    COLLECTING(8),
    /** The delta is on its way to the committer, whose checkpoint does not have it yet. */
    COLLECTED(8),
    /** The checkpoint is complete. */
    COMMITTING(4),
    /** The delta is in service, and Flink does not know that. */
    PUBLISHED(4);

    private final int visits;

    Phase(int visits) {
      this.visits = visits;
    }
  }

  /** What happens in the phase. */
  enum Fault {
    NONE,
    EXCEPTION,
    /** The task goes no further, closes nothing, and waits for its TaskManager to be lost. */
    HALT
  }

  /** What happened so far. */
  static final class State {
    private final Phase phase;
    private final Fault fault;
    private final AtomicInteger visits = new AtomicInteger();
    final Semaphore halted = new Semaphore(0);

    State(Phase phase, Fault fault) {
      this.phase = phase;
      this.fault = fault;
    }

    int faults() {
      return Math.max(0, Math.min(FAULTS, visits.get() - phase.visits));
    }
  }

  static volatile State running = new State(Phase.WRITING, Fault.NONE);

  private final DeltaSink sink;

  private FaultyStream(DeltaSink sink) {
    this.sink = sink;
  }

  /** Wraps a sink, and forgets what happened before. */
  static FaultyStream of(DeltaSink sink, Phase phase, Fault fault) {
    running = new State(phase, fault);
    return new FaultyStream(sink);
  }

  private static void visit(Phase phase) throws IOException, InterruptedException {
    State state = running;
    if (state.fault == Fault.NONE || state.phase != phase) {
      return;
    }
    int before = state.visits.getAndIncrement();
    if (before < phase.visits || before >= phase.visits + FAULTS) {
      return;
    }
    if (state.fault == Fault.EXCEPTION) {
      throw new IOException("injected: " + phase);
    }
    state.halted.release();
    new CountDownLatch(1).await();
  }

  /** Visits a phase with each element, and hands it on. */
  private static final class Visit<T> implements MapFunction<T, T> {
    private static final long serialVersionUID = 1L;

    private final Phase phase;

    Visit(Phase phase) {
      this.phase = phase;
    }

    @Override
    public T map(T element) throws Exception {
      visit(phase);
      return element;
    }
  }

  @Override
  public DataStream<Change> addPreWriteTopology(DataStream<Change> records) {
    return sink.addPreWriteTopology(records);
  }

  @Override
  public DataStream<CommittableMessage<Delta>> addPreCommitTopology(
      DataStream<CommittableMessage<SegmentFile>> sealed) {
    DataStream<CommittableMessage<Delta>> collected =
        sink.addPreCommitTopology(
            sealed
                .global()
                .map(new Visit<>(Phase.COLLECTING))
                .returns(sealed.getType())
                .setParallelism(1)
                .name("collecting"));
    return collected
        .map(new Visit<>(Phase.COLLECTED))
        .returns(collected.getType())
        .setParallelism(1)
        .name("collected")
        .global();
  }

  @Override
  public SimpleVersionedSerializer<SegmentFile> getWriteResultSerializer() {
    return sink.getWriteResultSerializer();
  }

  @Override
  public SimpleVersionedSerializer<Delta> getCommittableSerializer() {
    return sink.getCommittableSerializer();
  }

  @Override
  public CommittingSinkWriter<Change, SegmentFile> createWriter(WriterInitContext context) {
    CommittingSinkWriter<Change, SegmentFile> writer = sink.createWriter(context);
    return context.getTaskInfo().getIndexOfThisSubtask() == 0 ? new FaultyWriter(writer) : writer;
  }

  @Override
  public Committer<Delta> createCommitter(CommitterInitContext context) throws IOException {
    return new FaultyCommitter(sink.createCommitter(context));
  }

  private record FaultyWriter(CommittingSinkWriter<Change, SegmentFile> writer)
      implements CommittingSinkWriter<Change, SegmentFile> {
    @Override
    public void write(Change change, Context context) throws IOException, InterruptedException {
      visit(Phase.WRITING);
      writer.write(change, context);
    }

    @Override
    public void flush(boolean endOfInput) throws IOException, InterruptedException {
      writer.flush(endOfInput);
    }

    @Override
    public Collection<SegmentFile> prepareCommit() throws IOException, InterruptedException {
      Collection<SegmentFile> sealed = writer.prepareCommit();
      visit(Phase.SEALED);
      return sealed;
    }

    /** A process that is lost deletes nothing. */
    @Override
    public void close() throws Exception {
      if (running.fault != Fault.HALT) {
        writer.close();
      }
    }
  }

  private record FaultyCommitter(Committer<Delta> committer) implements Committer<Delta> {
    @Override
    public void commit(Collection<CommitRequest<Delta>> requests)
        throws IOException, InterruptedException {
      visit(Phase.COMMITTING);
      committer.commit(requests);
      visit(Phase.PUBLISHED);
    }

    @Override
    public void close() throws Exception {
      committer.close();
    }
  }
}
