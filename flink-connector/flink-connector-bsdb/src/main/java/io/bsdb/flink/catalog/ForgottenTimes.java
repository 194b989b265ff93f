package io.bsdb.flink.catalog;

import io.bsdb.flink.PlannerStack;
import java.util.HashSet;
import java.util.Set;
import org.apache.flink.table.api.ValidationException;

/**
 * Finds out in joins that Flink has forgotten a time, see {@link PlannerStack}. What it has
 * forgotten looks like a lookup join; but the same thread has validated a time of the table just
 * before.
 *
 * <p>Takes some lookup joins for such a query: with a table that the same query, or another one of
 * its statement set, also reads at a time, or that a query before, which turned out to be wrong,
 * meant to read at a time. In the last case the second attempt succeeds. Safe for use by many
 * threads.
 */
final class ForgottenTimes {
  private static final ThreadLocal<Query> QUERIES = new ThreadLocal<>();

  private ForgottenTimes() {}

  /** What is known of the query that a thread is at. */
  private static final class Query {
    private final Set<String> travelled = new HashSet<>();
    private boolean planned;

    /** Whether another one has begun. Only queries of views are validated amid planning. */
    private boolean isOver(PlannerStack stack) {
      if (stack.validates() && !stack.plans() && planned) {
        return true;
      }
      planned |= stack.plans();
      return false;
    }
  }

  /**
   * A table is asked for as it was at a time.
   *
   * @param table its name, with that of the catalog
   */
  static void asked(String table) {
    PlannerStack stack = PlannerStack.ofThread();
    Query query = QUERIES.get();
    if (query == null || query.isOver(stack)) {
      query = new Query();
      QUERIES.set(query);
    }
    if (stack.validates()) {
      query.travelled.add(table);
    }
  }

  /**
   * A table is asked for as it is.
   *
   * @param table its name, with that of the catalog
   * @throws ValidationException if that is because a time was forgotten
   */
  static void requireRemembered(String table) {
    Query query = QUERIES.get();
    if (query == null) {
      return;
    }
    PlannerStack stack = PlannerStack.ofThread();
    if (query.isOver(stack)) {
      QUERIES.remove();
    } else if (stack.time() == PlannerStack.Time.JOINED && query.travelled.contains(table)) {
      QUERIES.remove();
      throw PlannerStack.forgotten(table);
    }
  }
}
