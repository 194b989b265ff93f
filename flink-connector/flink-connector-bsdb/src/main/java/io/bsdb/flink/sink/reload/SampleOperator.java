package io.bsdb.flink.sink.reload;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.sink.change.Change;
import io.bsdb.reload.DifferenceWriter;
import io.bsdb.table.AsOf;
import io.bsdb.writer.options.Duplicates;
import java.io.IOException;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Compares a sample of the input with a share of a version. Gives, at the end, how many rows of the
 * sample differ.
 */
final class SampleOperator extends AbstractStreamOperator<Long>
    implements OneInputStreamOperator<Change, Long>, BoundedOneInput {
  private static final long serialVersionUID = 1L;

  private final DeclaredTable table;
  private final BuildSettings settings;
  private final ComparedVersion version;
  private final @Nullable AsOf asOf;
  private final Sample sample;
  private transient ComparedVersion.@Nullable Share share;
  private transient @Nullable DifferenceWriter differences;

  SampleOperator(
      DeclaredTable table,
      BuildSettings settings,
      ComparedVersion version,
      @Nullable AsOf asOf,
      Sample sample) {
    this.table = table;
    this.settings = settings;
    this.version = version;
    this.asOf = asOf;
    this.sample = sample;
  }

  @Override
  public void open() throws IOException {
    IntPredicate partitions =
        sample.in(version.share(getRuntimeContext().getTaskInfo()), version.partitioning());
    if (IntStream.range(0, version.partitioning().count()).noneMatch(partitions)) {
      return; // no row of the sample comes here
    }
    ComparedVersion.Share opened = version.open(table, settings, partitions, asOf);
    share = opened;
    differences =
        new DifferenceWriter(
            opened.reader(),
            partitions,
            Duplicates.FIRST,
            key -> !sample.has(key) || opened.keeps(key),
            null);
  }

  @Override
  public void processElement(StreamRecord<Change> element) throws IOException {
    if (differences == null) {
      throw new IllegalStateException("a row came to a task that has no share of the sample");
    }
    Change change = element.getValue();
    differences.add(change.key(), change.requireValue());
  }

  @Override
  public void endInput() throws IOException {
    if (differences != null) {
      output.collect(new StreamRecord<>(differences.finish().differing()));
    }
  }

  @Override
  public void close() throws Exception {
    try {
      super.close();
    } finally {
      if (share != null) {
        share.close();
      }
    }
  }
}
