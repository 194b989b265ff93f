package io.bsdb.http;

import static io.bsdb.http.Client.json;
import static io.bsdb.http.Client.problem;
import static io.bsdb.http.Client.text;
import static io.bsdb.testkit.Utf8.bytes;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.testkit.ArabicDigits;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What rows are answered with, of tables in memory and on disk. */
@Timeout(120)
@ParameterizedClass
@EnumSource(
    value = Access.class,
    names = {"MAPPED", "DIRECT", "IO_URING"})
@ExtendWith(ArabicDigits.class)
class RowsTest {
  private final Access access;
  @TempDir private Path directory;
  @AutoClose private BsdbServer server;
  private Client client;
  private String version;

  RowsTest(Access access) {
    this.access = access;
  }

  @BeforeEach
  void serve() throws Exception {
    version = Tables.cities(directory.resolve("cities"), 2000, 0);
    Tables.prices(directory.resolve("prices"));
    Tables.publish(
        directory.resolve("colours"),
        Map.of("rose", "red", "a/b", "slash", "größe", "ü", "😀 x", "z"));
    server =
        BsdbServer.builder()
            .table("cities", directory.resolve("cities"))
            .table("prices", directory.resolve("prices"))
            .table("colours", directory.resolve("colours"))
            .options(ReaderOptions.builder().access(access).build())
            .refreshEvery(Duration.ZERO)
            .start();
    client = new Client(server);
  }

  @Test
  void answersARowAsJson() throws Exception {
    HttpResponse<byte[]> answer = client.get("/v1/tables/cities/rows/7");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(text(answer))
        .isEqualTo("{\"id\":7,\"name\":\"City 7\",\"population\":9007199254740999,\"area\":7.50}");
    assertThat(answer.headers().firstValue("content-type")).hasValue("application/json");
    assertThat(answer.headers().firstValue("bsdb-version")).hasValue(version);
    assertThat(answer.headers().firstValue("etag")).hasValue('"' + version + ".json\"");
    assertThat(answer.headers().firstValue("cache-control")).hasValue("no-cache");
    assertThat(answer.headers().firstValue("x-content-type-options")).hasValue("nosniff");
  }

  @Test
  void answersSomeColumnsAndLongNumbersAsText() throws Exception {
    assertThat(text(client.get("/v1/tables/cities/rows/7?columns=area,population&numbers=text")))
        .isEqualTo("{\"population\":\"9007199254740999\",\"area\":\"7.50\"}");
    assertThat(problem(client.get("/v1/tables/cities/rows/7?columns=nothing")))
        .isEqualTo("bad-request");
    assertThat(problem(client.get("/v1/tables/cities/rows/7?colums=area")))
        .isEqualTo("bad-request");
  }

  @Test
  void findsKeysOfSeveralColumns() throws Exception {
    String expected = "{\"country\":\"DE\",\"number\":7,\"price\":12.5000000001}";
    assertThat(text(client.get("/v1/tables/prices/rows?country=DE&number=7"))).isEqualTo(expected);
    assertThat(text(client.get("/v1/tables/prices/rows/DE,7"))).isEqualTo(expected);
    assertThat(text(client.get("/v1/tables/prices/rows?key=%5B%22DE%22%2C7%5D")))
        .isEqualTo(expected);
    assertThat(client.get("/v1/tables/prices/rows?country=a/b&number=1").statusCode())
        .isEqualTo(200);
    assertThat(problem(client.get("/v1/tables/prices/rows?country=DE"))).isEqualTo("bad-key");
    assertThat(problem(client.get("/v1/tables/prices/rows?country=DE&number=x")))
        .isEqualTo("bad-key");
  }

  /** A key that is given twice would be found by what the client may not have meant. */
  @Test
  void aKeyIsGivenOnce() throws Exception {
    for (String twice : List.of("key=DE,7&number=1", "country=DE&number=7&encoding=hex")) {
      assertThat(problem(client.get("/v1/tables/prices/rows?" + twice)))
          .as(twice)
          .isEqualTo("bad-key");
    }
    Schema schema =
        Schema.builder()
            .column("tenant", "STRING NOT NULL")
            .column("key", "STRING NOT NULL")
            .column("encoding", "STRING")
            .primaryKey("tenant", "key")
            .build();
    RowCodec codec = RowCodec.of(schema);
    Path table = directory.resolve("settings");
    try (SnapshotWriter writer =
        SnapshotWriter.create(table, WriterOptions.builder().schema(schema).build())) {
      writer.add(codec.encodeKey("a", "b,c"), codec.encodeValue("right"));
      writer.add(codec.encodeKey("b", "c"), codec.encodeValue("wrong"));
      writer.publish();
    }
    try (BsdbServer other = BsdbServer.builder().table("t", table).start()) {
      Client reader = new Client(other);
      assertThat(text(reader.get("/v1/tables/t/rows?tenant=a&key=b,c"))).contains("right");
      assertThat(text(reader.get("/v1/tables/t/rows?key=b,c"))).contains("wrong");
      assertThat(problem(reader.get("/v1/tables/t/rows?tenant=a"))).isEqualTo("bad-key");
    }
  }

