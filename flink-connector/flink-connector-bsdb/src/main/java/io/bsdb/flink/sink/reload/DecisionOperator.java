package io.bsdb.flink.sink.reload;

import io.bsdb.flink.sink.change.Change;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedMultiInput;
import org.apache.flink.streaming.api.operators.InputSelectable;
import org.apache.flink.streaming.api.operators.InputSelection;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Decides whether all rows are built: then it gives {@link ReloadSinkWriter#BUILD} before them. The
 * first input has how many rows of a sample differ, and is read to its end before any row.
 */
final class DecisionOperator extends AbstractStreamOperator<Change>
    implements TwoInputStreamOperator<Long, Change, Change>, BoundedMultiInput, InputSelectable {
  private static final long serialVersionUID = 1L;

  private final double maxDiffering;
  private transient long differing;
  private transient boolean decided;

  /**
   * @param maxDiffering rows of the sample that may differ before all rows are built
   */
  DecisionOperator(double maxDiffering) {
    this.maxDiffering = maxDiffering;
  }

  @Override
  public InputSelection nextSelection() {
    return decided ? InputSelection.SECOND : InputSelection.FIRST;
  }

  @Override
  public void processElement1(StreamRecord<Long> element) {
    differing += element.getValue();
  }

  @Override
  public void endInput(int input) {
    if (input == 1) {
      decided = true;
      if (differing > maxDiffering) {
        output.collect(new StreamRecord<>(ReloadSinkWriter.BUILD));
      }
    }
  }

  @Override
  public void processElement2(StreamRecord<Change> element) {
    output.collect(element);
  }
}
