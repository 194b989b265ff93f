package io.bsdb.flink.sink.stream;

import io.bsdb.flink.state.StateSerializer;
import io.bsdb.table.StreamRule;
import io.bsdb.table.manifest.StreamProgress.Checkpoint;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/** Carries a delta to the committer. */
final class DeltaSerializer extends StateSerializer<Delta> {
  private static final CheckpointSerializer CHECKPOINTS = new CheckpointSerializer();
  private static final SegmentFileSerializer FILES = new SegmentFileSerializer();

  DeltaSerializer() {
    super("delta");
  }

  @Override
  public void write(Delta delta, DataOutputView target) throws IOException {
    StreamRule rule = delta.stream();
    target.writeBoolean(rule != null);
    if (rule != null) {
      Checkpoint previous = rule.previous();
      target.writeUTF(rule.stream());
      CHECKPOINTS.write(rule.checkpoint(), target);
      target.writeBoolean(previous != null);
      if (previous != null) {
        CHECKPOINTS.write(previous, target);
      }
    }
    FILES.writeAll(delta.files(), target);
  }

  @Override
  public Delta read(DataInputView source) throws IOException {
    return new Delta(source.readBoolean() ? rule(source) : null, FILES.readAll(source));
  }

  private static StreamRule rule(DataInputView source) throws IOException {
    String stream = source.readUTF();
    Checkpoint checkpoint = CHECKPOINTS.read(source);
    @Nullable Checkpoint previous = source.readBoolean() ? CHECKPOINTS.read(source) : null;
    return new StreamRule(stream, checkpoint, previous);
  }
}
