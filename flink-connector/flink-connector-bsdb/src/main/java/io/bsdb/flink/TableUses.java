package io.bsdb.flink;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.table.api.ValidationException;
import org.jspecify.annotations.Nullable;

/**
 * What one query, or one set of statements, does with tables, by which it shows in joins that Flink
 * has forgotten a time, see {@link PlannerStack}. What it has forgotten looks like a lookup join;
 * but nobody looks the table up, or the query was validated with a time of the table and planned
 * without. Which of several equal scans Flink makes in the end is not known, so what counts is what
 * a query does with a table at all. Safe for use by many threads.
 *
 * <p>A query that also looks the table up is not found out if it was validated without the time, as
 * with an alias that has a list of columns, or if it reads the table at a time elsewhere.
 *
 * <p>Takes a query for such a one if it scans a table, and Flink has removed its lookup join with
 * the same table, or an earlier one of the thread that came to nothing was to read the table at a
 * time; the latter only once.
 */
public final class TableUses {
  private static final ThreadLocal<@Nullable TableUses> OF_QUERIES = new ThreadLocal<>();

  private final Set<String> validatedAtTimes = ConcurrentHashMap.newKeySet();
  private final Set<String> plannedAtTimes = ConcurrentHashMap.newKeySet();
  private final Set<String> joinedAtTimes = ConcurrentHashMap.newKeySet();
  private final Set<String> lookedUp = ConcurrentHashMap.newKeySet();
  private volatile boolean planned;

  /** Of the query of SQL that the calling thread plans; if it plans none, of a source alone. */
  public static TableUses ofPlannedQuery() {
    return PlannerStack.plansQuery() ? ofQuery() : new TableUses();
  }

  private static TableUses ofQuery() {
    TableUses uses = OF_QUERIES.get();
    if (uses == null) {
      uses = new TableUses();
      OF_QUERIES.set(uses);
    }
    return uses;
  }

  /** A catalog is asked for a table as it is. */
  public static void asked() {
    TableUses previous = OF_QUERIES.get();
    if (previous != null && previous.planned && PlannerStack.validatesQuery()) {
      OF_QUERIES.remove();
    }
  }

  /** A catalog is asked for a table as it was at a time. */
  public static void askedAtTime(String table) {
    asked();
    TableUses uses = ofQuery();
    if (PlannerStack.validates()) {
      uses.validatedAtTimes.add(table);
    } else {
      uses.plannedAtTimes.add(table);
      uses.planned = true;
    }
  }

  /** A source of the table is made, at no time that the catalog was told of. */
  void add(String table, PlannerStack.Time time) {
    planned = true;
    if (time == PlannerStack.Time.JOINED) {
      joinedAtTimes.add(table);
    }
  }

  /** The table is looked up. */
  void addLookup(String table) {
    lookedUp.add(table);
  }

  /**
   * The table is scanned.
   *
   * @throws ValidationException if a time was forgotten
   */
  void requireTimes(String table) {
    boolean forgotten =
        !lookedUp.contains(table)
            || (validatedAtTimes.contains(table) && !plannedAtTimes.contains(table));
    if (joinedAtTimes.contains(table) && forgotten) {
      OF_QUERIES.remove();
      throw PlannerStack.forgotten(table);
    }
  }
}
