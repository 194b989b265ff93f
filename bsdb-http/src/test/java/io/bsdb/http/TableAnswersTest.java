package io.bsdb.http;

import static io.bsdb.http.Client.json;
import static io.bsdb.http.Client.problem;
import static io.bsdb.http.Client.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.bsdb.http.wire.Limits;
import io.bsdb.row.RowCodec;
import io.bsdb.table.Table;
import io.bsdb.testkit.InService;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is answered about tables, and the figures of the server. */
@Timeout(60)
class TableAnswersTest {
  @TempDir private Path directory;
  @AutoClose private BsdbServer server;
  private Client client;
  private String first;
  private String second;
  private String changed;

  @BeforeEach
  void serve() throws Exception {
    first = Tables.cities(directory, 100, 0);
    second = Tables.cities(directory, 101, 0);
    RowCodec codec = RowCodec.of(Tables.CITIES);
    try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
      writer.put(codec.encodeKey(5L), codec.encodeValue("Bern", 1L, BigDecimal.valueOf(1, 2)));
      writer.delete(codec.encodeKey(6L));
      changed = writer.publish().version();
    }
    server = BsdbServer.builder().table("cities", directory).refreshEvery(Duration.ZERO).start();
    client = new Client(server);
  }

  @Test
  void describesTablesAndVersions() throws Exception {
    JsonNode table = json(client.get("/v1/tables")).get("tables").get(0);
    assertThat(table.get("name").asText()).isEqualTo("cities");
    assertThat(table.get("version").asText()).isEqualTo(changed);
    assertThat(table.get("records").isNull()).isTrue();
    assertThat(table.get("partitionRecords").asInt()).isEqualTo(101);
    assertThat(table.get("order").asText()).isEqualTo("hash");
    assertThat(table.get("puts").asInt()).isEqualTo(1);
    assertThat(table.get("deletes").asInt()).isEqualTo(1);
    assertThat(table.get("segments").asInt()).isEqualTo(1);
    assertThat(table.get("segmentBytes").asInt()).isPositive();
    JsonNode versions = json(client.get("/v1/tables/cities/versions"));
    assertThat(versions.get("inService").asText()).isEqualTo(changed);
    assertThat(versions.get("versions")).hasSize(3);
    assertThat(json(client.get("/v1/tables/cities/versions/" + first)).get("records").asInt())
        .isEqualTo(100);
    assertThat(text(client.get("/v1/tables/cities/schema"))).contains("\"population\"");
    JsonNode stats = json(client.get("/v1/tables/cities/versions/" + first + "/stats"));
    assertThat(stats.get("parts").get("blocks").asLong()).isPositive();
    assertThat(stats.get("partitions")).hasSize(4);
    JsonNode sample = json(client.get("/v1/tables/cities/sample?n=7&columns=id"));
    assertThat(sample.get("rows")).hasSize(7);
    assertThat(sample.get("complete").asBoolean()).isTrue();
  }

  @Test
  void showsWhereAKeyLiesThatIsEncodedWithSymbols() throws Exception {
    Path names = directory.resolve("names");
    Map<String, String> records = new TreeMap<>();
    for (int i = 0; i < 500; i++) {
      records.put("customer-" + i, "customer number " + i);
    }
    Tables.publish(names, records, WriterOptions.builder().layout(Layout.SYMBOLS).build());
    try (BsdbServer serving = BsdbServer.builder().table("names", names).start()) {
      String page = text(new Client(serving).get("/tables/names/key?key=customer-77"));
      assertThat(page).contains("customer number 77", "part-00000.bsdb", "Rank", "at byte");
    }
  }

  @Test
  void comparesVersions() throws Exception {
    JsonNode diff = json(client.get("/v1/tables/cities/diff?from=" + second));
    assertThat(diff.get("compared").asInt()).as("only the changes").isEqualTo(2);
    assertThat(diff.get("differences").toString())
        .contains(
            "{\"change\":\"changed\",\"key\":{\"id\":5},\"before\":{\"id\":5,\"name\":\"City 5\"",
            "{\"change\":\"removed\",\"key\":{\"id\":6},\"before\":");
    JsonNode all = json(client.get("/v1/tables/cities/diff?from=" + first + "&to=" + changed));
    assertThat(all.get("differences")).hasSize(3);
    JsonNode one =
        json(client.get("/v1/tables/cities/diff?from=" + first + "&to=" + changed + "&limit=1"));
    assertThat(one.get("differences")).hasSize(1);
    assertThat(one.get("complete").asBoolean()).isFalse();
    String lines =
        text(client.get("/v1/tables/cities/diff?from=" + second, "Accept", "application/x-ndjson"));
    assertThat(lines.split("\n")).hasSize(3);
    assertThat(lines).contains("\n{\"complete\":true,\"version\":\"" + changed);
    JsonNode sampled =
        json(client.get("/v1/tables/cities/diff?from=" + first + "&to=" + second + "&sample=0.5"));
    assertThat(sampled.get("compared").asInt()).as("of 201").isBetween(70, 130);
    assertThat(sampled.get("complete").asBoolean()).isTrue();
    for (String share : List.of("0", "2", "0.5f", "0x1p-1", "NaN")) {
      assertThat(problem(client.get("/v1/tables/cities/diff?from=" + first + "&sample=" + share)))
          .as(share)
          .isEqualTo("bad-request");
    }
    assertThat(problem(client.get("/v1/tables/cities/diff"))).isEqualTo("bad-request");
    assertThat(problem(client.get("/v1/tables/cities/diff?from=x"))).isEqualTo("unknown-version");
    for (String share : List.of("0", "1.1", "-1", "NaN", "x", "")) {
      assertThat(problem(client.get("/v1/tables/cities/diff?from=" + first + "&sample=" + share)))
          .as(share)
          .isEqualTo("bad-request");
    }
  }

  @Test
  void aVersionOfTheFutureHasNoAge() throws Exception {
    InService.publishedAt(
        directory, Instant.now().plus(Duration.ofHours(1))); // the clock went back
    try (BsdbServer later = BsdbServer.builder().table("t", directory).start()) {
      assertThat(text(new Client(later).get("/metrics")))
          .contains("bsdb_version_age_seconds{table=\"t\"} 0.0\n");
    }
  }

  /** The dashboard shows figures that there are, and all of them are in the documentation. */
  @Test
  void dashboardAndDocumentationNameTheMetrics() throws Exception {
    client.get("/v1/tables/cities/rows/7");
    client.get("/v1/tables/cities/rows/999");
    String metrics = text(client.get("/metrics"));
    assertThat(metrics)
        .contains(
            "bsdb_lookup_hits_total{table=\"cities\"} 1.0\n",
            "bsdb_lookup_misses_total{table=\"cities\"} 1.0\n",
            "bsdb_http_requests_total{kind=\"row\",status=\"404\"} 1.0\n");
    Set<String> served = names("(?m)^(bsdb_[a-z_]+)", metrics);
    Path docs = Path.of("..", "docs");
    String dashboard = Files.readString(docs.resolve("grafana-bsdb.json"));
    Set<String> shown = new TreeSet<>();
    for (JsonNode panel : new ObjectMapper().readTree(dashboard).get("panels")) {
      for (JsonNode target : panel.get("targets")) {
        shown.addAll(names("(bsdb_[a-z_]+)", target.get("expr").asText()));
      }
    }
    assertThat(served).containsAll(shown);
    Set<String> documented = names("`(bsdb_[a-z_]+)`", Files.readString(docs.resolve("http.md")));
    Set<String> families = names("(?m)^# TYPE (bsdb_[a-z_]+)", metrics);
    assertThat(documented).isEqualTo(families);
  }

  private static Set<String> names(String pattern, String text) {
    Set<String> names = new TreeSet<>();
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    while (matcher.find()) {
      names.add(matcher.group(1));
    }
    return names;
  }

  /** Every address of the document answers, and the limits in it are those of the server. */
  @Test
  void documentOfTheInterfaceIsServed() throws Exception {
    JsonNode document = json(client.get("/openapi.json"));
    for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
      String address =
          path.getKey()
              .replace("{table}", "cities")
              .replace("{version}", first)
              .replace("{key}", "7");
      int status =
          path.getValue().has("post")
              ? client.post(address, "{\"keys\":[7]}").statusCode()
              : client
                  .get(
                      address.endsWith("/diff")
                          ? address + "?from=" + first
                          : address.endsWith("/rows") ? address + "?key=7" : address)
                  .statusCode();
      boolean ordered = address.matches(".*/rows:(floor|ceiling|longest-prefix)");
      assertThat(status).as(address).isEqualTo(ordered ? 422 : 200);
    }
    assertThat(document.at("/components/schemas/Keys/properties/keys/maxItems").asInt())
        .isEqualTo(Limits.of(Map.of()).keys());
  }
}
