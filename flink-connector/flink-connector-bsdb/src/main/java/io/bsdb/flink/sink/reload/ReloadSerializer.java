package io.bsdb.flink.sink.reload;

import io.bsdb.flink.sink.PartitionFileSerializer;
import io.bsdb.flink.sink.stream.SegmentFileSerializer;
import io.bsdb.flink.state.StateSerializer;
import io.bsdb.reload.ReloadReport.Difference;
import io.bsdb.table.manifest.SegmentFile;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    target.writeUTF(difference.version());
    target.writeLong(difference.same());
    target.writeLong(difference.added());
    target.writeLong(difference.changed());
    target.writeLong(difference.deleted());
    target.writeLong(difference.bytes());
    target.writeInt(reload.changes().size());
    for (Map.Entry<Integer, List<SegmentFile>> written : reload.changes().entrySet()) {
      target.writeInt(written.getKey());
      CHANGES.writeAll(written.getValue(), target);
    }
    target.writeBoolean(reload.base() != null);
    if (reload.base() != null) {
      FILES.writeAll(reload.base(), target);
    }
  }

  private static Map<Integer, List<SegmentFile>> readChanges(DataInputView source)
      throws IOException {
    Map<Integer, List<SegmentFile>> changes = new HashMap<>();
    for (int remaining = source.readInt(); remaining > 0; remaining--) {
      changes.put(source.readInt(), CHANGES.readAll(source));
    }
    return changes;
  }

  @Override
  public Reload read(DataInputView source) throws IOException {
    return new Reload(
        source.readLong(),
        new Difference(
            source.readUTF(),
            source.readLong(),
            source.readLong(),
            source.readLong(),
            source.readLong(),
            source.readLong()),
        readChanges(source),
        source.readBoolean() ? FILES.readAll(source) : null);
  }
}
