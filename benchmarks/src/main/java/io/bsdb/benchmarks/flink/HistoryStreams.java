package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.harness.Workload;
import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource.NumberSequenceSplit;
import org.apache.flink.api.connector.source.lib.util.IteratorSourceReader;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.functions.ScalarFunction;
import org.jspecify.annotations.Nullable;

/**
 * Prices and orders of {@link HistoryBench}, as functions of their numbers: an item, the number,
 * which is the price too, and a time in milliseconds. In each {@code items} milliseconds the price
 * of every item changes once. Orders come when all items have their first price.
 */
record HistoryStreams(long items, long orders) implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Prices of an item. */
  private static final int VERSIONS = 10;

  /** One order of so many has an earlier time, any since the first order. */
  private static final int LATE = 20;

  long count(Stream stream) {
    return stream == Stream.PRICES ? items * VERSIONS : orders;
  }

  RowData row(Stream stream, long number) {
    boolean isPrice = stream == Stream.PRICES;
    return GenericRowData.of(
        (isPrice ? number % items : place(number)) * Jobs.STEP % items,
        number,
        TimestampData.fromEpochMillis(isPrice ? number : time(number)));
  }

  /** Returns the price that was valid at the time of an order. */
  long price(long order) {
    return time(order) - Math.floorMod(time(order) - place(order), items);
  }

  /** Returns when the item of an order changes first, which permutes the items. */
  private long place(long order) {
    return Long.remainderUnsigned(Workload.mix(order), items);
  }

  private long time(long order) {
    long due = order * (items * (VERSIONS - 1)) / orders;
    long earlier = Long.divideUnsigned(Workload.mix(~order), LATE);
    return items + (isLate(order) ? earlier % (due + 1) : due);
  }

  boolean isLate(long order) {
    return Long.remainderUnsigned(Workload.mix(~order), LATE) == 0;
  }

  /** One of the streams. */
  enum Stream {
    PRICES,
    ORDERS
  }

  /** Their numbers. Orders wait until they may come, without holding checkpoints up. */
  static final class Numbers extends NumberSequenceSource {
    private static final long serialVersionUID = 1L;

    /** Tasks that have not read all prices yet. */
    private static final AtomicInteger READING = new AtomicInteger();

    private static volatile CompletableFuture<Void> orders = new CompletableFuture<>();

    private final Stream stream;

    Numbers(Stream stream, long count) {
      super(0, count - 1);
      this.stream = stream;
    }

    /** Makes the orders wait. All sources run in this process, one of each stream at a time. */
    static void restart(int parallelism) {
      READING.set(parallelism);
      orders = new CompletableFuture<>();
    }

    static boolean arePricesRead() {
      return READING.get() == 0;
    }

    static void letOrdersCome() {
      orders.complete(null);
    }

    @Override
    public SourceReader<Long, NumberSequenceSplit> createReader(SourceReaderContext context) {
      int tasks = context.currentParallelism();
      long perTask = (getTo() + 1) / tasks;
      return new IteratorSourceReader<>(context) {
        /** Tasks go on through the same time, rather than each through a part of it. */
        @Override
        protected Long convert(Long number) {
          return number % perTask * tasks + number / perTask;
        }

        @Override
        public InputStatus pollNext(ReaderOutput<Long> output) {
          if (stream == Stream.ORDERS && !orders.isDone()) {
            return InputStatus.NOTHING_AVAILABLE;
          }
          InputStatus status = super.pollNext(output);
          if (stream == Stream.PRICES && status == InputStatus.END_OF_INPUT) {
            READING.decrementAndGet();
          }
          return status;
        }

        @Override
        public CompletableFuture<Void> isAvailable() {
          return stream == Stream.ORDERS && !orders.isDone() ? orders : super.isAvailable();
        }
      };
    }
  }

  /** Counts what orders got. */
  public static final class Check extends ScalarFunction {
    private static final long serialVersionUID = 1L;

    private static final List<String> COUNTS =
        List.of("right", "wrong", "none", "late right", "late wrong", "late none");

    private static final List<LongAdder> COUNTERS =
        COUNTS.stream().map(name -> new LongAdder()).toList();

    private final HistoryStreams streams;

    Check(HistoryStreams streams) {
      this.streams = streams;
    }

    /** Returns whether it is the right price. */
    public boolean eval(long order, @Nullable Long price) {
      boolean isRight = price != null && price == streams.price(order);
      int outcome = isRight ? 0 : price != null ? 1 : 2;
      COUNTERS.get(outcome + (streams.isLate(order) ? 3 : 0)).increment();
      return isRight;
    }

    @Override
    public boolean isDeterministic() {
      return false;
    }

    static long total() {
      return COUNTERS.stream().mapToLong(LongAdder::sum).sum();
    }

    static Map<String, Long> countsAndReset() {
      Map<String, Long> counts = new LinkedHashMap<>();
      for (int i = 0; i < COUNTS.size(); i++) {
        counts.put(COUNTS.get(i), COUNTERS.get(i).sumThenReset());
      }
      return counts;
    }
  }
}