  @Test
  void answersPlainBytes() throws Exception {
    assertThat(text(client.get("/v1/tables/colours/rows/rose")))
        .isEqualTo("{\"value\":\"cmVk\",\"encoding\":\"base64\"}");
    HttpResponse<byte[]> answer =
        client.get("/v1/tables/colours/rows/rose", "Accept", "application/octet-stream");
    assertThat(text(answer)).isEqualTo("red");
    assertThat(answer.headers().firstValue("content-disposition")).hasValue("attachment");
    assertThat(answer.headers().firstValue("etag")).hasValue(tag("colours", "bytes"));
    assertThat(
            text(
                client.get(
                    "/v1/tables/colours/rows/rose", "Accept", "text/html, application/x-ndjson")))
        .isEqualTo("{\"value\":\"cmVk\",\"encoding\":\"base64\"}\n");
    assertThat(problem(client.get("/v1/tables/colours/rows/rose", "Accept", "text/csv")))
        .isEqualTo("not-acceptable");
    for (String key :
        new String[] {
          "key=a/b", "key=a%2Fb", "key=612f62&encoding=hex", "key=YS9i&encoding=base64url"
        }) {
      assertThat(client.get("/v1/tables/colours/rows?" + key).statusCode()).as(key).isEqualTo(200);
    }
    assertThat(client.get("/v1/tables/colours/rows/gr%C3%B6%C3%9Fe").statusCode()).isEqualTo(200);
    String raw = new String(bytes("/v1/tables/colours/rows?key=😀+x"), ISO_8859_1);
    assertThat(client.rawGet(raw)).startsWith("HTTP/1.1 200");
    assertThat(problem(client.get("/v1/tables/colours/rows?key=zz&encoding=hex")))
        .isEqualTo("bad-key");
  }

  private String tag(String table, String representation) throws Exception {
    return '"'
        + json(client.get("/v1/tables/" + table)).get("version").asText()
        + "."
        + representation
        + '"';
  }

  @Test
  void saysThatAKeyIsAbsent() throws Exception {
    HttpResponse<byte[]> answer = client.get("/v1/tables/cities/rows/99999");
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(problem(answer)).isEqualTo("absent");
    assertThat(answer.headers().firstValue("content-type")).hasValue("application/problem+json");
    assertThat(answer.headers().firstValue("cache-control")).hasValue("no-store");
    assertThat(answer.headers().firstValue("bsdb-version")).hasValue(version);
    assertThat(json(answer).get("status").asInt()).isEqualTo(404);
    assertThat(json(answer).get("detail").asText()).contains(version);
  }

  @Test
  void answersMetadataOfWhatTheClientHasWithoutALookup() throws Exception {
    String tag = '"' + version + ".json\"";
    String row = "/v1/tables/cities/rows/7";
    long before = lookups();
    HttpResponse<byte[]> unchanged = client.get(row, "If-None-Match", "\"other\", W/" + tag);
    assertThat(unchanged.statusCode()).isEqualTo(304);
    assertThat(unchanged.headers().firstValue("etag")).hasValue(tag);
    assertThat(unchanged.headers().firstValue("content-length")).isEmpty(); // not that of a row
    assertThat(client.get(row, "If-None-Match", "\"other\"", "If-None-Match", tag).statusCode())
        .isEqualTo(304);
    assertThat(lookups()).isEqualTo(before);
    assertThat(client.get(row, "If-None-Match", "*").statusCode()).isEqualTo(304);
    assertThat(lookups()).isEqualTo(before + 1);
    assertThat(client.get("/v1/tables/cities/rows/99999", "If-None-Match", "*").statusCode())
        .isEqualTo(404);
    assertThat(client.get(row, "If-None-Match", '"' + version + ".bytes\"").statusCode())
        .isEqualTo(200);
  }

