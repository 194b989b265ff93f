package io.bsdb.flink.state;

import java.util.List;

/**
 * State of an enumerator: what has not been given to a reader.
 *
 * @param discovery whether the version to read has been chosen and cut into splits
 */
public record EnumeratorState<S>(Discovery discovery, List<S> splits) {
  /** How far an enumerator has come. */
  public enum Discovery {
    PENDING,
    DONE
  }

  public EnumeratorState {
    splits = List.copyOf(splits);
  }

  /** Returns the state of an enumerator that has not begun. */
  public static <S> EnumeratorState<S> pending() {
    return new EnumeratorState<>(Discovery.PENDING, List.of());
  }
}
