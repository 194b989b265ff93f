package io.bsdb.flink.state;

import java.io.IOException;
import java.util.List;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * State of an enumerator: what has not been given to a reader.
 *
 * @param discovered whether the version to read has been chosen and cut into splits
 */
public record EnumeratorState<S>(boolean discovered, List<S> splits) {
  public EnumeratorState {
    splits = List.copyOf(splits);
  }

  /** Returns the state of an enumerator that has not begun. */
  public static <S> EnumeratorState<S> pending() {
    return new EnumeratorState<>(false, List.of());
  }

  /** Writes the state of an enumerator. */
  public static final class Serializer<S> extends StateSerializer<EnumeratorState<S>> {
    private final StateSerializer<S> splits;

    public Serializer(StateSerializer<S> splits) {
      super("state of an enumerator");
      this.splits = splits;
    }

    @Override
    public void write(EnumeratorState<S> state, DataOutputView target) throws IOException {
      target.writeBoolean(state.discovered());
      splits.writeAll(state.splits(), target);
    }

    @Override
    public EnumeratorState<S> read(DataInputView source) throws IOException {
      return new EnumeratorState<>(source.readBoolean(), splits.readAll(source));
    }
  }
}
