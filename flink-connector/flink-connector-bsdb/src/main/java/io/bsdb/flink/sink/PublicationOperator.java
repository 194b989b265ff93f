package io.bsdb.flink.sink;

import java.io.IOException;
import java.util.ArrayList;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableSummary;
import org.apache.flink.streaming.api.connector.sink2.CommittableWithLineage;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Collects the files that all writers built, and hands them on as one publication when the last
 * writer has ended.
 */
final class PublicationOperator extends AbstractStreamOperator<CommittableMessage<Publication>>
    implements OneInputStreamOperator<
            CommittableMessage<BuiltFile>, CommittableMessage<Publication>>,
        BoundedOneInput {
  private static final long serialVersionUID = 1L;

  private final ArrayList<BuiltFile> files = new ArrayList<>();
  private transient int promised;
  private transient int writersHeard;
  private transient int writers;

  /**
   * The committer takes only ids of checkpoints that Flink gave out, so the writers' is handed on.
   */
  private transient long checkpointId;

  @Override
  public void processElement(StreamRecord<CommittableMessage<BuiltFile>> element) {
    CommittableMessage<BuiltFile> message = element.getValue();
    checkpointId = Math.max(checkpointId, message.getCheckpointId());
    if (message instanceof CommittableSummary<BuiltFile> summary) {
      writersHeard++;
      writers = summary.getNumberOfSubtasks();
      promised += summary.getNumberOfCommittables();
    } else if (message instanceof CommittableWithLineage<BuiltFile> built) {
      files.add(built.getCommittable());
    }
  }

  @Override
  public void endInput() throws IOException {
    if (writersHeard == 0 || writersHeard != writers || files.size() != promised) {
      throw new IOException(
          "writers are missing at the end of a build: writers=%d heard=%d files promised=%d received=%d"
              .formatted(writers, writersHeard, promised, files.size()));
    }
    output.collect(new StreamRecord<>(new CommittableSummary<>(0, 1, checkpointId, 1, 0)));
    output.collect(
        new StreamRecord<>(new CommittableWithLineage<>(new Publication(files), checkpointId, 0)));
  }
}
