package io.bsdb.flink.sink;

import io.bsdb.writer.KeySamples;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Chooses from the samples of all keys where partitions begin: gives the least keys of all but the
 * first, ascending.
 */
final class SplitterOperator extends AbstractStreamOperator<byte[]>
    implements OneInputStreamOperator<Tuple2<byte[], Long>, byte[]>, BoundedOneInput {
  private static final long serialVersionUID = 1L;

  private final int partitions;
  private transient KeySamples samples = new KeySamples();

  SplitterOperator(int partitions) {
    this.partitions = partitions;
  }

  @Override
  public void open() {
    samples = new KeySamples();
  }

  @Override
  public void processElement(StreamRecord<Tuple2<byte[], Long>> element) {
    Tuple2<byte[], Long> sample = element.getValue();
    samples.add(sample.f0, sample.f1);
  }

  @Override
  public void endInput() {
    for (byte[] splitter : samples.splitters(partitions)) {
      output.collect(new StreamRecord<>(splitter));
    }
  }
}
