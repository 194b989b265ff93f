package io.bsdb.flink.sink;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedMultiInput;
import org.apache.flink.streaming.api.operators.InputSelectable;
import org.apache.flink.streaming.api.operators.InputSelection;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Reads some keys, all of them first, and then says of each record where it stands among them. */
final class PlaceOperator
    extends AbstractStreamOperator<Tuple2<Integer, Tuple3<byte[], byte[], Boolean>>>
    implements TwoInputStreamOperator<
            byte[],
            Tuple3<byte[], byte[], Boolean>,
            Tuple2<Integer, Tuple3<byte[], byte[], Boolean>>>,
        BoundedMultiInput,
        InputSelectable {
  private static final long serialVersionUID = 1L;

  /** Places are from 0 up to this number. */
  static final int PLACES = 1 << 30;

  private final ArrayList<byte[]> keys = new ArrayList<>();
  private transient boolean complete;

  @Override
  public InputSelection nextSelection() {
    return complete ? InputSelection.SECOND : InputSelection.FIRST;
  }

  @Override
  public void processElement1(StreamRecord<byte[]> element) {
    keys.add(element.getValue());
  }

  @Override
  public void endInput(int input) {
    if (input == 1) {
      keys.sort(Arrays::compareUnsigned);
      complete = true;
    }
  }

  @Override
  public void processElement2(StreamRecord<Tuple3<byte[], byte[], Boolean>> element) {
    int found = Collections.binarySearch(keys, element.getValue().f0, Arrays::compareUnsigned);
    int below = found < 0 ? ~found : found + 1;
    int place = (int) ((long) below * PLACES / (keys.size() + 1));
    output.collect(element.replace(Tuple2.of(place, element.getValue())));
  }
}
