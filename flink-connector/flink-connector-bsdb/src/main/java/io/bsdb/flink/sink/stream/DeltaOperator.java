package io.bsdb.flink.sink.stream;

import io.bsdb.table.StreamRule;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.table.manifest.StreamProgress.Checkpoint;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableSummary;
import org.apache.flink.streaming.api.connector.sink2.CommittableWithLineage;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Collects the segments of all writers, and hands them on as one delta per checkpoint, if there are
 * any, and at the end of the input. If watermarks are published, a delta has that of the input too,
 * and is handed on if that has moved: when all writers have sealed what comes before a barrier,
 * what is not after the watermark is in their segments.
 *
 * <p>Each delta names the one before it, so that the committer finds out whether one is missing.
 * The state records which one that is. It is that of the checkpoint to which the writers' input is
 * rewound as well, after which this is another incarnation.
 */
final class DeltaOperator extends AbstractStreamOperator<CommittableMessage<Delta>>
    implements OneInputStreamOperator<CommittableMessage<SegmentFile>, CommittableMessage<Delta>>,
        BoundedOneInput {
  private static final long serialVersionUID = 1L;
  private static final CheckpointSerializer LAST = new CheckpointSerializer();

  private static final long NO_WATERMARK = Watermark.UNINITIALIZED.getTimestamp();

  /** Null for a batch job. */
  private final @Nullable String stream;

  private final boolean hasWatermark;

  private transient UUID incarnation = new UUID(0, 0);
  private transient List<SegmentFile> files = List.of();
  private transient int promised;
  private transient long checkpointId;
  private transient long watermark;
  private transient long handedOn;
  private transient Checkpoint last = Checkpoint.begin(incarnation);
  private transient @Nullable ListState<byte[]> state;

  DeltaOperator(@Nullable String stream, boolean hasWatermark) {
    this.stream = stream;
    this.hasWatermark = hasWatermark;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    incarnation = UUID.randomUUID();
    last = Checkpoint.begin(incarnation);
    files = new ArrayList<>();
    watermark = NO_WATERMARK;
    handedOn = NO_WATERMARK;
    ListState<byte[]> stored =
        context
            .getOperatorStateStore()
            .getListState(new ListStateDescriptor<>("last", BytePrimitiveArraySerializer.INSTANCE));
    for (byte[] checkpoint : stored.get()) {
      last = LAST.deserialize(LAST.getVersion(), checkpoint);
    }
    state = stored;
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    if (state != null) {
      state.update(List.of(LAST.serialize(last)));
    }
  }

  @Override
  public void processElement(StreamRecord<CommittableMessage<SegmentFile>> element) {
    CommittableMessage<SegmentFile> message = element.getValue();
    checkpointId = Math.max(checkpointId, message.getCheckpointId());
    if (message instanceof CommittableSummary<SegmentFile> summary) {
      promised += summary.getNumberOfCommittables();
    } else if (message instanceof CommittableWithLineage<SegmentFile> sealed) {
      files.add(sealed.getCommittable());
    }
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    super.processWatermark(mark);
    watermark = mark.getTimestamp();
  }

  /**
   * Emits the publication of a checkpoint: all writers have sealed what comes before the barrier.
   */
  @Override
  public void prepareSnapshotPreBarrier(long checkpoint) throws Exception {
    super.prepareSnapshotPreBarrier(checkpoint);
    emit(checkpoint);
  }

  @Override
  public void endInput() throws IOException {
    emit(checkpointId);
  }

  private void emit(long number) throws IOException {
    if (files.size() != promised) {
      throw new IOException(
          "segments of writers are missing: checkpoint=%d promised=%d received=%d"
              .formatted(number, promised, files.size()));
    }
    boolean hasTime = hasWatermark && watermark != NO_WATERMARK;
    if (files.isEmpty() && !(hasTime && watermark != handedOn)) {
      return;
    }
    @Nullable StreamRule rule = null;
    if (stream != null) {
      Checkpoint checkpoint = new Checkpoint(incarnation, number);
      Instant time = hasTime ? Instant.ofEpochMilli(watermark) : null;
      rule = new StreamRule(stream, checkpoint, last, time);
      last = checkpoint;
      handedOn = watermark;
    }
    output.collect(new StreamRecord<>(new CommittableSummary<>(0, 1, number, 1, 0)));
    output.collect(
        new StreamRecord<>(new CommittableWithLineage<>(new Delta(rule, files), number, 0)));
    files = new ArrayList<>();
    promised = 0;
  }
}
