package io.bsdb.reader;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Sorts the keys of a batch by the block that each needs, so that every block is read once. */
final class BlockGroups {
  private BlockGroups() {}

  /**
   * Keys that lie in one block.
   *
   * @param keys their positions in the batch
   */
  record Group(Partition partition, int block, List<Integer> keys) {}

  private record Place(Partition partition, int block) {}

  /** The groups of all keys that have a rank, in the order of their first keys. */
  static Iterable<Group> of(Partition[] partitions, int[] ranks) {
    Map<Place, Group> groups = new LinkedHashMap<>();
    for (int i = 0; i < ranks.length; i++) {
      if (ranks[i] >= 0) {
        Place place = new Place(partitions[i], partitions[i].index().block(ranks[i]));
        groups
            .computeIfAbsent(place, p -> new Group(p.partition, p.block, new ArrayList<>()))
            .keys()
            .add(i);
      }
    }
    return groups.values();
  }
}
