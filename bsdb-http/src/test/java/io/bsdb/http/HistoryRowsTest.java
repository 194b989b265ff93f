package io.bsdb.http;

import static io.bsdb.http.Client.json;
import static io.bsdb.http.Client.problem;
import static io.bsdb.http.Client.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.bsdb.http.table.Held;
import io.bsdb.http.table.Sample;
import io.bsdb.http.table.ServedTable;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import io.bsdb.table.Table;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables with a history. */
@Timeout(60)
class HistoryRowsTest {
  private static final String PRICES = "/v1/tables/prices/";
  private static final int ENDED = 2_500;

  @TempDir private Path table;

  private final RowCodec codec =
      RowCodec.of(
          Schema.builder()
              .column("item", "STRING NOT NULL")
              .column("valid_from", "TIMESTAMP_LTZ(3) NOT NULL")
              .column("price", "INT NOT NULL")
              .primaryKey("item", "valid_from")
              .keyEncoding(KeyEncoding.ORDERED)
              .build());

  private byte[] key(String item, String time) {
    return codec.encodeKey(item, Instant.parse(time));
  }

  /** Publishes a version in which bread has ended in March; in a second one milk ends in April. */
  private String publish() throws Exception {
    WriterOptions options = WriterOptions.builder().history(null).schema(codec.schema()).build();
    String first;
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      writer.add(key("bread", "2026-01-01T00:00:00Z"), codec.encodeValue(320));
      writer.add(key("bread", "2026-03-01T00:00:00Z"), RowWriter.ended());
      writer.add(key("milk", "2026-02-01T00:00:00Z"), codec.encodeValue(140));
      first = writer.publish().version();
    }
    try (DeltaWriter writer = DeltaWriter.create(Table.at(table))) {
      writer.put(key("milk", "2026-04-01T00:00:00Z"), RowWriter.ended());
      writer.publish();
    }
    return first;
  }

  @Test
  void refusesStrictFloorsBeforeTheHorizon(@TempDir Path plain) throws Exception {
    WriterOptions options =
        WriterOptions.builder().history(Duration.ofDays(1)).schema(codec.schema()).build();
    Instant horizon;
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      writer.add(key("bread", "2026-01-01T00:00:00Z"), codec.encodeValue(320));
      horizon =
          Objects.requireNonNull(Objects.requireNonNull(writer.publish().validity()).horizon());
    }
    Tables.series(plain, 2);
    try (BsdbServer server =
        BsdbServer.builder().table("prices", table).table("series", plain).start()) {
      Client client = new Client(server);
      String floor = PRICES + "rows:floor?item=bread&columns=price&valid_from=";
      HttpResponse<byte[]> refused = client.get(floor + horizon.minusMillis(1) + "&strict=true");
      assertThat(refused.statusCode()).isEqualTo(422);
      assertThat(problem(refused)).isEqualTo("not-kept");
      assertThat(json(refused).get("detail").asText())
          .contains("rows that were valid at " + horizon.minusMillis(1) + " may have been dropped")
          .contains("the horizon of the history is " + horizon);
      assertThat(text(client.get("/tables/prices")))
          .contains("replaced rows kept for 1d, complete from " + horizon);
      String found = "{\"price\":320}";
      assertThat(text(client.get(floor + horizon + "&strict=true"))).isEqualTo(found);
      assertThat(text(client.get(floor + horizon.minusMillis(1) + "&strict=false")))
          .isEqualTo(found);
      assertThat(problem(client.get(floor + horizon + "&strict=yes"))).isEqualTo("bad-request");
      assertThat(problem(client.get(PRICES + "rows:floor?strict=true&encoding=hex&key=00")))
          .isEqualTo("bad-key");

      String ceiling = PRICES + "rows:ceiling?item=bread&valid_from=" + horizon;
      assertThat(json(client.get(ceiling + "&strict=true")).get("detail").asText())
          .startsWith("no parameter 'strict'");
      HttpResponse<byte[]> none =
          client.get("/v1/tables/series/rows:floor?key=bread,7&strict=true");
      assertThat(problem(none)).isEqualTo("bad-request");
      assertThat(json(none).get("detail").asText()).contains("strict is for tables with a history");
    }
  }

  /** Publishes a first and a last row, and thousands in between that are ended. */
  private void publishEnded() throws Exception {
    WriterOptions options = WriterOptions.builder().history(null).schema(codec.schema()).build();
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      writer.add(key("apple", "2026-01-01T00:00:00Z"), codec.encodeValue(1));
      for (int i = 0; i < ENDED; i++) {
        writer.add(key("bread" + (10_000 + i), "2026-01-01T00:00:00Z"), RowWriter.ended());
      }
      writer.add(key("corn", "2026-01-01T00:00:00Z"), codec.encodeValue(2));
      writer.publish();
    }
  }

  @ParameterizedTest
  @EnumSource(Access.class)
  void findsWhatLiesBeyondManyEndedRows(Access access) throws Exception {
    publishEnded();
    try (BsdbServer server =
        BsdbServer.builder()
            .table("prices", table)
            .options(ReaderOptions.builder().access(access).build())
            .start()) {
      Client client = new Client(server);
      JsonNode all = json(client.get(PRICES + "rows?limit=10"));
      assertThat(all.get("rows").findValuesAsText("price")).containsExactly("1", "2");
      JsonNode reversed = json(client.get(PRICES + "rows?limit=10&reverse=true"));
      assertThat(reversed.get("rows").findValuesAsText("price")).containsExactly("2", "1");
      JsonNode first = json(client.get(PRICES + "rows?limit=1"));
      assertThat(first.get("rows").findValuesAsText("price")).containsExactly("1");
      JsonNode next = json(client.get(PRICES + "rows?limit=1&start=" + first.get("next").asText()));
      assertThat(next.get("rows").findValuesAsText("price")).containsExactly("2");
      assertThat(next.has("next")).isFalse();
      assertThat(text(client.get("/tables/prices/range.csv")).lines()).hasSize(3);
      assertThat(text(client.get("/tables/prices/range"))).contains("corn");
      assertThat(json(client.get(PRICES + "sample")).get("rows").size()).isEqualTo(2);
    }
  }

  /** Else a request over millions of them ends long after its time. */
  @Test
  void theTimeIsCheckedBetweenEndedRows() throws Exception {
    publishEnded();
    try (ServedTable served =
            ServedTable.open(
                "prices",
                table,
                ReaderOptions.defaults(),
                Duration.ZERO,
                TableReader.Listener.NONE);
        Held held = served.hold()) {
      int[] checks = new int[1];
      Sample.read(held, 10, () -> checks[0]++, (key, value) -> true);
      assertThat(checks[0]).isEqualTo(ENDED + 2);
    }
  }

  @ParameterizedTest
  @EnumSource(Access.class)
  void showsWhatWasValid(Access access) throws Exception {
    String first = publish();
    try (BsdbServer server =
        BsdbServer.builder()
            .table("prices", table)
            .options(ReaderOptions.builder().access(access).build())
            .refreshEvery(Duration.ZERO)
            .start()) {
      Client client = new Client(server);
      String floor = PRICES + "rows:floor?item=bread&valid_from=";
      assertThat(text(client.get(floor + "2026-02-17T12:00:00Z&columns=price")))
          .isEqualTo("{\"price\":320}");
      assertThat(problem(client.get(floor + "2026-03-01T00:00:00Z"))).isEqualTo("absent");
      assertThat(problem(client.get(floor + "2025-12-31T23:59:59Z"))).isEqualTo("absent");
      String ended = PRICES + "rows?item=bread&valid_from=2026-03-01T00:00:00Z";
      assertThat(problem(client.get(ended))).isEqualTo("absent");
      assertThat(json(client.get(PRICES + "rows?limit=10")).get("rows").size()).isEqualTo(2);
      assertThat(
              json(client.get(PRICES + "rows?prefix=bread&reverse=true"))
                  .at("/rows/0/price")
                  .asInt())
          .isEqualTo(320);
      assertThat(json(client.get(PRICES + "sample")).get("rows").size()).isEqualTo(2);
      assertThat(
              text(
                  client.post(
                      PRICES + "rows:lookup",
                      "{\"keys\": [[\"bread\", \"2026-05-01T00:00:00Z\"], [\"milk\","
                          + " \"2026-03-31T00:00:00Z\"], [\"milk\", \"2026-04-01T00:00:00Z\"]],"
                          + " \"match\": \"floor\", \"columns\": [\"price\"]}")))
          .contains("\"row\":{\"price\":140}")
          .contains("\"found\":1}");
      assertThat(text(client.get("/v1/tables/prices")))
          .contains("\"order\":\"history\",\"retention\":null,\"horizon\":null,");

      HttpResponse<byte[]> longest =
          client.get(PRICES + "rows:longest-prefix?item=bread&valid_from=2026-02-17T12:00:00Z");
      assertThat(longest.statusCode()).isEqualTo(400);
      assertThat(json(longest).get("detail").asText()).endsWith("ask for a floor");

      String version = json(client.get("/v1/tables/prices")).get("version").asText();
      String differences = "diff?from=" + first + "&to=" + version;
      assertThat(text(client.get(PRICES + differences)))
          .contains(
              "\"change\":\"added\",\"key\":{\"item\":\"milk\",\"valid_from\":\"2026-04-01T00:00:00Z\"},"
                  + "\"after\":{\"item\":\"milk\",\"valid_from\":\"2026-04-01T00:00:00Z\",\"price\":null,\"ended\":true}");
      assertThat(text(client.get("/tables/prices"))).contains("kept forever");
      assertThat(text(client.get("/tables/prices/range?prefix=bread")))
          .contains("2026-01-01T00:00:00Z")
          .doesNotContain("2026-03-01");
      assertThat(text(client.get("/tables/prices/" + differences)))
          .contains("1 row that differs")
          .contains("ended: ");
      assertThat(
              text(
                  client.get(
                      "/tables/prices/key?key=%5B%22bread%22,%222026-03-01T00:00:00Z%22%5D")))
          .contains("Ended")
          .contains("2026-01-01T00:00:00Z"); // the row before it
    }
  }
}
