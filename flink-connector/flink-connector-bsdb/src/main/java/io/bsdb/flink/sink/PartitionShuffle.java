package io.bsdb.flink.sink;

import io.bsdb.table.Partitioning;
import org.apache.flink.api.common.functions.Partitioner;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;

/**
 * Sends records to the writers by the partition of their key. Barriers of checkpoints do not
 * overtake them, since what is stored of an exchange could be sent to another writer after a
 * restart, and the changes of a key would be out of order.
 */
final class PartitionShuffle {
  private PartitionShuffle() {}

  static DataStream<Tuple3<byte[], byte[], Boolean>> of(
      DataStream<Tuple3<byte[], byte[], Boolean>> records, int partitions) {
    return of(records, partitions, new PartitionOfKey(partitions));
  }

  /**
   * Does the same with partitions of another kind.
   *
   * @param partitionOf gives the partition of a record
   */
  static DataStream<Tuple3<byte[], byte[], Boolean>> of(
      DataStream<Tuple3<byte[], byte[], Boolean>> records,
      int partitions,
      KeySelector<Tuple3<byte[], byte[], Boolean>, Integer> partitionOf) {
    DataStream<Tuple3<byte[], byte[], Boolean>> shuffled =
        records.partitionCustom(new PartitionRanges(partitions), partitionOf);
    ((PartitionTransformation<?>) shuffled.getTransformation())
        .getPartitioner()
        .disableUnalignedCheckpoints();
    return shuffled;
  }

  /** The partition of a record, by the hash of its key. */
  private record PartitionOfKey(int partitions)
      implements KeySelector<Tuple3<byte[], byte[], Boolean>, Integer> {
    @Override
    public Integer getKey(Tuple3<byte[], byte[], Boolean> entry) {
      return new Partitioning(partitions).partition(entry.f0);
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
