package io.bsdb.flink.sink.shuffle;

import io.bsdb.writer.KeySamples;
import java.util.ArrayList;
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
  private final ArrayList<Tuple2<byte[], Long>> received = new ArrayList<>();

  SplitterOperator(int partitions) {
    this.partitions = partitions;
  }

  @Override
  public void processElement(StreamRecord<Tuple2<byte[], Long>> element) {
    received.add(element.getValue());
  }

  @Override
  public void endInput() {
    KeySamples samples = new KeySamples();
    for (Tuple2<byte[], Long> sample : received) {
      samples.add(sample.f0, sample.f1);
    }
    for (byte[] splitter : samples.splitters(partitions)) {
      output.collect(new StreamRecord<>(splitter));
    }
  }
}
