package io.bsdb.flink.sink.shuffle;

import static io.bsdb.flink.sink.shuffle.Exchanges.besides;
import static io.bsdb.flink.sink.shuffle.Exchanges.kept;

import io.bsdb.flink.sink.change.Change;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.streaming.api.datastream.DataStream;

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
            kept(splitters.broadcast())
                .connect(kept(records.forward()))
                .transform("divide by key", records.getType(), new KeyRangeOperator(partitions))),
        partitions,
        change -> change.requireRange().partition());
  }
}
