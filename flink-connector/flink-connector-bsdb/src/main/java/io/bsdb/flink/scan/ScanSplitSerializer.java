package io.bsdb.flink.scan;

import io.bsdb.flink.state.StateSerializer;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

final class ScanSplitSerializer extends StateSerializer<ScanSplit> {
  ScanSplitSerializer() {
    super("split of a scan");
  }

  @Override
  public void write(ScanSplit split, DataOutputView target) throws IOException {
    target.writeUTF(split.version());
    target.writeInt(split.partition());
    target.writeLong(split.position());
  }

  @Override
  public ScanSplit read(DataInputView source) throws IOException {
    return new ScanSplit(source.readUTF(), source.readInt(), source.readLong());
  }
}
