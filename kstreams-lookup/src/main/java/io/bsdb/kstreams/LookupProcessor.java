package io.bsdb.kstreams;

import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.jspecify.annotations.Nullable;

/**
 * One task's share of a join. Holds a version of the table from {@link #init} to {@link #close},
 * and moves to a newer one only between records. May be initialised again after it was closed, as
 * Kafka Streams does with a task whose state it found corrupted.
 */
final class LookupProcessor<KS, VS, K, V, VR> implements FixedKeyProcessor<KS, VS, VR> {
  private final LookupSupplier<KS, VS, K, V, VR> join;
  private @Nullable Running<KS, K, V, VR> running;

  /** State between init and close. */
  private record Running<KS, K, V, VR>(
      FixedKeyProcessorContext<KS, VR> context, TaskLookup<K, V> table) {}

  LookupProcessor(LookupSupplier<KS, VS, K, V, VR> join) {
    this.join = join;
  }

  @Override
  public void init(FixedKeyProcessorContext<KS, VR> context) {
    running = new Running<>(context, new TaskLookup<>(join.table(), join.number(), context));
  }

  @Override
  public void process(FixedKeyRecord<KS, VS> streamRecord) {
    Running<KS, K, V, VR> now = running;
    if (now == null) {
      throw new IllegalStateException(join.table().describe() + ": processor is not initialised");
    }
    now.table.enter();
    try {
      join(now, streamRecord);
    } finally {
      now.table.exit();
    }
  }

  private void join(Running<KS, K, V, VR> now, FixedKeyRecord<KS, VS> streamRecord) {
    VS left = streamRecord.value();
    if (left == null) {
      now.table.countDropped();
      return;
    }
    K tableKey = join.keySelector().apply(streamRecord.key(), left);
    if (tableKey == null && join.kind() == JoinKind.INNER) {
      now.table.countDropped();
      return;
    }
    V right = tableKey == null ? null : now.table.lookUp(tableKey, streamRecord.timestamp());
    if (right == null && join.kind() == JoinKind.INNER) {
      return;
    }
    FixedKeyRecord<KS, VR> joined =
        streamRecord.withValue(join.joiner().apply(streamRecord.key(), left, right));
    String header = join.table().versionHeader();
    if (header != null) {
      now.table.stamp(joined.headers(), header);
    }
    now.context.forward(joined);
  }

  @Override
  public void close() {
    Running<KS, K, V, VR> ending = running;
    running = null;
    if (ending != null) {
      ending.table.close();
    }
  }
}
