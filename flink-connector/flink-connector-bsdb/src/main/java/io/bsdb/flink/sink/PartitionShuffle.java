package io.bsdb.flink.sink;

import io.bsdb.table.Partitioning;
import org.apache.flink.api.common.functions.Partitioner;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;

/**
 * Sends records to the writers by the partition of their key. Barriers of checkpoints do not
 * overtake them, since what is stored of an exchange could be sent to another writer after a
 * restart, and the changes of a key would be out of order.
 */
final class PartitionShuffle {
  private PartitionShuffle() {}

  static DataStream<Change> of(DataStream<Change> records, int partitions) {
    return of(records, partitions, new PartitionOfKey(partitions));
  }

  /**
   * Does the same with partitions of another kind.
   *
   * @param partitionOf gives the partition of a record
   */
  static DataStream<Change> of(
      DataStream<Change> records, int partitions, KeySelector<Change, Integer> partitionOf) {
    DataStream<Change> shuffled =
        records.partitionCustom(new PartitionRanges(partitions), partitionOf);
    ((PartitionTransformation<?>) shuffled.getTransformation())
        .getPartitioner()
        .disableUnalignedCheckpoints();
    return shuffled;
  }

  /** The partition of a record, by the hash of its key. */
  private record PartitionOfKey(int partitions) implements KeySelector<Change, Integer> {
    @Override
    public Integer getKey(Change change) {
      return new Partitioning(partitions).partition(change.key());
    }
  }

  /** Gives each task a range of partitions. */
  private record PartitionRanges(int partitions) implements Partitioner<Integer> {
    @Override
    public int partition(Integer partition, int tasks) {
      return (int) ((long) partition * tasks / partitions);
    }
  }
}
