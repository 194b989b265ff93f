package io.bsdb.flink.sink.shuffle;

import io.bsdb.flink.sink.change.Change;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;
import org.apache.flink.streaming.api.transformations.StreamExchangeMode;
import org.apache.flink.streaming.runtime.partitioner.BroadcastPartitioner;
import org.apache.flink.streaming.runtime.partitioner.ForwardPartitioner;
import org.apache.flink.streaming.runtime.partitioner.StreamPartitioner;

/**
 * Sends the records of a bounded input to the writers by ranges of their keys of about the same
 * size: all tasks sample the keys, one chooses where ranges begin, and all divide by that. Samplers
 * and dividers run where records come from, so that those of one task stay in order.
 */
public final class KeyShuffle {
  private KeyShuffle() {}

  public static DataStream<Change> of(DataStream<Change> records, int partitions) {
    DataStream<byte[]> splitters =
        besides(
                records,
                records.transform(
                    "sample keys",
                    KeySampleOperator.SAMPLE_TYPE,
                    new KeySampleOperator(partitions)))
            .global()
            .transform(
                "choose key ranges",
                PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO,
                new SplitterOperator(partitions))
            .setParallelism(1)
            .setMaxParallelism(1);
    return PartitionShuffle.of(
        besides(
            records,
            kept(splitters, new BroadcastPartitioner<>())
                .connect(kept(records, new ForwardPartitioner<>()))
                .transform("divide by key", records.getType(), new KeyRangeOperator(partitions))),
        partitions,
        change -> change.requireRange().partition());
  }

  /**
   * Has Flink keep a stream until it has ended, whatever the mode of the job's other exchanges:
   * otherwise records would wait for the ranges, and these for the end of the records.
   */
  private static <T> DataStream<T> kept(DataStream<T> stream, StreamPartitioner<T> partitioner) {
    return new DataStream<>(
        stream.getExecutionEnvironment(),
        new PartitionTransformation<>(
            stream.getTransformation(), partitioner, StreamExchangeMode.BATCH));
  }

  /** Runs an operator in as many tasks as its input. */
  private static <T> SingleOutputStreamOperator<T> besides(
      DataStream<?> input, SingleOutputStreamOperator<T> operator) {
    Transformation<?> transformation = input.getTransformation();
    operator
        .getTransformation()
        .setParallelism(transformation.getParallelism(), transformation.isParallelismConfigured());
    return operator;
  }
}
