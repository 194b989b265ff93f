package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.harness.Workload;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.functions.ScalarFunction;
import org.jspecify.annotations.Nullable;

/** The records of all benchmarks as SQL functions of their numbers, and what checks them. */
public final class WorkloadFunctions {
  /** Rows of the table hold this times their key beside it, so that answers can be checked. */
  static final long FACTOR = 3;

  private static final Workload WORKLOAD = new Workload(1);

  private WorkloadFunctions() {}

  static String value(long id) {
    return new String(WORKLOAD.value(id), StandardCharsets.US_ASCII);
  }

  /** The key of a record as a number. */
  public static final class KeyOf extends ScalarFunction {
    private static final long serialVersionUID = 1L;

    public long eval(long id) {
      return Workload.keyNumber(id);
    }
  }

  /** The value of a record. */
  public static final class ValueOf extends ScalarFunction {
    private static final long serialVersionUID = 1L;

    public String eval(long id) {
      return value(id);
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
    private static final LongAdder COUNT = new LongAdder();

    private long rows;

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
      boolean isNumber = number != null && number == key * FACTOR;
      boolean isName =
          name != null
              && (rows++ % COMPARED_EVERY != 0 || value(Workload.id(key)).equals(name.toString()));
      if (checked && !(isNumber && isName)) {
        throw new IllegalStateException("wrong answer: " + key + " " + number + " " + name);
      }
      return isNumber && isName;
    }

    @Override
    public boolean isDeterministic() {
      return false;
    }

    static long countAndReset() {
      return COUNT.sumThenReset();
    }
  }
}
