package io.bsdb.flink.sink;

import io.bsdb.flink.state.StateSerializer;
import io.bsdb.table.PartitionFile;
import java.io.IOException;
import java.util.UUID;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Carries the manifest entry of a partition file from its writer to the committer. */
final class PartitionFileSerializer extends StateSerializer<PartitionFile> {
  PartitionFileSerializer() {
    super("committable");
  }

  @Override
  public void write(PartitionFile file, DataOutputView target) throws IOException {
    target.writeInt(file.partition());
    target.writeUTF(file.name());
    target.writeLong(file.fileId().getMostSignificantBits());
    target.writeLong(file.fileId().getLeastSignificantBits());
    target.writeLong(file.length());
    target.writeInt(file.checksum());
    target.writeInt(file.recordCount());
    target.writeLong(file.keyBytes());
    target.writeLong(file.valueBytes());
  }

  @Override
  public PartitionFile read(DataInputView source) throws IOException {
    return new PartitionFile(
        source.readInt(),
        source.readUTF(),
        new UUID(source.readLong(), source.readLong()),
        source.readLong(),
        source.readInt(),
        source.readInt(),
        source.readLong(),
        source.readLong());
  }
}
