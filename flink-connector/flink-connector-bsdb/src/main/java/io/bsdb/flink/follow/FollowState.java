package io.bsdb.flink.follow;

import java.util.List;

/**
 * State of the enumerator: what has not been given to a reader.
 *
 * @param discovery whether the first version has been cut into slices
 */
record FollowState(Discovery discovery, List<FollowSplit> splits) {
  enum Discovery {
    PENDING,
    DONE
  }

  FollowState {
    splits = List.copyOf(splits);
  }
}
