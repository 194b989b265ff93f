package io.bsdb.http.page;

import io.bsdb.format.Figures;
import io.bsdb.format.io.IOConsumer;
import io.bsdb.http.exchange.Activity;
import io.bsdb.http.exchange.Address;
import io.bsdb.http.exchange.Exchange;
import io.bsdb.http.exchange.MediaType;
import io.bsdb.http.exchange.Problem;
import io.bsdb.http.table.Comparisons;
import io.bsdb.http.table.ServedTable;
import io.bsdb.http.table.Service;
import io.bsdb.table.VersionFacts;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.jspecify.annotations.Nullable;

/** The pages: what all have in common, and which there are. */
public final class TablePages {
  private static final HttpField POLICY =
      new PreEncodedHttpField(
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
              + " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
  private static final HttpField NO_REFERRER =
      new PreEncodedHttpField("Referrer-Policy", "no-referrer");

  private final Service service;
  private final SnapshotPage snapshots;
  private final KeyPage keys;
  private final RangePage ranges;
  private final VersionPages versions;
  private final LivePage live;

  public TablePages(Service service, Comparisons comparisons, Activity activity) {
    this.service = service;
    this.snapshots = new SnapshotPage(service);
    this.keys = new KeyPage(service);
    this.ranges = new RangePage();
    this.versions = new VersionPages(service, comparisons);
    this.live = new LivePage(service, activity);
  }

  public void answer(Exchange exchange, List<String> segments) throws IOException {
    Address address = exchange.address();
    boolean ofTable = segments.size() > 1 && segments.get(0).equals("tables");
    if (segments.isEmpty()) {
      address.allow(Set.of());
      show(exchange, null, "Tables", "/v1/tables", this::tables);
      return;
    }
    if (segments.equals(List.of("live"))) {
      address.allow(Set.of());
      show(exchange, null, "Live", "/metrics", live::write);
      return;
    }
    if (!ofTable || segments.size() > 3) {
      throw Problem.unknownAddress();
    }
    ServedTable table = service.table(segments.get(1));
    String version = address.parameter("version");
    String json = "/v1/tables/" + table.name();
    String pinned = version == null ? json : json + "/versions/" + encode(version);
    switch (segments.size() == 2 ? "" : segments.get(2)) {
      case "" -> {
        address.allow(Set.of("version"));
        show(
            exchange,
            table,
            "Snapshot",
            pinned + "/stats",
            page -> snapshots.write(page, table, version, exchange::requireTime));
      }
      case "versions" -> {
        address.allow(Set.of());
        show(exchange, table, "Versions", json + "/versions", page -> versions.list(page, table));
      }
      case "key" -> {
        address.allow(Set.of("key", "encoding", "version"));
        String key = address.parameter("key");
        String query = key == null ? "" : "/rows?key=" + encode(key) + encoding(address);
        show(exchange, table, "Key", pinned + query, page -> keys.write(page, table, exchange));
      }
      case "sample" -> {
        address.allow(Set.of("version"));
        show(
            exchange,
            table,
            "Sample",
            pinned + "/sample",
            page -> snapshots.sample(page, table, version, exchange::requireTime));
      }
      case "range" -> {
        address.allow(Set.of("prefix", "from", "to", "reverse", "start", "encoding"));
        String query = RangePage.query(address.parameters());
        show(
            exchange,
            table,
            "Range",
            json + "/rows" + (query.isEmpty() ? "?limit=50" : query + "&limit=50"),
            page -> ranges.write(page, table, exchange));
      }
      case "range.csv" -> {
        address.allow(Set.of("prefix", "from", "to", "reverse", "encoding"));
        RangePage.csv(exchange, table);
      }
      case "diff" -> {
        address.allow(Set.of("from", "to"));
        String from = address.parameter("from");
        String to = address.parameter("to");
        String query =
            from == null
                ? "/versions"
                : "/diff?from=" + encode(from) + (to == null ? "" : "&to=" + encode(to));
        show(
            exchange,
            table,
            "Differences",
            json + query,
            page -> versions.diff(page, table, from, to));
      }
      default -> throw Problem.unknownAddress();
    }
  }

  private static String encoding(Address address) {
    String encoding = address.parameter("encoding");
    return encoding == null || encoding.isEmpty() ? "" : "&encoding=" + encode(encoding);
  }

  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private void show(
      Exchange exchange,
      @Nullable ServedTable table,
      String view,
      String json,
      IOConsumer<Html> content)
      throws IOException {
    int status = 200;
    String root = Html.root(exchange.address().segments().size());
    Html main = new Html(root);
    try {
      content.accept(main);
    } catch (IOException | RuntimeException e) {
      Problem problem = Problem.of(e);
      status = problem.kind().status;
      main = new Html(root);
      notice(main, problem);
    }
    Html page = new Html(root);
    frame(page, table, view, json, main, exchange.address().parameter("key"));
    exchange.header(POLICY);
    exchange.header(NO_REFERRER);
    exchange.answer(status, MediaType.HTML, page.toByteBuffer());
  }

  /** Shows a problem as a page, to a person who followed a link or typed an address. */
  public void problem(Exchange exchange, Problem problem) throws IOException {
    show(
        exchange,
        null,
        "Not found",
        "/v1/tables",
        page -> {
          throw problem;
        });
  }

  static void notice(Html page, Problem problem) {
    page.raw("<p class=notice role=alert><strong>")
        .text(problem.kind().title)
        .raw("</strong><br>")
        .text(problem.detail())
        .raw("</p>");
  }

  private void frame(
      Html page,
      @Nullable ServedTable table,
      String view,
      String json,
      Html main,
      @Nullable String key) {
    String title = table == null ? view : table.name() + " · " + view;
    page.raw("<!doctype html><html lang=en><head><meta charset=utf-8>")
        .raw("<meta name=viewport content=\"width=device-width, initial-scale=1\">")
        .raw("<meta name=color-scheme content=\"light dark\"><title>")
        .text(title + " · bsdb")
        .raw("</title><link rel=icon href=\"data:,\"><link rel=stylesheet href=")
        .address("/page.css")
        .raw("><script src=")
        .address("/page.js")
        .raw(" defer></script></head><body data-root=")
        .address("/")
        .raw(" data-view=\"")
        .text(view)
        .raw("\" data-table=\"")
        .text(table == null ? "" : table.name())
        .raw("\" data-version=\"")
        .text(table == null ? "" : table.reader().version())
        .raw("\"><a class=skip href=#main>Skip to content</a><header><div class=bar>");
    page.raw("<a class=brand href=").address("/").raw(">bsdb</a>");
    keyBox(page, table, key);
    page.raw("<nav aria-label=Server>");
    item(page, "/", "Tables", view);
    item(page, "/live", "Live", view);
    page.raw("</nav></div>");
    if (table != null) {
      String base = "/tables/" + table.name();
      page.raw("<div class=bar><h1>").text(table.name()).raw("</h1><nav aria-label=Table>");
      item(page, base, "Snapshot", view);
      item(page, base + "/versions", "Versions", view);
      item(page, base + "/key", "Key", view);
      item(page, base + "/sample", "Sample", view);
      if (table.reader().manifest().order() == RecordOrder.KEY) {
        item(page, base + "/range", "Range", view);
      }
      item(page, base + "/diff", "Differences", view);
      page.raw("</nav></div>");
    } else {
      page.raw("<div class=bar><h1>").text(view).raw("</h1></div>");
    }
    page.raw("</header><p id=news role=status hidden></p><main id=main>")
        .raw(main.markup())
        .raw("</main><footer>")
        .link(json, json.equals("/metrics") ? "These figures for Prometheus" : "This page as JSON")
        .link("/openapi.json", "API")
        .raw("</footer></body></html>");
  }

  private static void item(Html page, String address, String name, String view) {
    page.raw("<a href=")
        .address(address)
        .raw(name.equals(view) ? " aria-current=page>" : ">")
        .text(name)
        .raw("</a>");
  }

  private void keyBox(Html page, @Nullable ServedTable table, @Nullable String key) {
    Iterator<ServedTable> all = service.tables().iterator();
    if (table == null && !all.hasNext()) {
      return;
    }
    ServedTable target = table == null ? all.next() : table;
    page.raw("<form class=key role=search action=")
        .address("/tables/" + target.name() + "/key")
        .raw("><label for=key>Key in ")
        .text(target.name())
        .raw("</label><input id=key name=key autocomplete=off spellcheck=false required value=\"")
        .text(key == null ? "" : key)
        .raw("\" placeholder=\"")
        .text(KeyPage.hint(target))
        .raw("\"><button>Look up</button></form>");
  }

  private void tables(Html page) {
    page.head("Table", "Version in use", "#Records", "#Size", "Published");
    for (ServedTable table : service.tables()) {
      Manifest manifest = table.reader().manifest();
      page.raw("<tr><th scope=row>")
          .link("/tables/" + table.name(), table.name())
          .raw("</th><td class=m>");
      page.text(manifest.version()).raw("</td>");
      page.number(records(manifest));
      page.number(Figures.size(new VersionFacts(manifest).bytes()));
      page.raw("<td>").raw(time(manifest)).raw("</td></tr>");
    }
    service
        .unopened()
        .forEach(
            (name, table) ->
                page.raw("<tr><th scope=row>")
                    .text(name)
                    .raw("</th><td colspan=4 class=no>not served: ")
                    .text(table.reason())
                    .raw("</td></tr>"));
    page.end();
  }

  static String records(Manifest manifest) {
    String records = Figures.count(manifest.recordCount());
    return manifest.hasChanges()
        ? records + ", " + Figures.count(manifest.changes().count(), "change")
        : records;
  }

  static String time(Manifest manifest) {
    String time = manifest.createdAt().toString();
    return "<time datetime=\"%s\">%s</time>"
        .formatted(time, time.replace('T', ' ').replaceAll("\\.[0-9]+Z|Z", " UTC"));
  }
}
