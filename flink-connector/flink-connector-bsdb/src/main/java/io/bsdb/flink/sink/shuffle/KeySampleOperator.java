package io.bsdb.flink.sink.shuffle;

import io.bsdb.flink.sink.change.Change;
import io.bsdb.writer.KeySamples;
import org.apache.flink.api.common.typeinfo.BasicTypeInfo;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.TupleTypeInfo;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Gives, at the end of its input, some keys of it, each with the cost that it stands for. */
final class KeySampleOperator extends AbstractStreamOperator<Tuple2<byte[], Long>>
    implements OneInputStreamOperator<Change, Tuple2<byte[], Long>>, BoundedOneInput {
  private static final long serialVersionUID = 1L;

  static final TypeInformation<Tuple2<byte[], Long>> SAMPLE_TYPE =
      new TupleTypeInfo<>(
          PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO, BasicTypeInfo.LONG_TYPE_INFO);

  /** So the partitions of one sampled input differ by some tenths, and writers by a few percent. */
  private static final int PER_PARTITION = 128;

  private static final int MIN_CAPACITY = 1 << 10;
  private static final int MAX_CAPACITY = 1 << 16;

  private final KeySampler sampler;

  KeySampleOperator(int partitions) {
    long capacity = (long) PER_PARTITION * partitions;
    sampler = new KeySampler((int) Math.max(MIN_CAPACITY, Math.min(MAX_CAPACITY, capacity)));
  }

  @Override
  public void processElement(StreamRecord<Change> element) {
    Change change = element.getValue();
    int length = change.key().length + change.requireValue().length;
    sampler.add(change.key(), KeySamples.cost(length, 1));
  }

  @Override
  public void endInput() {
    for (byte[] key : sampler.keys()) {
      output.collect(new StreamRecord<>(Tuple2.of(key, sampler.stride())));
    }
  }
}
