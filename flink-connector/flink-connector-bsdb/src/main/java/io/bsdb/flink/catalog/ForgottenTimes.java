package io.bsdb.flink.catalog;

import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectPath;

/**
 * Finds out when Flink forgets a time. Of {@code t FOR SYSTEM_TIME AS OF x AS a} Flink 2.3
 * validates the table of that time, but plans the one in service, because the table is asked for by
 * its name alone where the alias stands outside. All that tells this from a lookup join is that the
 * same thread has validated a time of the table just before; and what Flink is doing shows in the
 * thread's stack alone.
 *
 * <p>Takes some lookup joins for such a query: with a table that the same query also reads at a
 * time, or that a query before, which turned out to be wrong, meant to read at a time. The second
 * attempt succeeds then. Safe for use by many threads.
 */
final class ForgottenTimes {
  private static final String VALIDATOR = "org.apache.calcite.sql.validate.SqlValidatorImpl";
  private static final String PLANNER = "org.apache.calcite.sql2rel.SqlToRelConverter";
  private static final String PLANS_TIMES = "convertTemporalTable";

  private final ThreadLocal<Query> queries = ThreadLocal.withInitial(Query::new);

  /** What is known of the query that a thread is at. */
  private static final class Query {
    private final Set<ObjectPath> travelled = new HashSet<>();
    private boolean planned;

    /** A query is validated first, then planned; only queries of views are validated in between. */
    private void see(Stack stack) {
      if (stack.validates && !stack.plans && planned) {
        travelled.clear();
        planned = false;
      }
      planned |= stack.plans;
    }
  }

  /**
   * What Flink is doing.
   *
   * @param validates rather than plans, if it validates a view while it plans a query
   * @param plans a query, or one around
   * @param plansTime an expression with {@code FOR SYSTEM_TIME AS OF}
   */
  private record Stack(boolean validates, boolean plans, boolean plansTime) {
    static Stack ofThread() {
      return StackWalker.getInstance().walk(frames -> of(frames.iterator()));
    }

    private static Stack of(Iterator<StackWalker.StackFrame> innermostFirst) {
      boolean validates = false;
      boolean plans = false;
      boolean plansTime = false;
      while (innermostFirst.hasNext()) {
        StackWalker.StackFrame frame = innermostFirst.next();
        if (frame.getClassName().equals(PLANNER)) {
          plans = true;
          plansTime |= !validates && frame.getMethodName().equals(PLANS_TIMES);
        } else if (frame.getClassName().equals(VALIDATOR)) {
          validates |= !plans;
        }
      }
      return new Stack(validates, plans, plansTime);
    }
  }

  /** A table is asked for as it was at a time. */
  void asked(ObjectPath table) {
    Stack stack = Stack.ofThread();
    Query query = queries.get();
    query.see(stack);
    if (stack.validates) {
      query.travelled.add(table);
    }
  }

  /**
   * A table is asked for as it is.
   *
   * @throws ValidationException if that is because a time was forgotten
   */
  void requireRemembered(ObjectPath table) {
    Query query = queries.get();
    if (query.travelled.isEmpty()) {
      return;
    }
    Stack stack = Stack.ofThread();
    query.see(stack);
    if (stack.plansTime && query.travelled.remove(table)) {
      throw new ValidationException(
          "table %s: Flink forgets the time of FOR SYSTEM_TIME AS OF if an alias follows it, and in views; write (SELECT * FROM %s FOR SYSTEM_TIME AS OF …) AS the alias, and `%s$at2026-11-20T08:30:00Z` in views"
              .formatted(table.getFullName(), table.getObjectName(), table.getObjectName()));
    }
  }
}
