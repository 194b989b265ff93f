package io.bsdb.flink.sink;

import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;
import org.apache.flink.streaming.api.transformations.StreamExchangeMode;
import org.apache.flink.streaming.runtime.partitioner.ForwardPartitioner;

/**
 * Sends the records of a bounded input to the writers by ranges of their keys, in order of size:
 * all tasks sample the keys, one chooses where ranges begin, and all divide by that. Samplers and
 * dividers run where records come from, so that those of one task stay in order.
 */
final class KeyShuffle {
  private KeyShuffle() {}

  static DataStream<Tuple3<byte[], byte[], Boolean>> of(
      DataStream<Tuple3<byte[], byte[], Boolean>> records, int partitions) {
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
            .setMaxParallelism(1)
            .broadcast();
    // Kept until ranges are known, whatever the mode of the job's other exchanges: otherwise they
    // would wait for the samples, and these for the end of the records.
    DataStream<Tuple3<byte[], byte[], Boolean>> kept =
        new DataStream<>(
            records.getExecutionEnvironment(),
            new PartitionTransformation<>(
                records.getTransformation(), new ForwardPartitioner<>(), StreamExchangeMode.BATCH));
    return PartitionShuffle.of(
        besides(
            records,
            splitters
                .connect(kept)
                .transform("divide by key", records.getType(), new KeyRangeOperator(partitions))),
        partitions,
        entry -> RangeMark.of(entry.f1).partition());
  }

  /** Runs an operator in as many tasks as its input. */
  private static <T> SingleOutputStreamOperator<T> besides(
      DataStream<?> input, SingleOutputStreamOperator<T> operator) {
    Transformation<?> transformation = input.getTransformation();
    operator
        .getTransformation()
        .setParallelism(
            transformation.getParallelism(), transformation.isParallelismConfigured());
    return operator;
  }
}
