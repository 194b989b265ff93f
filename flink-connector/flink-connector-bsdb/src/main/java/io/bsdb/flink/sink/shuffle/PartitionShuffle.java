package io.bsdb.flink.sink.shuffle;

import io.bsdb.flink.sink.change.Change;
import io.bsdb.table.manifest.Partitioning;
import org.apache.flink.api.common.functions.Partitioner;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;

/**
 * Sends records to the writers by the partition of their key. Barriers of checkpoints do not
 * overtake them, since what is stored of an exchange could be sent to another writer after a
 * restart, and the changes of a key would be out of order.
 */
public final class PartitionShuffle {
  private PartitionShuffle() {}

  public static DataStream<Change> of(DataStream<Change> records, int partitions) {
    return of(records, new Partitioning(partitions));
  }

  public static DataStream<Change> of(DataStream<Change> records, Partitioning partitioning) {
    return of(records, partitioning.count(), new PartitionOfKey(partitioning));
  }

  /** Returns the task that has a partition. */
  public static int task(int partition, int tasks, int partitions) {
    return (int) ((long) partition * tasks / partitions);
  }

  /**
   * Does the same with partitions of another kind.
   *
   * @param partitionOf gives the partition of a record
   */
  public static DataStream<Change> of(
      DataStream<Change> records, int partitions, KeySelector<Change, Integer> partitionOf) {
    DataStream<Change> shuffled =
        records.partitionCustom(new PartitionRanges(partitions), partitionOf);
    ((PartitionTransformation<?>) shuffled.getTransformation())
        .getPartitioner()
        .disableUnalignedCheckpoints();
    return shuffled;
  }

  /** The partition of a record. */
  private record PartitionOfKey(Partitioning partitioning) implements KeySelector<Change, Integer> {
    @Override
    public Integer getKey(Change change) {
      return partitioning.partition(change.key());
    }
  }

  /** Gives each task a range of partitions. */
  private record PartitionRanges(int partitions) implements Partitioner<Integer> {
    @Override
    public int partition(Integer partition, int tasks) {
      return task(partition, tasks, partitions);
    }
  }
}
