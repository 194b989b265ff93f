package io.bsdb.http;

import static io.bsdb.http.Client.json;
import static io.bsdb.http.Client.problem;
import static io.bsdb.http.Client.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Lookups by the order of keys. */
@Timeout(60)
class OrderedRowsTest {
  private static final String CODES = "/v1/tables/codes/";
  private static final String SERIES = "/v1/tables/series/";

  @TempDir private Path directory;
  @AutoClose private BsdbServer server;
  private Client client;

  private void serve(Access access) throws Exception {
    Path codes = directory.resolve("codes");
    WriterOptions ordered = WriterOptions.builder().order(RecordOrder.KEY).build();
    Tables.publish(
        codes, Map.of("1", "America", "41", "Switzerland", "4144", "Zurich", "49", "G"), ordered);
    Tables.series(directory.resolve("series"), 200);
    Tables.publish(directory.resolve("plain"), Map.of("k", "v"));
    server =
        BsdbServer.builder()
            .table("codes", codes)
            .table("series", directory.resolve("series"))
            .table("plain", directory.resolve("plain"))
            .options(ReaderOptions.builder().access(access).build())
            .refreshEvery(Duration.ZERO)
            .start();
    client = new Client(server);
  }

  private List<String> values(String address) throws Exception {
    JsonNode answer = json(client.get(address));
    List<String> values = new ArrayList<>();
    answer.get("rows").forEach(row -> values.add(row.get("text").asText()));
    return values;
  }

  @ParameterizedTest
  @EnumSource(Access.class)
  void findTheNearestRow(Access access) throws Exception {
    serve(access);
    assertThat(text(client.get(CODES + "rows:floor?key=42")))
        .isEqualTo("{\"key\":\"NDE0NA==\",\"value\":\"WnVyaWNo\",\"encoding\":\"base64\"}");
    assertThat(json(client.get(CODES + "rows:ceiling?key=42")).get("value").asText())
        .isEqualTo("Rw==");
    assertThat(
            json(client.get(CODES + "rows:longest-prefix?key=3431373931&encoding=hex"))
                .get("key")
                .asText())
        .isEqualTo("NDE=");
    HttpResponse<byte[]> none = client.get(CODES + "rows:floor?key=0");
    assertThat(none.statusCode()).isEqualTo(404);
    assertThat(problem(none)).isEqualTo("absent");
    assertThat(none.headers().firstValue("bsdb-version")).isPresent();
    assertThat(text(client.get(SERIES + "rows:floor?key=bread,7&columns=at")))
        .isEqualTo("{\"at\":6}");
    HttpResponse<byte[]> after =
        client.get(SERIES + "rows:ceiling?item=bread&at=197", "Accept", "application/x-ndjson");
    assertThat(text(after)).isEqualTo("{\"item\":\"bread\",\"at\":198,\"text\":\"value 99\"}\n");
    String tag = after.headers().firstValue("etag").orElseThrow();
    HttpResponse<byte[]> unchanged =
        client.get(
            SERIES + "rows:ceiling?item=bread&at=197",
            "Accept",
            "application/x-ndjson",
            "If-None-Match",
            tag);
    assertThat(unchanged.statusCode()).isEqualTo(304);
    assertThat(
            client
                .get(CODES + "rows:floor?key=4", "Accept", "application/octet-stream")
                .statusCode())
        .isEqualTo(406);
  }

  @ParameterizedTest
  @EnumSource(Access.class)
  void stayWithinTheLeadingColumns(Access access) throws Exception {
    serve(access);
    for (String nearest : List.of("floor?item=milk&at=-1", "floor?key=milk,-1")) {
      HttpResponse<byte[]> none = client.get(SERIES + "rows:" + nearest);
      assertThat(none.statusCode()).as(nearest + text(none)).isEqualTo(404);
    }
    assertThat(client.get(SERIES + "rows:ceiling?item=bread&at=199").statusCode()).isEqualTo(404);
    assertThat(json(client.get(SERIES + "rows:floor?item=milk&at=1")).get("at").asInt()).isZero();
  }

