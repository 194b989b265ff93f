package io.bsdb.flink.sink;

import io.bsdb.format.PartitionFile;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;

/** Carries the manifest entry of a partition file from its writer to the committer. */
final class PartitionFileSerializer implements SimpleVersionedSerializer<PartitionFile> {
  static final int VERSION = 1;

  @Override
  public int getVersion() {
    return VERSION;
  }

  @Override
  public byte[] serialize(PartitionFile file) throws IOException {
    DataOutputSerializer target = new DataOutputSerializer(128);
    write(file, target);
    return target.getCopyOfBuffer();
  }

  @Override
  public PartitionFile deserialize(int version, byte[] serialized) throws IOException {
    checkVersion(version);
    return read(new DataInputDeserializer(serialized));
  }

  static void checkVersion(int version) throws IOException {
    if (version != VERSION) {
      throw new IOException(
          "committable of another version: expected=%d actual=%d".formatted(VERSION, version));
    }
  }

  static void write(PartitionFile file, DataOutputView target) throws IOException {
    target.writeInt(file.partition());
    target.writeUTF(file.name());
    target.writeLong(file.length());
    target.writeInt(file.checksum());
    target.writeInt(file.recordCount());
    target.writeLong(file.keyBytes());
    target.writeLong(file.valueBytes());
  }

  static PartitionFile read(DataInputView source) throws IOException {
    return new PartitionFile(
        source.readInt(),
        source.readUTF(),
        source.readLong(),
        source.readInt(),
        source.readInt(),
        source.readLong(),
        source.readLong());
  }
}
