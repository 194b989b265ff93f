package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.harness.Workload;
import java.nio.charset.StandardCharsets;
import org.apache.flink.table.functions.ScalarFunction;

/** The records of all benchmarks as SQL functions of their numbers. */
public final class WorkloadFunctions {
  /** Rows of the table hold this times their key beside it, so that answers can be checked. */
  static final long FACTOR = 3;

  private static final Workload WORKLOAD = new Workload(1);

  private WorkloadFunctions() {}

  static String value(long id) {
    return new String(WORKLOAD.value(id), StandardCharsets.US_ASCII);
  }

  static boolean isNameOf(long key, String name) {
    return value(Workload.id(key)).equals(name);
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
}