  @Test
  void problemsRepeatTheBeginningOfALongText() throws Exception {
    String text = "x".repeat(7000);
    String cities = "/v1/tables/cities";
    for (String path :
        List.of(
            cities + "/rows/" + text,
            cities + "/rows/%C3%A4%FF" + text,
            cities + "/rows/%zz" + text,
            cities + "/rows?id=" + text,
            cities + "/rows?id=7&" + text + "=1",
            cities + "/rows?id=7&" + text + "=1&" + text + "=2",
            cities + "/rows?id=7&columns=" + text,
            cities + "/rows?id=7&numbers=" + text,
            cities + "/rows?key=7&encoding=" + text,
            cities + "/rows?key=" + text + "&encoding=hex",
            cities + "/rows?key=" + text + "&encoding=base64url",
            cities + "/rows?from=1&reverse=" + text,
            cities + "/sample?n=" + text,
            cities + "/diff?from=" + version + "&sample=" + text,
            cities + "/versions/" + text + "/rows/7",
            "/v1/tables/prices/rows/" + ",".repeat(7000),
            "/v1/tables/prices/rows?key=%5B%22" + text,
            "/v1/tables/prices/rows?key=%5B" + text,
            "/v1/tables/" + text)) {
      String answer = client.rawGet(path);
      assertThat(answer).as(path).startsWith("HTTP/1.1 4").hasSizeLessThan(1500);
    }
    for (String body :
        List.of(
            "{\"keys\": [\"%s\"]}",
            "{\"keys\": [[\"%s\"]]}",
            "{\"keys\": [{\"%s\": 7}]}",
            "{\"keys\": [{\"id\": [\"%s\"]}]}",
            "{\"keys\": [%s]}",
            "{\"keys\": [7], \"columns\": [\"%s\"]}",
            "{\"keys\": [7], \"match\": \"%s\"}",
            "{\"keys\": [7], \"%s\": []}",
            "{\"keys\": [7], \"%s\": 7}",
            "{\"keys\": [7], \"\u0000%s\": 7}",
            "{\"keys\": [7], \"%<s\": [], \"%<s\": []}".replace("%<s", "%1$s"))) {
      HttpResponse<byte[]> answer =
          client.post(cities + "/rows:lookup", body.formatted("x".repeat(500_000)));
      assertThat(answer.statusCode()).as(body).isEqualTo(400);
      assertThat(answer.body()).as(body).hasSizeLessThan(1000);
    }
    for (String header : List.of("Content-Type", "Content-Encoding", "Accept")) {
      HttpResponse<byte[]> answer =
          client.post(cities + "/rows:lookup", "{\"keys\": [7]}", header, text);
      assertThat(answer.statusCode()).as(header).isIn(406, 415);
      assertThat(answer.body()).as(header).hasSizeLessThan(1000);
    }
  }

