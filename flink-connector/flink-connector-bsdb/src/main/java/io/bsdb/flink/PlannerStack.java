package io.bsdb.flink;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.flink.table.api.ValidationException;

/**
 * What Flink's planner is doing with a table, by the stack of the thread. Nothing else tells that
 * it has forgotten a time: of {@code t FOR SYSTEM_TIME AS OF x AS a} Flink 2.3 plans the table that
 * is in service, because the alias stands between the time and the table's name.
 *
 * @param validates a query, or one of a view within a query that is planned
 * @param plans a query, or one around
 * @param time how the table that is asked for stands to a time; {@code NONE} while validating
 */
public record PlannerStack(boolean validates, boolean plans, Time time) {
  private static final String VALIDATOR = "org.apache.calcite.sql.validate.SqlValidatorImpl";
  private static final String PLANNER = "org.apache.calcite.sql2rel.SqlToRelConverter";

  /** What stands before a table in the query. */
  public enum Time {
    /** No FOR SYSTEM_TIME AS OF. */
    NONE,
    /** A constant, of which the catalog was told. */
    TOLD,
    /** The catalog was not told, and it is no join, so that it cannot be a lookup join. */
    FORGOTTEN,
    /** The catalog was not told, as in each lookup join. */
    JOINED
  }

  /** What the calling thread is doing. */
  public static PlannerStack ofThread() {
    return StackWalker.getInstance().walk(frames -> of(frames.iterator()));
  }

  private static PlannerStack of(Iterator<StackWalker.StackFrame> innermostFirst) {
    boolean validates = false;
    boolean plans = false;
    List<String> planning = new ArrayList<>();
    while (innermostFirst.hasNext()) {
      StackWalker.StackFrame frame = innermostFirst.next();
      if (frame.getClassName().equals(VALIDATOR)) {
        validates |= !plans;
      } else if (frame.getClassName().equals(PLANNER)) {
        plans = true;
        planning.add(frame.getMethodName());
      }
    }
    return new PlannerStack(validates, plans, validates ? Time.NONE : time(planning));
  }

  /**
   * Follows the calls from the table outwards.
   *
   * @param planning methods of the planner, innermost first
   */
  private static Time time(List<String> planning) {
    int table = skip(planning, 0, "toRel");
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
  public static ValidationException forgotten(String table) {
    return new ValidationException(
        "table %s: Flink forgets the time of FOR SYSTEM_TIME AS OF behind an alias, in views, of temporary tables, and if it is no constant; write (SELECT * FROM t FOR SYSTEM_TIME AS OF TIMESTAMP '2026-11-20 08:30:00') AS a, or `t$at2026-11-20T08:30:00Z`, with a table of a catalog of type 'bsdb'"
            .formatted(table));
  }
}
