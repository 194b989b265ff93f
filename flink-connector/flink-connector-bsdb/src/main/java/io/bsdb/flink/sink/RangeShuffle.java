package io.bsdb.flink.sink;

import org.apache.flink.api.common.functions.Partitioner;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * Sends records to the writers by ranges of keys: some of the keys are chosen and broadcast, and
 * each record goes where its key stands among them. Takes a bounded input, which waits, written
 * out, until the keys are chosen.
 *
 * <p>Which keys are chosen depends on the set of all keys alone, see {@link KeySample}. So when
 * tasks run again, after a failure, they send each record to the same writer as before.
 */
final class RangeShuffle {
  private static final TypeInformation<byte[]> KEY =
      PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;

  private RangeShuffle() {}

  static DataStream<Tuple3<byte[], byte[], Boolean>> of(
      DataStream<Tuple3<byte[], byte[], Boolean>> records) {
    DataStream<byte[]> sample =
        records
            .map(record -> KeySample.start(record.f0))
            .returns(KEY)
            .name("keys")
            .transform("sample keys", KEY, new KeySample())
            .global()
            .transform("choose keys", KEY, new KeySample())
            .setParallelism(1)
            .setMaxParallelism(1);
    return sample
        .broadcast()
        .connect(records)
        .transform(
            "place in key order",
            Types.TUPLE(Types.INT, EncodeFunction.RECORD_TYPE),
            new PlaceOperator())
        .partitionCustom(new PlaceRanges(), placed -> placed.f0)
        .map(placed -> placed.f1)
        .returns(EncodeFunction.RECORD_TYPE)
        .name("range of keys");
  }

  /** Gives each task a range of places. */
  private record PlaceRanges() implements Partitioner<Integer> {
    @Override
    public int partition(Integer place, int tasks) {
      return (int) ((long) place * tasks / PlaceOperator.PLACES);
    }
  }
}