  @ParameterizedTest
  @EnumSource(Access.class)
  void answerRanges(Access access) throws Exception {
    serve(access);
    assertThat(json(client.get("/v1/tables/series")).get("order").asText()).isEqualTo("key");
    assertThat(values(SERIES + "rows?prefix=bread")).hasSize(100).startsWith("value 0", "value 1");
    assertThat(values(SERIES + "rows?from=bread,195&to=milk,3"))
        .containsExactly("value 98", "value 99", "value 0", "value 1");
    assertThat(values(SERIES + "rows?to=milk&reverse=true&limit=2"))
        .containsExactly("value 99", "value 98");
    assertThat(values(SERIES + "rows?prefix=wine")).isEmpty();
    assertThat(values(SERIES + "rows?prefix=%5B%22milk%22,%2210%22%5D")).containsExactly("value 5");
    String lines =
        text(
            client.get(SERIES + "rows?from=milk,196&columns=at", "Accept", "application/x-ndjson"));
    assertThat(lines).startsWith("{\"at\":196}\n{\"at\":198}\n{\"complete\":true,\"version\":\"");
    assertThat(json(client.get(CODES + "rows?prefix=41")).get("rows").size()).isEqualTo(2);
    assertThat(json(client.get(CODES + "rows?limit=1")).at("/rows/0/key").asText())
        .isEqualTo("MQ==");
  }

  @Test
  void longNumbersOfKeysAreTextToo() throws Exception {
    Schema schema =
        Schema.builder()
            .column("id", "BIGINT NOT NULL")
            .primaryKey("id")
            .keyEncoding(KeyEncoding.ORDERED)
            .build();
    RowCodec codec = RowCodec.of(schema);
    Path table = directory.resolve("ids");
    try (SnapshotWriter writer =
        SnapshotWriter.create(
            table, WriterOptions.builder().schema(schema).order(RecordOrder.KEY).build())) {
      writer.add(codec.encodeKey(9_007_199_254_740_993L), codec.encodeValue());
      writer.publish();
    }
    server = BsdbServer.builder().table("ids", table).start();
    client = new Client(server);
    assertThat(
            text(
                client.post(
                    "/v1/tables/ids/rows:lookup?numbers=text&match=floor",
                    "{\"keys\": [9007199254740995]}")))
        .contains(
            "[{\"key\":{\"id\":\"9007199254740995\"},\"found\":true,\"row\":{\"id\":\"9007199254740993\"}}]");
  }

  @ParameterizedTest
  @EnumSource(Access.class)
  void findTheNearestRowsOfManyKeys(Access access) throws Exception {
    serve(access);
    String lookup = SERIES + "rows:lookup";
    assertThat(
            text(
                client.post(
                    lookup,
                    "{\"keys\": [[\"bread\", 7], [\"milk\", -1], [\"wine\", 3]],"
                        + " \"match\": \"floor\", \"columns\": [\"at\"]}")))
        .contains(
            "\"rows\":[{\"key\":{\"item\":\"bread\",\"at\":7},\"found\":true,\"row\":{\"at\":6}},"
                + "{\"key\":{\"item\":\"milk\",\"at\":-1},\"found\":false,\"row\":null},"
                + "{\"key\":{\"item\":\"wine\",\"at\":3},\"found\":false,\"row\":null}],\"found\":1}");
    String ndjson = "application/x-ndjson";
    assertThat(
            text(
                client.post(
                    CODES + "rows:lookup?match=longest-prefix",
                    "\"41791\"\n\"5\"\n",
                    "Content-Type",
                    ndjson,
                    "Accept",
                    ndjson)))
        .startsWith(
            "{\"key\":\"NDE3OTE=\",\"found\":true,\"row\":"
                + "{\"key\":\"NDE=\",\"value\":\"U3dpdHplcmxhbmQ=\",\"encoding\":\"base64\"}}\n"
                + "{\"key\":\"NQ==\",\"found\":false,\"row\":null}\n"
                + "{\"complete\":true,");
    String bytes = "application/octet-stream";
    assertThat(
            client
                .post(
                    CODES + "rows:lookup?match=ceiling",
                    new byte[] {1, 0, 0, 0, '5', 1, 0, 0, 0, '4'},
                    "Content-Type",
                    bytes,
                    "Accept",
                    bytes)
                .body())
        .startsWith(-1, -1, -1, -1, -1, -1, -1, -1, 2, 0, 0, 0, '4', '1', 11, 0, 0, 0, 'S')
        .hasSize(8 + 4 + 2 + 4 + 11);
    assertThat(problem(client.get(SERIES + "rows?prefix=%5B%22bread%22%5D,%22milk%22")))
        .isEqualTo("bad-key");
    assertThat(problem(client.post(lookup, "{\"keys\": [], \"match\": \"near\"}")))
        .isEqualTo("bad-request");
    assertThat(problem(client.post(lookup, "{\"keys\": [], \"match\": 1}")))
        .isEqualTo("bad-request");
    assertThat(
            problem(
                client.post(
                    "/v1/tables/plain/rows:lookup", "{\"keys\": [\"k\"], \"match\": \"floor\"}")))
        .isEqualTo("not-ordered");
  }

