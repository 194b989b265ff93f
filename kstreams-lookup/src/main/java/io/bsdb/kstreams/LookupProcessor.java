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
      FixedKeyProcessorContext<KS, VR> context,
      VersionHold<K, V> hold,
      LookupMetrics metrics,
      Cancellable idleRoll) {}

  LookupProcessor(LookupSupplier<KS, VS, K, V, VR> join) {
    this.join = join;
  }

  /** What was acquired is released if this fails, because close() is not called then. */
  @Override
  public void init(FixedKeyProcessorContext<KS, VR> context) {
    VersionHold<K, V> hold = join.holds().acquire();
    try {
      LookupMetrics metrics = new LookupMetrics(join.source(), join.number(), context);
      try {
        Cancellable idleRoll =
            context.schedule(
                IDLE_ROLL_INTERVAL, PunctuationType.WALL_CLOCK_TIME, time -> hold.rollIdle());
        running = new Running<>(context, hold, metrics, idleRoll);
      } catch (RuntimeException e) {
        metrics.close();
        throw e;
      }
    } catch (RuntimeException e) {
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
      now.metrics.dropped();
      return;
    }
    K tableKey = join.keySelector().apply(streamRecord.key(), left);
    if (tableKey == null && join.kind() == JoinKind.INNER) {
      now.metrics.dropped();
      return;
    }
    V right = tableKey == null ? null : lookUp(now, tableKey);
    if (right == null && join.kind() == JoinKind.INNER) {
      return;
    }
    FixedKeyRecord<KS, VR> joined =
        streamRecord.withValue(join.joiner().apply(streamRecord.key(), left, right));
    String header = join.source().settings().versionHeader();
    if (header != null) {
      now.hold.stamp(joined.headers(), header);
    }
    now.context.forward(joined);
  }

  private @Nullable V lookUp(Running<KS, K, V, VR> now, K tableKey) {
    V right;
    if (now.metrics.isTimed()) {
      long start = System.nanoTime();
      right = now.hold.get(tableKey);
      now.metrics.took(System.nanoTime() - start);
    } else {
      right = now.hold.get(tableKey);
    }
    if (right == null) {
      now.metrics.missed();
    } else {
      now.metrics.hit();
    }
    return right;
  }

  @Override
  public void close() {
    Running<KS, K, V, VR> ending = running;
    running = null;
    if (ending != null) {
      try (ending.metrics) {
        ending.idleRoll.cancel();
      } finally {
        join.holds().release(ending.hold);
      }
    }
  }
}
