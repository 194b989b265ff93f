package io.bsdb.flink;

import java.lang.StackWalker.StackFrame;
import java.util.List;
import java.util.function.Predicate;
import org.apache.flink.table.api.ValidationException;

/**
 * What Flink's planner is doing with a table, by the stack of the calling thread. Nothing else
 * tells that it has forgotten a time: of {@code t FOR SYSTEM_TIME AS OF x AS a} Flink 2.3 plans the
 * table that is in service, because it expects an alias between the table's name and the time.
 */
final class PlannerStack {
  private static final String VALIDATOR = "org.apache.calcite.sql.validate.SqlValidatorImpl";
  private static final String CONVERTER = "org.apache.calcite.sql2rel.SqlToRelConverter";
  private static final String REUSE = "org.apache.flink.table.planner.plan.reuse.ScanReuser";
  private static final String SCANS =
      "org.apache.flink.table.planner.plan.nodes.exec.common.CommonExecTableSourceScan";
  private static final String CHANGES =
      "org.apache.flink.table.planner.plan.optimize.program.FlinkChangelogModeInferenceProgram";

  private PlannerStack() {}

  /** What stands before a table in the query. */
  enum Time {
    /** No FOR SYSTEM_TIME AS OF, as far as the stack shows: not that of a WITH clause. */
    NONE,
    /** A constant, of which the catalog was told; but not if it is the time of a view. */
    TOLD,
    /** The catalog was not told, and it is no join, so that it cannot be a lookup join. */
    FORGOTTEN,
    /** The catalog was not told, as in each lookup join. */
    JOINED
  }

  /** Whether the thread validates a query, or that of a view while it plans the query around. */
  static boolean validates() {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames
                    .map(StackFrame::getClassName)
                    .filter(className -> className.equals(VALIDATOR) || className.equals(CONVERTER))
                    .findFirst()
                    .filter(VALIDATOR::equals)
                    .isPresent());
  }

  /** Whether the thread validates a query, and plans none around. */
  static boolean validatesQuery() {
    return has(VALIDATOR::equals) && !has(CONVERTER::equals);
  }

  /** Whether the thread makes sources for a query of SQL, or makes one of several that it has. */
  static boolean plansQuery() {
    return has(className -> className.equals(CONVERTER) || className.equals(REUSE));
  }

  /** Whether the thread makes the scans of a query, or compiles its plan, which makes none. */
  static boolean makesScans() {
    return has(SCANS::equals) || (has(className -> className.startsWith(CHANGES)) && compiles());
  }

  private static boolean compiles() {
    return StackWalker.getInstance()
        .walk(frames -> frames.map(StackFrame::getMethodName).anyMatch("compilePlan"::equals));
  }

  private static boolean has(Predicate<String> className) {
    return StackWalker.getInstance()
        .walk(frames -> frames.map(StackFrame::getClassName).anyMatch(className));
  }

  /** How the table whose source the thread makes stands to a time. */
  static Time time() {
    return time(
        StackWalker.getInstance()
            .walk(
                frames ->
                    frames
                        .filter(frame -> frame.getClassName().equals(CONVERTER))
                        .map(StackFrame::getMethodName)
                        .toList()));
  }

  /**
   * Follows the calls outwards from the table, then from each view that it is in, up to a time.
   *
   * @param planning methods of the planner, innermost first
   */
  private static Time time(List<String> planning) {
    Time time = Time.NONE;
    for (int i = 0; i < planning.size() && time == Time.NONE; i++) {
      if (planning.get(i).equals("toRel")) {
        time = time(planning, i);
      }
    }
    return time;
  }

  private static Time time(List<String> planning, int relation) {
    int table = skip(planning, relation, "toRel");
    int name = skip(planning, table, "convertIdentifier");
    int outside = skip(planning, name, "convertFrom");
    int time = skip(planning, outside, "convertTemporalTable");
    if (name == table || time == outside) {
      return Time.NONE;
    }
    if (outside == name) {
      return Time.TOLD;
    }
    int expression = skip(planning, time, "convertFrom");
    return skip(planning, expression, "convertJoin") > expression ? Time.JOINED : Time.FORGOTTEN;
  }

  private static int skip(List<String> methods, int from, String method) {
    int i = from;
    while (i < methods.size() && methods.get(i).equals(method)) {
      i++;
    }
    return i;
  }

  /** The failure of a query of which Flink forgets a time. */
  static ValidationException forgotten(String table) {
    return new ValidationException(
        "table %s: Flink forgets the time of FOR SYSTEM_TIME AS OF behind an alias, in views, of temporary tables, and if it is no constant; write (SELECT * FROM t FOR SYSTEM_TIME AS OF TIMESTAMP '2026-11-20 08:30:00') AS a, or `t$at2026-11-20T08:30:00Z`, with a table of a catalog of type 'bsdb'"
            .formatted(table));
  }
}
