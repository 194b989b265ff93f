package io.bsdb.http;

import io.bsdb.http.api.DiffAnswer;
import io.bsdb.http.api.Health;
import io.bsdb.http.api.Metrics;
import io.bsdb.http.api.TableAnswers;
import io.bsdb.http.api.TableRoutes;
import io.bsdb.http.exchange.Access;
import io.bsdb.http.exchange.AccessLog;
import io.bsdb.http.exchange.AccessRules;
import io.bsdb.http.exchange.Address;
import io.bsdb.http.exchange.BodyReader;
import io.bsdb.http.exchange.Budget;
import io.bsdb.http.exchange.Exchange;
import io.bsdb.http.exchange.MediaType;
import io.bsdb.http.exchange.Problem;
import io.bsdb.http.page.TablePages;
import io.bsdb.http.table.Comparisons;
import io.bsdb.http.table.ServedTable;
import io.bsdb.http.table.Service;
import io.bsdb.http.wire.Connections;
import io.bsdb.http.wire.Limits;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Checks requests and hands them to what answers at their address. Rows of tables in memory are
 * answered by the thread that has read the request, which is the thread of a selector and must not
 * wait; everything else by another thread of the server.
 */
final class Router extends Handler.Abstract.NonBlocking {
  private static final Set<Problem.Kind> UNKNOWN =
      EnumSet.of(Problem.Kind.UNKNOWN_ADDRESS, Problem.Kind.UNKNOWN_TABLE);

  /** Addresses that answer without a token, and when all connections are in use. */
  private static final Set<String> HEALTH = Set.of("health/live", "health/ready");

  private static final HttpField CLOSE = new HttpField(HttpHeader.CONNECTION, "close");

  private final Service service;
  private final Limits limits;
  private final Health health;
  private final AccessRules rules;
  private final Metrics metrics;
  private final @Nullable AccessLog log;
  private final TableAnswers tables;
  private final TableRoutes ofTables;
  private final TablePages pages;

  Router(
      Service service,
      Health health,
      AccessRules rules,
      Metrics metrics,
      @Nullable AccessLog log,
      ScheduledExecutorService timer) {
    this.service = service;
    this.limits = service.limits();
    this.health = health;
    this.rules = rules;
    this.metrics = metrics;
    this.log = log;
    this.tables = new TableAnswers(service);
    Comparisons comparisons = new Comparisons(service);
    this.ofTables =
        new TableRoutes(
            service, tables, new DiffAnswer(service, comparisons), new BodyReader(limits, timer));
    this.pages = new TablePages(service, comparisons, metrics.activity());
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    Access access = new Access(request.getBeginNanoTime());
    String path = String.valueOf(request.getHttpURI().getPath());
    Budget.Share share = service.budget().new Share();
    // Before the connection goes on with its next request, which may ask for these figures, or need
    // this memory.
    Callback counted =
        Callback.from(
            () -> {
              share.close();
              long nanos = System.nanoTime() - access.startNanos;
              metrics.answered(access, nanos);
              if (log != null) {
                log.write(request.getMethod(), path, access, nanos / 1000);
              }
            },
            callback);
    Exchange exchange =
        new Exchange(request, response, counted, limits, rules.hasToken(), share, access);
    try {
      requireAddress(request.getHttpURI());
      rules.requireHost(request);
      Address address = Address.of(path, request.getHttpURI().getQuery());
      exchange.address(address);
      ServedTable quick = quick(exchange);
      if (quick == null) {
        exchange.executor().execute(() -> route(exchange));
      } else {
        route(exchange);
        quick.took(System.nanoTime() - request.getHeadersNanoTime());
      }
    } catch (RuntimeException | Error e) {
      fail(exchange, e);
    }
    return true;
  }

  /** Returns the table if the request is for a row that can be expected at once. */
  private @Nullable ServedTable quick(Exchange exchange) {
    ServedTable table =
        exchange.isRead() ? ofTables.tableOfRow(exchange.address().segments()) : null;
    return table != null && table.isQuick() && Connections.mayAnswerAtOnce(exchange.request())
        ? table
        : null;
  }

  /** Answers with a problem: as a page if it is a browser that asks for something unknown. */
  private void fail(Exchange exchange, Throwable failure) {
    if (failure instanceof Problem problem
        && UNKNOWN.contains(problem.kind())
        && exchange.prefersHtml()) {
      try {
        pages.problem(exchange, problem);
        return;
      } catch (IOException | RuntimeException e) {
        failure.addSuppressed(e);
      }
    }
    exchange.fail(failure);
  }

  private void requireAddress(HttpURI uri) {
    int length = uri.getPathQuery() == null ? 0 : uri.getPathQuery().length();
    if (length > limits.addressBytes()) {
      throw new Problem(
          Problem.Kind.ADDRESS_TOO_LONG,
          "it has %d bytes, expected<=%d; POST to rows:lookup takes longer keys",
          length,
          limits.addressBytes());
    }
  }

  private static void requireRoom(Exchange exchange) {
    if (!Connections.hasRoom(exchange.request())) {
      exchange.header(CLOSE);
      throw new Problem(
          Problem.Kind.OVERLOADED,
          "all connections are in use, expected<=%d",
          exchange.limits().connections());
    }
  }

  private static boolean isHealth(List<String> segments) {
    return segments.size() == 2 && HEALTH.contains(String.join("/", segments));
  }

  private void route(Exchange exchange) {
    List<String> segments = exchange.address().segments();
    try {
      if (!isHealth(segments)) {
        requireRoom(exchange);
        rules.requireToken(exchange.request());
      }
      route(exchange, segments);
    } catch (IOException | RuntimeException | Error e) {
      fail(exchange, e);
    }
  }

  private void route(Exchange exchange, List<String> segments) throws IOException {
    String first = segments.isEmpty() ? "" : segments.get(0);
    if (first.equals("v1") && segments.size() > 1 && segments.get(1).equals("tables")) {
      exchange.access.kind = Access.Kind.TABLE;
      if (segments.size() == 2) {
        exchange.requireMethod(TableRoutes.READ);
        tables.tables(exchange);
      } else {
        ofTables.answer(exchange, segments.subList(2, segments.size()));
      }
      return;
    }
    exchange.requireMethod(TableRoutes.READ);
    switch (String.join("/", segments)) {
      case "health/live" -> health.live(exchange);
      case "health/ready" -> health.ready(exchange);
      case "metrics" -> {
        exchange.address().allow(Set.of());
        exchange.answer(200, MediaType.METRICS, metrics.text());
      }
      case "openapi.json" -> Resources.answer(exchange, "openapi.json", MediaType.JSON);
      case "page.css" -> Resources.answer(exchange, "page.css", MediaType.STYLE);
      case "page.js" -> Resources.answer(exchange, "page.js", MediaType.SCRIPT);
      default -> {
        exchange.access.kind = Access.Kind.PAGE;
        pages.answer(exchange, segments);
      }
    }
  }
}
