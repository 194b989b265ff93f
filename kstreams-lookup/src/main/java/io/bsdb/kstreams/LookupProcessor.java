package io.bsdb.kstreams;

import java.time.Duration;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
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
  /** How often a task without records looks for a newer version, so as to let go of the old one. */
  private static final Duration IDLE_ROLL_INTERVAL = Duration.ofSeconds(1);

  private final LookupSupplier<KS, VS, K, V, VR> join;
  private @Nullable Running<KS, K, V, VR> running;

  /** What exists between init and close. */
  private record Running<KS, K, V, VR>(
      FixedKeyProcessorContext<KS, VR> context, VersionHold<K, V> hold, Cancellable idleRoll) {}

  LookupProcessor(LookupSupplier<KS, VS, K, V, VR> join) {
    this.join = join;
  }

  @Override
  public void init(FixedKeyProcessorContext<KS, VR> context) {
    VersionHold<K, V> hold = join.holds().acquire();
    try {
      Cancellable idleRoll =
          context.schedule(
              IDLE_ROLL_INTERVAL, PunctuationType.WALL_CLOCK_TIME, time -> hold.rollIdle());
      running = new Running<>(context, hold, idleRoll);
    } catch (RuntimeException e) { // close() is not called after a failed init()
      join.holds().release(hold);
      throw e;
    }
  }

  @Override
  public void process(FixedKeyRecord<KS, VS> streamRecord) {
    Running<KS, K, V, VR> now = running;
    if (now == null) {
      throw new IllegalStateException(
          join.source().settings().describe() + ": processor is not initialised");
    }
    now.hold.enter();
    try {
      join(now, streamRecord);
    } finally {
      now.hold.exit();
    }
  }

  private void join(Running<KS, K, V, VR> now, FixedKeyRecord<KS, VS> streamRecord) {
    VS left = streamRecord.value();
    if (left == null) {
      return;
    }
    K tableKey = join.keySelector().apply(streamRecord.key(), left);
    V right = tableKey == null ? null : now.hold.get(tableKey);
    if (right == null && join.kind() == JoinKind.INNER) {
      return;
    }
    now.context.forward(
        streamRecord.withValue(join.joiner().apply(streamRecord.key(), left, right)));
  }

  @Override
  public void close() {
    Running<KS, K, V, VR> ending = running;
    running = null;
    if (ending != null) {
      try {
        ending.idleRoll.cancel();
      } finally {
        join.holds().release(ending.hold);
      }
    }
  }
}
