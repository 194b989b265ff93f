package io.bsdb.flink.scan;

import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;

final class ScanSplitSerializer implements SimpleVersionedSerializer<ScanSplit> {
  static final int VERSION = 1;

  @Override
  public int getVersion() {
    return VERSION;
  }

  @Override
  public byte[] serialize(ScanSplit split) throws IOException {
    DataOutputSerializer target = new DataOutputSerializer(64);
    write(split, target);
    return target.getCopyOfBuffer();
  }

  @Override
  public ScanSplit deserialize(int version, byte[] serialized) throws IOException {
    checkVersion(version);
    return read(new DataInputDeserializer(serialized));
  }

  static void checkVersion(int version) throws IOException {
    if (version != VERSION) {
      throw new IOException(
          "scan state of another version: expected=%d actual=%d".formatted(VERSION, version));
    }
  }

  static void write(ScanSplit split, DataOutputView target) throws IOException {
    target.writeUTF(split.version());
    target.writeInt(split.partition());
    target.writeLong(split.position());
  }

  static ScanSplit read(DataInputView source) throws IOException {
    return new ScanSplit(source.readUTF(), source.readInt(), source.readLong());
  }
}
