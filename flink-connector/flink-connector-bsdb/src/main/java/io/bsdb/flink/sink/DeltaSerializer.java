package io.bsdb.flink.sink;

import io.bsdb.flink.sink.Delta.Origin;
import io.bsdb.flink.state.StateSerializer;
import io.bsdb.table.StreamProgress.Checkpoint;
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
    Origin origin = delta.origin();
    target.writeBoolean(origin != null);
    if (origin != null) {
      Checkpoint previous = origin.previous();
      target.writeUTF(origin.stream());
      CHECKPOINTS.write(origin.checkpoint(), target);
      target.writeBoolean(previous != null);
      if (previous != null) {
        CHECKPOINTS.write(previous, target);
      }
    }
    FILES.writeAll(delta.files(), target);
  }

  @Override
  public Delta read(DataInputView source) throws IOException {
    return new Delta(source.readBoolean() ? origin(source) : null, FILES.readAll(source));
  }

  private static Origin origin(DataInputView source) throws IOException {
    String stream = source.readUTF();
    Checkpoint checkpoint = CHECKPOINTS.read(source);
    @Nullable Checkpoint previous = source.readBoolean() ? CHECKPOINTS.read(source) : null;
    return new Origin(stream, checkpoint, previous);
  }
}
