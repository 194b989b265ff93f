package io.bsdb.flink.follow;

import io.bsdb.flink.follow.FollowState.Discovery;
import io.bsdb.flink.state.StateSerializer;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

final class FollowStateSerializer extends StateSerializer<FollowState> {
  private static final FollowSplitSerializer SPLITS = new FollowSplitSerializer();

  FollowStateSerializer() {
    super("state of a query that follows a table");
  }

  @Override
  public void write(FollowState state, DataOutputView target) throws IOException {
    target.writeBoolean(state.discovery() == Discovery.DONE);
    SPLITS.writeAll(state.splits(), target);
  }

  @Override
  public FollowState read(DataInputView source) throws IOException {
    Discovery discovery = source.readBoolean() ? Discovery.DONE : Discovery.PENDING;
    return new FollowState(discovery, SPLITS.readAll(source));
  }
}
