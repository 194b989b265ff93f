package io.bsdb.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.benchmarks.harness.Measure;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.peers.Store;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StoreRunTest {
  private static final int LENGTH = 2 * Measure.BATCH;
  private static final long FAST_NANOS = 1_000;
  private static final long SLOW_NANOS = 300_000_000;

  private final Workload workload = new Workload(1000);
  private final AtomicLong clock = new AtomicLong();

  /** Answers late when asked for the {@code slow}th time. */
  private Store store(int slow) {
    Map<ByteBuffer, byte[]> records = new HashMap<>();
    for (int id = 0; id < workload.records(); id++) {
      records.put(ByteBuffer.wrap(workload.key(id)), workload.value(id));
    }
    AtomicInteger asked = new AtomicInteger();
    return key -> {
      clock.addAndGet(asked.getAndIncrement() == slow ? SLOW_NANOS : FAST_NANOS);
      return records.get(ByteBuffer.wrap(key));
    };
  }

  private long longest(int slow) throws Exception {
    StoreRun run = new StoreRun(store(slow), workload, 1, LENGTH, clock::get);
    run.measure(Measure.LATENCY, -1);
    run.measure(Measure.LATENCY, 0);
    return Long.parseLong(run.answer("percentile 99.99"));
  }

  @Test
  void latenciesOfUntimedRoundsAndLeadInsDoNotCount() throws Exception {
    // Each round asks a lead-in, then what is timed.
    for (int before : List.of(0, LENGTH, 2 * LENGTH)) {
      assertThat(longest(before + 3)).isEqualTo(FAST_NANOS);
    }
    assertThat(longest(3 * LENGTH + 3)).isGreaterThanOrEqualTo(SLOW_NANOS);
  }
}