  @ParameterizedTest
  @EnumSource(names = {"MAPPED", "IO_URING"})
  void anEmptyStartIsThatOfTheRange(Access access) throws Exception {
    serve(access);
    for (String reverse : List.of("", "&reverse=true")) {
      String range = SERIES + "rows?prefix=milk&limit=3" + reverse;
      assertThat(values(range + "&start=")).hasSize(3).isEqualTo(values(range));
    }
  }

  /** As one that is of another range is. */
  @ParameterizedTest
  @EnumSource(
      value = Access.class,
      names = {"MAPPED", "IO_URING"})
  void aStartOutsideOfTheRangeAddsNoRows(Access access) throws Exception {
    serve(access);
    String range = SERIES + "rows?limit=1000&prefix=milk";
    assertThat(values(range)).hasSize(100);
    assertThat(values(range + "&start=AA")).isEqualTo(values(range));
    assertThat(values(range + "&reverse=true&start=_w")).isEqualTo(values(range + "&reverse=true"));
  }

  @ParameterizedTest
  @EnumSource(names = {"MAPPED", "IO_URING"})
  void goOnWhereTheyEnded(Access access) throws Exception {
    serve(access);
    for (String range : List.of("prefix=milk", "prefix=milk&reverse=true")) {
      List<String> all = values(SERIES + "rows?limit=1000&" + range);
      List<String> parts = new ArrayList<>();
      String start = "";
      JsonNode answer;
      do {
        String address = SERIES + "rows?limit=33&" + range + start;
        answer = json(client.get(address));
        parts.addAll(values(address));
        start = "&start=" + answer.path("next").asText();
        assertThat(answer.has("next")).isNotEqualTo(answer.get("complete").asBoolean());
      } while (answer.has("next"));
      assertThat(parts).isEqualTo(all).hasSize(100);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MAPPED", "IO_URING"})
  void refuseWhatMakesNoSense(Access access) throws Exception {
    serve(access);
    for (String what : List.of("rows:floor?key=k", "rows?prefix=k", "rows?limit=3")) {
      HttpResponse<byte[]> refused = client.get("/v1/tables/plain/" + what);
      assertThat(refused.statusCode()).as(what).isEqualTo(422);
      assertThat(problem(refused)).isEqualTo("not-ordered");
      assertThat(json(refused).get("detail").asText()).endsWith("build it with --order key");
    }
    for (String what :
        List.of(
            "rows?prefix=a&to=b",
            "rows?prefix=a&reverse=1",
            "rows?prefix=a&limit=0",
            "rows?prefix=a&limit=1025",
            "rows?prefix=a&limit=%D9%A3", // an Arabic 3
            "rows?prefix=a&key=b")) {
      assertThat(problem(client.get(CODES + what))).as(what).isEqualTo("bad-request");
    }
    for (String what : List.of("rows?start=!", "rows:floor", "rows:floor?key=")) {
      assertThat(problem(client.get(CODES + what))).as(what).isEqualTo("bad-key");
    }
    for (String what : List.of("rows?from=bread,x", "rows:floor?key=ff&encoding=hex")) {
      assertThat(problem(client.get(SERIES + what))).as(what).isEqualTo("bad-key");
    }
    HttpResponse<byte[]> bytes =
        client.post(
            SERIES + "rows:lookup?match=floor",
            new byte[] {1, 0, 0, 0, -1},
            "Content-Type",
            "application/octet-stream");
    assertThat(problem(bytes)).isEqualTo("bad-key");
    assertThat(client.post(CODES + "rows:floor", "").statusCode()).isEqualTo(405);
  }
}
