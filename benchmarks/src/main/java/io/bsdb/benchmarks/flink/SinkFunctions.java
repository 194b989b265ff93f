package io.bsdb.benchmarks.flink;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.table.functions.ScalarFunction;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;

/** Input and probes of {@link SinkBench}. Jobs run in this process, so that counters are shared. */
public final class SinkFunctions {
  private SinkFunctions() {}

  /**
   * Makes five changes of a number: an even key is inserted and updated, which are three changes
   * with the old row, and an odd one inserted and deleted. Those of a key follow each other.
   */
  record Changelog(String name) implements FlatMapFunction<Long, Row> {
    private static final long serialVersionUID = 1L;

    /** Changes per number that reach a sink; it does not get the old row of an update. */
    static final int CHANGES = 4;

    @Override
    public void flatMap(Long number, Collector<Row> out) {
      long even = number * 2;
      out.collect(Row.ofKind(RowKind.INSERT, even, -1L, name));
      out.collect(Row.ofKind(RowKind.UPDATE_BEFORE, even, -1L, name));
      out.collect(Row.ofKind(RowKind.UPDATE_AFTER, even, number, name));
      out.collect(Row.ofKind(RowKind.INSERT, even + 1, number, name));
      out.collect(Row.ofKind(RowKind.DELETE, even + 1, number, name));
    }
  }

  /**
   * Makes a random key of each number, and lets them pass evenly: a limited rate of Flink's lets
   * all rows of a second pass at once.
   */
  static final class Paced extends RichMapFunction<Long, Long> {
    private static final long serialVersionUID = 1L;
    private final int perSecond;
    private final long keys;
    private transient long start;
    private transient long passed;

    /**
     * @param perSecond rate of each task
     */
    Paced(int perSecond, long keys) {
      this.perSecond = perSecond;
      this.keys = keys;
    }

    @Override
    public void open(OpenContext context) {
      start = System.nanoTime();
    }

    @Override
    public Long map(Long number) {
      long due = start + passed * TimeUnit.SECONDS.toNanos(1) / perSecond;
      passed++;
      long early = due - System.nanoTime();
      if (early > 0) {
        LockSupport.parkNanos(early);
      }
      return new SplittableRandom(number).nextLong(keys);
    }
  }

  /** Returns the time at which a row passes, in milliseconds since the epoch. */
  public static final class Now extends ScalarFunction {
    private static final long serialVersionUID = 1L;

    public long eval() {
      return System.currentTimeMillis();
    }

    @Override
    public boolean isDeterministic() {
      return false;
    }
  }

  /** Counts the rows that were found. */
  public static final class Found extends ScalarFunction {
    private static final long serialVersionUID = 1L;
    private static final LongAdder COUNT = new LongAdder();

    public Long eval(Long passed) {
      if (passed != null) {
        COUNT.increment();
      }
      return passed;
    }

    static long countAndReset() {
      return COUNT.sumThenReset();
    }
  }

  /**
   * Notes how old rows are when they are found first. They carry the time at which they passed
   * their source. Those that went just before the barrier of a checkpoint are the youngest of a
   * version: their age is the time since that checkpoint began. So of all rows that passed within
   * one checkpoint interval the least age counts, as an upper bound.
   */
  public static final class Age extends ScalarFunction {
    private static final long serialVersionUID = 1L;
    private static final Map<Long, Long> AGES = new HashMap<>();
    private static long start;
    private static long newest;

    public Long eval(Long passed) {
      if (passed != null && passed >= start) {
        note(passed);
      }
      return passed;
    }

    private static void note(long passed) {
      synchronized (AGES) {
        newest = Math.max(newest, passed);
        AGES.merge(
            passed / SinkBench.CHECKPOINT_MILLIS, System.currentTimeMillis() - passed, Math::min);
      }
    }

    /** Forgets the ages, and watches rows from the next interval but one on. */
    static void restart() {
      synchronized (AGES) {
        AGES.clear();
        start =
            (System.currentTimeMillis() / SinkBench.CHECKPOINT_MILLIS + 2)
                * SinkBench.CHECKPOINT_MILLIS;
      }
    }

    /** Returns the ages, without the last interval, whose rows are incomplete. */
    static List<Long> ages() {
      synchronized (AGES) {
        AGES.remove(newest / SinkBench.CHECKPOINT_MILLIS);
        return List.copyOf(AGES.values());
      }
    }
  }
}