  private long lookups() throws Exception {
    return text(client.get("/metrics"))
        .lines()
        .filter(line -> line.matches("bsdb_lookup_(hits|misses)_total.*cities.*"))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  @Test
  void answersOfAPinnedVersionNeverChange() throws Exception {
    String next = Tables.cities(directory.resolve("cities"), 2000, 5);
    server.refresh();
    String path = "/v1/tables/cities/versions/" + version + "/rows/7";
    HttpResponse<byte[]> old = client.get(path);
    assertThat(json(old).get("population").asLong()).isEqualTo((1L << 53) + 7);
    assertThat(old.headers().firstValue("cache-control"))
        .hasValue("public, max-age=31536000, immutable");
    HttpResponse<byte[]> now = client.get("/v1/tables/cities/rows/7");
    assertThat(json(now).get("population").asLong()).isEqualTo((1L << 53) + 12);
    assertThat(now.headers().firstValue("bsdb-version")).hasValue(next);
    HttpResponse<byte[]> absent =
        client.get("/v1/tables/cities/versions/" + version + "/rows/99999");
    assertThat(absent.statusCode()).isEqualTo(404);
    assertThat(absent.headers().firstValue("cache-control")).hasValue("no-store");
    assertThat(problem(client.get("/v1/tables/cities/versions/0000000009-aaaaaaaa/rows/7")))
        .isEqualTo("unknown-version");
    assertThat(problem(client.get("/v1/tables/cities/versions/latest/rows/7")))
        .isEqualTo("unknown-version");
  }

  @Test
  void looksManyKeysUp() throws Exception {
    String body = "{\"keys\": [7, [8], {\"id\": 9}, 99999], \"columns\": [\"name\"]}";
    HttpResponse<byte[]> answer = client.post("/v1/tables/cities/rows:lookup", body);
    assertThat(text(answer))
        .isEqualTo(
            "{\"version\":\"%s\",\"rows\":[".formatted(version)
                + "{\"found\":true,\"row\":{\"name\":\"City 7\"}},"
                + "{\"found\":true,\"row\":{\"name\":\"City 8\"}},"
                + "{\"found\":true,\"row\":{\"name\":\"City 9\"}},"
                + "{\"found\":false}],\"found\":3}");
    assertThat(answer.headers().firstValue("bsdb-version")).hasValue(version);
    assertThat(
            text(
                client.post(
                    "/v1/tables/cities/rows:lookup?columns=id",
                    "7\n99999\n",
                    "Content-Type",
                    "application/x-ndjson",
                    "Accept",
                    "application/x-ndjson")))
        .isEqualTo(
            "{\"found\":true,\"row\":{\"id\":7}}\n{\"found\":false}\n"
                + "{\"complete\":true,\"version\":\"%s\",\"keys\":2,\"found\":1}\n"
                    .formatted(version));
  }

  @Test
  void looksManyKeysUpAsBytes() throws Exception {
    RowCodec codec = RowCodec.of(Tables.CITIES);
    ByteBuffer keys = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
    for (long id = 1990; id <= 2010; id++) {
      byte[] key = codec.encodeKey(id);
      keys.putInt(key.length).put(key);
    }
    byte[] body = new byte[keys.position()];
    keys.flip().get(body);
    String type = "application/octet-stream";
    byte[] answer =
        client
            .post("/v1/tables/cities/rows:lookup", body, "Content-Type", type, "Accept", type)
            .body();
    ByteBuffer values = ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN);
    for (long id = 1990; id <= 2010; id++) {
      int length = values.getInt();
      if (id > 2000) {
        assertThat(length).isEqualTo(-1);
      } else {
        byte[] value = new byte[length];
        values.get(value);
        assertThat(codec.decode(codec.encodeKey(id), value).string("name")).isEqualTo("City " + id);
      }
    }
    assertThat(values.hasRemaining()).isFalse();
  }

  @Test
  void namesOfColumnsMayHaveCommas() throws Exception {
    Schema schema =
        Schema.builder()
            .column("id", "INT NOT NULL")
            .column("a", "INT")
            .column("a,b", "INT")
            .column("b", "INT")
            .primaryKey("id")
            .build();
    RowCodec codec = RowCodec.of(schema);
    Path table = directory.resolve("commas");
    try (SnapshotWriter writer =
        SnapshotWriter.create(table, WriterOptions.builder().schema(schema).build())) {
      writer.add(codec.encodeKey(1), codec.encodeValue(2, 3, 4));
      writer.publish();
    }
    try (BsdbServer commas = BsdbServer.builder().table("t", table).start()) {
      String body = "{\"keys\":[1],\"columns\":[\"a,b\"]}";
      assertThat(text(new Client(commas).post("/v1/tables/t/rows:lookup", body)))
          .contains("\"row\":{\"a,b\":3}");
    }
  }

  @Test
  void hugeJsonIsTheClientsFault() throws Exception {
    String deep = "[".repeat(1001) + "]".repeat(1001);
    String number = "1".repeat(1001);
    for (String table : List.of("cities", "prices", "colours")) {
      String lookup = "/v1/tables/" + table + "/rows:lookup";
      for (String value :
          List.of(deep, number, number + ".5", "-" + number, "{\"id\":" + number + "}")) {
        for (String body : List.of("{\"keys\":[" + value + "]}", "{\"other\":" + value + "}")) {
          HttpResponse<byte[]> answer = client.post(lookup, body);
          assertThat(answer.statusCode()).as(body).isEqualTo(400);
        }
        HttpResponse<byte[]> lines =
            client.post(lookup, value + "\n", "Content-Type", "application/x-ndjson");
        assertThat(lines.statusCode()).as(value).isEqualTo(400);
        String key = URLEncoder.encode(value, StandardCharsets.UTF_8);
        assertThat(client.get("/v1/tables/" + table + "/rows?key=" + key).statusCode())
            .as(value)
            .isIn(400, 404);
      }
    }
  }
}
