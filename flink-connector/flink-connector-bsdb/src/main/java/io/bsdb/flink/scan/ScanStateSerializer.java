package io.bsdb.flink.scan;

import io.bsdb.flink.scan.ScanState.Discovery;
import io.bsdb.flink.state.StateSerializer;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

final class ScanStateSerializer extends StateSerializer<ScanState> {
  private static final ScanSplitSerializer SPLITS = new ScanSplitSerializer();

  ScanStateSerializer() {
    super("state of a scan");
  }

  @Override
  public void write(ScanState state, DataOutputView target) throws IOException {
    target.writeBoolean(state.discovery() == Discovery.DONE);
    SPLITS.writeAll(state.splits(), target);
  }

  @Override
  public ScanState read(DataInputView source) throws IOException {
    Discovery discovery = source.readBoolean() ? Discovery.DONE : Discovery.PENDING;
    return new ScanState(discovery, SPLITS.readAll(source));
  }
}
