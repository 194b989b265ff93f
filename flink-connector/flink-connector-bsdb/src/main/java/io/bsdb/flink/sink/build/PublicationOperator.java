package io.bsdb.flink.sink.build;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableSummary;
import org.apache.flink.streaming.api.connector.sink2.CommittableWithLineage;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.function.SerializableFunction;

/**
 * Collects what all writers have written, and hands it on as one publication when the last writer
 * has ended.
 *
 * @param <R> what a writer gives
 * @param <P> what is published
 */
public final class PublicationOperator<R, P> extends AbstractStreamOperator<CommittableMessage<P>>
    implements OneInputStreamOperator<CommittableMessage<R>, CommittableMessage<P>>,
        BoundedOneInput {
  private static final long serialVersionUID = 1L;

  private final SerializableFunction<List<R>, P> publication;
  private final ArrayList<R> results = new ArrayList<>();
  private transient int promised;
  private transient int writersEnded;
  private transient int writers;

  /**
   * The committer takes only ids of checkpoints that Flink gave out, so the writers' is handed on.
   */
  private transient long checkpointId;

  /**
   * @param publication of all that the writers give
   */
  public PublicationOperator(SerializableFunction<List<R>, P> publication) {
    this.publication = publication;
  }

  @Override
  public void processElement(StreamRecord<CommittableMessage<R>> element) {
    CommittableMessage<R> message = element.getValue();
    checkpointId = Math.max(checkpointId, message.getCheckpointId());
    if (message instanceof CommittableSummary<R> summary) {
      writersEnded++;
      writers = summary.getNumberOfSubtasks();
      promised += summary.getNumberOfCommittables();
    } else if (message instanceof CommittableWithLineage<R> result) {
      results.add(result.getCommittable());
    }
  }

  @Override
  public void endInput() throws IOException {
    if (writersEnded == 0 || writersEnded != writers || results.size() != promised) {
      throw new IOException(
          "writers are missing at the end of a build: writers=%d ended=%d results promised=%d received=%d"
              .formatted(writers, writersEnded, promised, results.size()));
    }
    output.collect(new StreamRecord<>(new CommittableSummary<>(0, 1, checkpointId, 1, 0)));
    output.collect(
        new StreamRecord<>(
            new CommittableWithLineage<>(publication.apply(results), checkpointId, 0)));
  }
}
