package io.bsdb.flink.sink.stream;

import io.bsdb.flink.state.StateSerializer;
import io.bsdb.table.manifest.SegmentFile;
import java.io.IOException;
import java.util.UUID;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Carries what the manifest will say of a segment, but its number, from writer to committer. */
public final class SegmentFileSerializer extends StateSerializer<SegmentFile> {
  public SegmentFileSerializer() {
    super("segment");
  }

  @Override
  public void write(SegmentFile segment, DataOutputView target) throws IOException {
    target.writeLong(segment.fileId().getMostSignificantBits());
    target.writeLong(segment.fileId().getLeastSignificantBits());
    target.writeLong(segment.length());
    target.writeInt(segment.checksum());
    target.writeLong(segment.firstHash());
    target.writeLong(segment.lastHash());
    target.writeLong(segment.puts());
    target.writeLong(segment.deletes());
  }

  @Override
  public SegmentFile read(DataInputView source) throws IOException {
    return new SegmentFile(
        0,
        new UUID(source.readLong(), source.readLong()),
        source.readLong(),
        source.readInt(),
        source.readLong(),
        source.readLong(),
        source.readLong(),
        source.readLong());
  }
}
