package io.bsdb.flink.scan;

import io.bsdb.flink.state.StateSerializer;
import java.io.IOException;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * One partition of one version.
 *
 * @param version of the table
 * @param partition in {@code [0, partitionCount)}
 * @param position how many of its records have been read
 */
record ScanSplit(String version, int partition, long position) implements SourceSplit {
  @Override
  public String splitId() {
    return version + "/" + partition;
  }

  static final class Serializer extends StateSerializer<ScanSplit> {
    Serializer() {
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
}
