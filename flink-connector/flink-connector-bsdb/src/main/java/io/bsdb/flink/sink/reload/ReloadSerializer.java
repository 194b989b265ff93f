package io.bsdb.flink.sink.reload;

import io.bsdb.flink.sink.PartitionFileSerializer;
import io.bsdb.flink.sink.stream.SegmentFileSerializer;
import io.bsdb.flink.state.StateSerializer;
import io.bsdb.reload.ReloadReport.Difference;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Carries a reload from the writers to the committer. */
final class ReloadSerializer extends StateSerializer<Reload> {
  private static final SegmentFileSerializer CHANGES = new SegmentFileSerializer();
  private static final PartitionFileSerializer FILES = new PartitionFileSerializer();

  ReloadSerializer() {
    super("reload");
  }

  @Override
  public void write(Reload reload, DataOutputView target) throws IOException {
    Difference difference = reload.difference();
    target.writeLong(reload.read());
    target.writeBoolean(difference != null);
    if (difference != null) {
      target.writeUTF(difference.version());
      target.writeLong(difference.same());
      target.writeLong(difference.added());
      target.writeLong(difference.changed());
      target.writeLong(difference.deleted());
      target.writeLong(difference.bytes());
    }
    CHANGES.writeAll(reload.changes(), target);
    FILES.writeAll(reload.base(), target);
  }

  @Override
  public Reload read(DataInputView source) throws IOException {
    return new Reload(
        source.readLong(),
        source.readBoolean()
            ? new Difference(
                source.readUTF(),
                source.readLong(),
                source.readLong(),
                source.readLong(),
                source.readLong(),
                source.readLong())
            : null,
        CHANGES.readAll(source),
        FILES.readAll(source));
  }
}
