package io.bsdb.http.api;

import io.bsdb.http.exchange.Access;
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
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of a table, below {@code /v1/tables/{table}} and, for one version, below {@code
 * /v1/tables/{table}/versions/{version}}: what answers there, and as what the metrics count it.
 */
public final class TableRoutes {
  public static final List<String> READ = List.of("GET", "HEAD");
  private static final List<String> POST = List.of("POST");

  private final Map<String, Route> routes = new HashMap<>();
  private final Service service;

  /** Answers at an address. */
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

  /** Describes a version as JSON, whatever the request. */
  interface Describer {
    void answer(Exchange exchange, ServedTable table, @Nullable String version) throws IOException;
  }

  /**
   * An address.
   *
   * @param kind as which requests are counted
   * @param ofVersions whether it is there for each version, too
   */
  private record Route(
      Access.Kind kind, List<String> methods, boolean ofVersions, Answerer answerer) {}

  public TableRoutes(Service service, TableAnswers tables, DiffAnswer diff, BodyReader bodies) {
    this.service = service;
    add("", true, describing(tables::describe));
    add("schema", true, describing(tables::schema));
    add("stats", true, describing(tables::stats));
    add("versions", false, describing((exchange, table, none) -> tables.versions(exchange, table)));
    add("sample", true, (exchange, table, version, key) -> tables.sample(exchange, table, version));
    add("diff", false, (exchange, table, version, key) -> diff.answer(exchange, table));
    routes.put("rows", new Route(Access.Kind.ROW, READ, true, this::rows));
    for (Nearest nearest : Nearest.values()) {
      String name = nearest.name().toLowerCase(Locale.ROOT).replace('_', '-');
      routes.put("rows:" + name, new Route(Access.Kind.ROW, READ, true, nearest(nearest)));
    }
    routes.put(
        "rows:lookup",
        new Route(
            Access.Kind.LOOKUP,
            POST,
            true,
            (exchange, table, version, key) ->
                bodies.read(
                    exchange,
                    body -> Lookups.answer(exchange, table, service.hold(table, version), body))));
  }

  private void add(String address, boolean ofVersions, Answerer answerer) {
    routes.put(address, new Route(Access.Kind.TABLE, READ, ofVersions, answerer));
  }

  private static Answerer describing(Describer describer) {
    return (exchange, table, version, key) -> {
      TableAnswers.requireJson(exchange);
      describer.answer(exchange, table, version);
    };
  }

  private Answerer nearest(Nearest nearest) {
    return (exchange, table, version, key) ->
        Rows.get(exchange, table, service.hold(table, version), nearest, null);
  }

  private void rows(
      Exchange exchange, ServedTable table, @Nullable String version, @Nullable String key)
      throws IOException {
    Held held = service.hold(table, version);
    if (key == null && RangeAnswer.isRange(exchange.address(), held.rows())) {
      RangeAnswer.answer(exchange, table, held);
    } else {
      Rows.get(exchange, table, held, null, key);
    }
  }

  /**
   * Returns the table whose version in use an address asks for the row of a key; null if it asks
   * for something else.
   *
   * @param segments of the whole address
   */
  public @Nullable ServedTable tableOfRow(List<String> segments) {
    return segments.size() == 5
            && segments.get(3).equals("rows")
            && segments.get(1).equals("tables")
            && segments.get(0).equals("v1")
        ? service.tableOrNull(segments.get(2))
        : null;
  }

  /**
   * Answers a request.
   *
   * @param segments of its address after {@code /v1/tables}, at least one
   */
  public void answer(Exchange exchange, List<String> segments) throws IOException {
    ServedTable table = service.table(segments.get(0));
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
