package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.harness.DataSet;
import io.bsdb.benchmarks.harness.Workload;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.functions.ScalarFunction;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/** Functions in SQL, and of streams. Jobs run in this process, so that counters are shared. */
public final class Functions {
  /** Rows that were checked or found. */
  private static final LongAdder COUNT = new LongAdder();

  private Functions() {}

  /** Requires that so many rows were counted since the last time. */
  static void requireCounted(long expected, String what) {
    long actual = COUNT.sumThenReset();
    if (actual != expected) {
      throw new IllegalStateException(
          "rows of %s: expected=%d actual=%d".formatted(what, expected, actual));
    }
  }

  /** The key of a record as a number. */
  public static final class KeyOf extends ScalarFunction {
    private static final long serialVersionUID = 1L;

    public long eval(long id) {
      return Workload.keyNumber(id);
    }
  }

  /**
   * Counts rows, and fails at the first one that is not what its key should have found. Whoever
   * answers has to produce every text; one of 16 is compared, because generating the expected one
   * takes longer than looking it up.
   */
  public static final class Check extends ScalarFunction {
    private static final long serialVersionUID = 1L;
    private static final int COMPARED_EVERY = 16;

    private long rows;

    static String text(long id) {
      return new String(DataSet.JSON.value(id), StandardCharsets.US_ASCII);
    }

    /**
     * Checks a row.
     *
     * @param checked false where answers are wrong on purpose: they take as long to check
     */
    public boolean eval(
        boolean checked,
        long key,
        @Nullable Long number,
        @DataTypeHint(value = "STRING", bridgedTo = StringData.class) @Nullable StringData name) {
      COUNT.increment();
      boolean isNumber = number != null && number == key * DataSet.FACTOR;
      boolean isName =
          name != null
              && (rows++ % COMPARED_EVERY != 0 || text(Workload.id(key)).equals(name.toString()));
      if (checked && !(isNumber && isName)) {
        throw new IllegalStateException("wrong answer: " + key + " " + number + " " + name);
      }
      return isNumber && isName;
    }

    @Override
    public boolean isDeterministic() {
      return false;
    }
  }

  /**
   * Makes five changes of a number: an even key is inserted and updated, which are three changes
   * with the old row, and an odd one inserted and deleted. Those of a key follow each other.
   */
  record Changelog(String name) implements FlatMapFunction<Long, Row> {
    private static final long serialVersionUID = 1L;

    static final TypeInformation<Row> TYPE =
        Types.ROW_NAMED(
            new String[] {"id", "passed", "name"}, Types.LONG, Types.LONG, Types.STRING);

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
   * Makes a random key of each number, beside the time in milliseconds since the epoch, and lets
   * them pass evenly: a limited rate of Flink's lets all rows of a second pass at once.
   */
  static final class Paced extends RichMapFunction<Long, Tuple2<Long, Long>> {
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
    public Tuple2<Long, Long> map(Long number) {
      long due = start + passed * TimeUnit.SECONDS.toNanos(1) / perSecond;
      passed++;
      long early = due - System.nanoTime();
      if (early > 0) {
        LockSupport.parkNanos(early);
      }
      return Tuple2.of(new SplittableRandom(number).nextLong(keys), System.currentTimeMillis());
    }
  }

  /** Counts the rows that were found. */
  public static final class Found extends ScalarFunction {
    private static final long serialVersionUID = 1L;

    public Long eval(Long passed) {
      if (passed != null) {
        COUNT.increment();
      }
      return passed;
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

    /** By number of the interval. */
    private static final NavigableMap<Long, Long> AGES = new ConcurrentSkipListMap<>();

    private static volatile long start;

    public Long eval(Long passed) {
      if (passed != null && passed >= start) {
        long age = System.currentTimeMillis() - passed;
        AGES.merge(passed / SinkBench.CHECKPOINT_MILLIS, age, Math::min);
      }
      return passed;
    }

    /** Forgets the ages, and watches rows from the next interval but one on. */
    static void restart() {
      AGES.clear();
      long interval = SinkBench.CHECKPOINT_MILLIS;
      start = (System.currentTimeMillis() / interval + 2) * interval;
    }

    /** Returns the ages, without the last interval, whose rows are incomplete. */
    static List<Long> ages() {
      AGES.pollLastEntry();
      return List.copyOf(AGES.values());
    }
  }
}
