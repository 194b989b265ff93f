package io.bsdb.http.api;

import io.bsdb.http.exchange.BodyReader;
import io.bsdb.http.exchange.Exchange;
import io.bsdb.http.exchange.Problem;
import io.bsdb.http.table.Held;
import io.bsdb.http.table.ServedTable;
import io.bsdb.http.table.Service;
import io.bsdb.reader.Nearest;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of a table, below {@code /v1/tables/{table}} and, of one version, below {@code
 * /v1/tables/{table}/versions/{version}}: what answers there, and as what the metrics count it.
 */
public final class TableRoutes {
  public static final List<String> READ = List.of("GET", "HEAD");
  private static final List<String> POST = List.of("POST");
  private static final String ROW = "row";
  private static final String TABLE = "table";

  private final Map<String, Route> routes = new HashMap<>();
  private final Service service;

  /** What answers at an address. */
  interface Answerer {
    /**
     * Answers a request.
     *
     * @param version null for the one in use
     * @param key from the path; null if it has none
     */
    void answer(
        Exchange exchange, ServedTable table, @Nullable String version, @Nullable String key)
        throws IOException;
  }

  /**
   * What there is at an address.
   *
   * @param kind as which requests are counted
   * @param ofVersions whether it is there for each version, too
   */
  private record Route(String kind, List<String> methods, boolean ofVersions, Answerer answerer) {}

  public TableRoutes(Service service, TableAnswers tables, DiffAnswer diff, BodyReader bodies) {
    this.service = service;
    add("", TABLE, (exchange, table, version, key) -> tables.describe(exchange, table, version));
    add(
        "schema",
        TABLE,
        (exchange, table, version, key) -> tables.schema(exchange, table, version));
    add("stats", TABLE, (exchange, table, version, key) -> tables.stats(exchange, table, version));
    add(
        "sample",
        TABLE,
        (exchange, table, version, key) -> tables.sample(exchange, table, version));
    add("rows", ROW, this::rows);
    add("rows:floor", ROW, nearest(Nearest.FLOOR));
    add("rows:ceiling", ROW, nearest(Nearest.CEILING));
    add("rows:longest-prefix", ROW, nearest(Nearest.LONGEST_PREFIX));
    routes.put(
        "rows:lookup",
        new Route(
            "lookup",
            POST,
            true,
            (exchange, table, version, key) ->
                bodies.read(
                    exchange,
                    body -> Lookups.answer(exchange, table, service.hold(table, version), body))));
    routes.put(
        "versions",
        new Route(
            TABLE,
            READ,
            false,
            (exchange, table, version, key) -> tables.versions(exchange, table)));
    routes.put(
        "diff",
        new Route(
            TABLE, READ, false, (exchange, table, version, key) -> diff.answer(exchange, table)));
  }

  private void add(String address, String kind, Answerer answerer) {
    routes.put(address, new Route(kind, READ, true, answerer));
  }

  private Answerer nearest(Nearest nearest) {
    return (exchange, table, version, key) ->
        Rows.get(exchange, table, service.hold(table, version), nearest, null);
  }

  private void rows(
      Exchange exchange, ServedTable table, @Nullable String version, @Nullable String key)
      throws IOException {
    Held held = service.hold(table, version);
    if (key == null && OrderedRows.isRange(exchange.address(), held.rows())) {
      OrderedRows.range(exchange, table, held);
    } else {
      Rows.get(exchange, table, held, null, key);
    }
  }

  /**
   * Answers a request.
   *
   * @param segments of its address after {@code /v1/tables}, at least one
   */
  public void answer(Exchange exchange, List<String> segments) throws IOException {
    ServedTable table = service.table(segments.get(0));
    exchange.access.table = table.name();
    List<String> rest = segments.subList(1, segments.size());
    String version = null;
    if (rest.size() > 1 && rest.get(0).equals("versions")) {
      version = rest.get(1);
      ServedTable.requireVersion(version);
      rest = rest.subList(2, rest.size());
    }
    String what = rest.isEmpty() ? "" : rest.get(0);
    String key = rest.size() == 2 && what.equals("rows") ? rest.get(1) : null;
    Route route = routes.get(what);
    if (route == null
        || rest.size() > (key == null ? 1 : 2)
        || (version != null && !route.ofVersions)) {
      throw Problem.unknownAddress();
    }
    exchange.access.kind = route.kind;
    exchange.requireMethod(route.methods);
    route.answerer.answer(exchange, table, version, key);
  }
}
