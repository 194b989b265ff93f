package io.bsdb.flink.sink.shuffle;

import io.bsdb.flink.sink.change.Change;
import io.bsdb.table.manifest.Partitioning;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedMultiInput;
import org.apache.flink.streaming.api.operators.InputSelectable;
import org.apache.flink.streaming.api.operators.InputSelection;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Marks records with the ranges of keys that they are in. The first input has where ranges begin,
 * and is read to its end before any record.
 */
final class KeyRangeOperator extends AbstractStreamOperator<Change>
    implements TwoInputStreamOperator<byte[], Change, Change>, BoundedMultiInput, InputSelectable {
  private static final long serialVersionUID = 1L;

  private final int partitions;
  private final ArrayList<byte[]> splitters = new ArrayList<>();
  private transient @Nullable Partitioning ranges;
  private transient int checksum;

  KeyRangeOperator(int partitions) {
    this.partitions = partitions;
  }

  @Override
  public InputSelection nextSelection() {
    return ranges == null ? InputSelection.FIRST : InputSelection.SECOND;
  }

  @Override
  public void processElement1(StreamRecord<byte[]> splitter) {
    splitters.add(splitter.getValue());
  }

  @Override
  public void endInput(int input) {
    if (input == 1) {
      ranges = Partitioning.byKey(splitters);
      checksum = checksum(splitters);
    }
  }

  /** Returns a number that other splitters most probably do not have. */
  static int checksum(List<byte[]> splitters) {
    CRC32C checksum = new CRC32C();
    for (byte[] splitter : splitters) {
      checksum.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, splitter.length));
      checksum.update(splitter);
    }
    return (int) checksum.getValue();
  }

  @Override
  public void processElement2(StreamRecord<Change> element) {
    if (ranges == null) {
      throw new IllegalStateException("a record came in front of the ranges of keys");
    }
    Change change = element.getValue();
    // Few ranges are spread over the numbers of partitions, and so over the writers.
    int partition = (int) ((long) ranges.partition(change.key()) * partitions / ranges.count());
    output.collect(element.replace(change.in(new Change.Range(partition, checksum))));
  }
}
