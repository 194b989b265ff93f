package io.bsdb.flink.state;

import io.bsdb.flink.state.EnumeratorState.Discovery;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Writes the state of an enumerator. */
public final class EnumeratorStateSerializer<S> extends StateSerializer<EnumeratorState<S>> {
  private final StateSerializer<S> splits;

  public EnumeratorStateSerializer(StateSerializer<S> splits) {
    super("state of an enumerator");
    this.splits = splits;
  }

  @Override
  public void write(EnumeratorState<S> state, DataOutputView target) throws IOException {
    target.writeBoolean(state.discovery() == Discovery.DONE);
    splits.writeAll(state.splits(), target);
  }

  @Override
  public EnumeratorState<S> read(DataInputView source) throws IOException {
    Discovery discovery = source.readBoolean() ? Discovery.DONE : Discovery.PENDING;
    return new EnumeratorState<>(discovery, splits.readAll(source));
  }
}
