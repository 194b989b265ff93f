package io.bsdb.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.benchmarks.harness.Measure;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.peers.Store;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StoreRunTest {
  private static final int LENGTH = 2 * Measure.BATCH;
  private static final long SLOW_MILLIS = 300;

  private final Workload workload = new Workload(1000);

  /** Answers late when asked for the {@code slow}th time. */
  private Store store(int slow) {
    Map<ByteBuffer, byte[]> records = new HashMap<>();
    for (int id = 0; id < workload.records(); id++) {
      records.put(ByteBuffer.wrap(workload.key(id)), workload.value(id));
    }
    return new Store() {
      private int asked;

      @Override
      public byte[] get(byte[] key) {
        if (asked++ == slow) {
          try {
            TimeUnit.MILLISECONDS.sleep(SLOW_MILLIS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        }
        return records.get(ByteBuffer.wrap(key));
      }

      @Override
      public void close() {}
    };
  }

  private double worst(StoreRun run) {
    return run.latencies().get("p99.99");
  }

  @Test
  void latenciesOfUntimedRoundsAndLeadInsDoNotCount() throws Exception {
    double slow = TimeUnit.MILLISECONDS.toNanos(SLOW_MILLIS);
    // Each round asks a lead-in, then what is timed.
    for (int before : List.of(0, LENGTH, 2 * LENGTH)) {
      StoreRun run = new StoreRun(store(before + 3), workload, 1, LENGTH);
      run.latencies(Keys.UNIFORM, -1);
      run.latencies(Keys.UNIFORM, 0);
      assertThat(worst(run)).isLessThan(slow);
    }
    StoreRun run = new StoreRun(store(3 * LENGTH + 3), workload, 1, LENGTH);
    run.latencies(Keys.UNIFORM, -1);
    run.latencies(Keys.UNIFORM, 0);
    assertThat(worst(run)).isGreaterThanOrEqualTo(slow);
  }
}
