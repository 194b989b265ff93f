package io.bsdb.flink.sink.stream;

import io.bsdb.flink.state.StateSerializer;
import io.bsdb.table.manifest.StreamProgress.Checkpoint;
import java.io.IOException;
import java.util.UUID;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Keeps which publication was the last one of a stream. */
final class CheckpointSerializer extends StateSerializer<Checkpoint> {
  CheckpointSerializer() {
    super("last publication");
  }

  @Override
  public void write(Checkpoint checkpoint, DataOutputView target) throws IOException {
    target.writeLong(checkpoint.incarnation().getMostSignificantBits());
    target.writeLong(checkpoint.incarnation().getLeastSignificantBits());
    target.writeLong(checkpoint.number());
  }

  @Override
  public Checkpoint read(DataInputView source) throws IOException {
    return new Checkpoint(new UUID(source.readLong(), source.readLong()), source.readLong());
  }
}
