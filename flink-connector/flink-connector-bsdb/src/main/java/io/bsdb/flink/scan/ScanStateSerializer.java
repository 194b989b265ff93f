package io.bsdb.flink.scan;

import io.bsdb.flink.scan.ScanState.Discovery;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

final class ScanStateSerializer implements SimpleVersionedSerializer<ScanState> {
  @Override
  public int getVersion() {
    return ScanSplitSerializer.VERSION;
  }

  @Override
  public byte[] serialize(ScanState state) throws IOException {
    DataOutputSerializer target = new DataOutputSerializer(1024);
    target.writeBoolean(state.discovery() == Discovery.DONE);
    target.writeInt(state.splits().size());
    for (ScanSplit split : state.splits()) {
      ScanSplitSerializer.write(split, target);
    }
    return target.getCopyOfBuffer();
  }

  @Override
  public ScanState deserialize(int version, byte[] serialized) throws IOException {
    ScanSplitSerializer.checkVersion(version);
    DataInputDeserializer source = new DataInputDeserializer(serialized);
    Discovery discovery = source.readBoolean() ? Discovery.DONE : Discovery.PENDING;
    List<ScanSplit> splits = new ArrayList<>();
    for (int remaining = source.readInt(); remaining > 0; remaining--) {
      splits.add(ScanSplitSerializer.read(source));
    }
    return new ScanState(discovery, splits);
  }
}
