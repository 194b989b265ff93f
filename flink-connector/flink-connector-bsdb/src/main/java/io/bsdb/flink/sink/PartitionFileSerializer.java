package io.bsdb.flink.sink;

import io.bsdb.flink.state.StateSerializer;
import io.bsdb.table.manifest.Bound;
import io.bsdb.table.manifest.PartitionFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Carries the manifest entry of a partition file from its writer to the committer. */
public final class PartitionFileSerializer extends StateSerializer<PartitionFile> {
  private static final BytePrimitiveArraySerializer BYTES = BytePrimitiveArraySerializer.INSTANCE;

  public PartitionFileSerializer() {
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
    writeBound(file.lowerBound(), target);
  }

  @Override
  public PartitionFile read(DataInputView source) throws IOException {
    int partition = source.readInt();
    return new PartitionFile(
        source.readUTF(),
        new UUID(source.readLong(), source.readLong()),
        source.readLong(),
        source.readInt(),
        source.readInt(),
        source.readLong(),
        source.readLong(),
        new PartitionFile.Place(partition, null, 0, readBound(source)));
  }

  /** Writes the first key of a file in key order, whose Base64 may be too long for a short text. */
  private static void writeBound(Bound bound, DataOutputView target) throws IOException {
    target.writeBoolean(bound.isKey());
    if (bound.isKey()) {
      BYTES.serialize(bound.toString().getBytes(StandardCharsets.US_ASCII), target);
    }
  }

  private static Bound readBound(DataInputView source) throws IOException {
    return source.readBoolean()
        ? Bound.parse(new String(BYTES.deserialize(source), StandardCharsets.US_ASCII))
        : Bound.NONE;
  }
}
