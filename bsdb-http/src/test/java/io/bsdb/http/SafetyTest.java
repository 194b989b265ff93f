package io.bsdb.http;

import static io.bsdb.http.Client.json;
import static io.bsdb.http.Client.problem;
import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that should not be served. */
@Timeout(60)
class SafetyTest {
  @TempDir private Path directory;
  private Path table;
  @AutoClose private BsdbServer server;
  private Client client;

  @BeforeEach
  void serve() throws Exception {
    table = directory.resolve("t");
    Files.writeString(directory.resolve("secret"), "secret");
    Tables.publish(table, Map.of("k", "v", ".", "dot"));
    start(builder());
  }

  private BsdbServer.Builder builder() {
    return BsdbServer.builder().table("t", table).refreshEvery(Duration.ZERO);
  }

  private void start(BsdbServer.Builder builder) throws IOException {
    if (server != null) {
      server.close();
    }
    server = builder.start();
    client = new Client(server);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1/tables/../../secret",
        "/v1/tables/..%2f..%2fsecret",
        "/v1/tables/%2e%2e/%2e%2e/secret",
        "/v1/tables/%252e%252e%252fsecret",
        "/v1/tables/t/../../secret",
        "/v1/tables/t/..;/secret",
        "/v1/tables/t/%c0%ae%c0%ae/secret",
        "/v1/tables/t/versions/../../../secret",
        "/v1/tables/t/versions/..%5c..%5csecret/rows/k",
        "/v1/tables/t/versions/%2e%2e/rows/k",
        "/v1/tables/..",
        "/v1/tables/.",
        "/v1/tables/...",
        "/../secret",
        "/..\\secret",
        "/%00",
        "//etc/passwd",
        "/tables/../secret",
        "/v1/tables/t/versions/0000000001-0a1b2c3d%00/rows/k",
        "/v1/tables/%",
        "/v1/tables/%2E%2E%2Fsecret",
        "/v1/tables/.%2e/secret",
        "/v1/tables/%u002e%u002e/secret",
        "/v1/tables/%ef%bc%8e%ef%bc%8e/secret",
        "/v1/tables/t/diff?from=../../secret",
        "/v1/tables/t/rows/k?version=../../secret",
        "/tables/%2e%2e",
        "/tables/t/%2e%2e%2fsecret",
        "/tables/t/key?key=k&version=../../secret"
      })
  void noPathComesFromARequest(String path) throws Exception {
    assertThat(client.rawGet(path))
        .matches("(?s)HTTP/1.1 4(00|04).*(application/problem\\+json|text/html).*")
        .doesNotContain("secret\"")
        .doesNotContain("versions/../")
        .doesNotContain("\r\n\r\nsecret");
  }

  /** Else a client sends its next request over it, and gets no answer. */
  @ParameterizedTest
  @ValueSource(strings = {"GET /%00 HTTP/1.1", "GET /% HTTP/1.1", "GARBAGE"})
  void saysThatTheConnectionEndsWithAnAddressThatCannotBeParsed(String request) throws Exception {
    assertThat(client.raw(request + "\r\nHost: localhost\r\n\r\n"))
        .startsWith("HTTP/1.1 400")
        .containsOnlyOnce("\r\nConnection: close\r\n");
  }

  @Test
  void anotherVersionOfHttpIsTheClientsFault() throws Exception {
    assertThat(client.raw("GET / HTTP/3.0\r\nHost: localhost\r\n\r\n"))
        .startsWith("HTTP/1.1 505")
        .contains("urn:problem-type:bsdb:bad-request");
  }

  /** Else it would be asked for another key, and might be told that there is none. */
  @Test
  void refusesAnAddressThatIsNotUtf8() throws Exception {
    assertThat(client.rawGet("/v1/tables/t/rows?key=\u00e4"))
        .startsWith("HTTP/1.1 400")
        .contains("urn:problem-type:bsdb:bad-request", "percent-encode what is not ASCII");
    assertThat(client.rawGet("/v1/tables/t/rows?key=\u00c3\u00a4")).startsWith("HTTP/1.1 404");
  }

  @Test
  void refusesBodiesThatAreNotUtf8() throws Exception {
    for (String type : List.of("application/json", "application/x-ndjson")) {
      byte[] overlong = "{\"keys\":[\"\u00c1\u00ab\"]}".getBytes(StandardCharsets.ISO_8859_1); // k
      byte[] body = type.endsWith("ndjson") ? Arrays.copyOfRange(overlong, 9, 13) : overlong;
      HttpResponse<byte[]> answer =
          client.post("/v1/tables/t/rows:lookup", body, "Content-Type", type);
      assertThat(problem(answer)).as(type).isEqualTo("bad-request");
      assertThat(Client.text(answer)).contains("it is not UTF-8");
    }
  }

  @Test
  void refusesBodiesThatAreCompressed() throws Exception {
    String lookup = "/v1/tables/t/rows:lookup";
    String keys = "{\"keys\":[\"k\"]}";
    HttpResponse<byte[]> answer = client.post(lookup, keys, "Content-Encoding", "gzip");
    assertThat(answer.statusCode()).isEqualTo(415);
    assertThat(Client.text(answer)).contains("Content-Encoding is 'gzip'");
    assertThat(client.post(lookup, keys, "Content-Encoding", "Identity").statusCode())
        .isEqualTo(200);
  }

  @Test
  void refusesForeignHosts() throws Exception {
    for (String host :
        List.of("evil.example", "127.0.0.1.evil.example", "10.0.0.7x", "localhost.", "")) {
      assertThat(
              client.raw(
                  "GET /v1/tables HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"))
          .as(host)
          .matches("(?s)HTTP/1.1 4(21|00).*");
    }
    for (String host :
        List.of("LOCALHOST:1", "127.0.0.1", "[::1]:8080", "10.244.1.7:8080", "[FD00::7]:8080")) {
      assertThat(
              client.raw(
                  "GET /v1/tables HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"))
          .as(host)
          .startsWith("HTTP/1.1 200");
    }
    assertThat(
            client.raw(
                "GET http://evil.example/v1/tables HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
        .matches("(?s)HTTP/1.1 4(21|00).*");
    start(builder().allowHost("Tables.example"));
    assertThat(
            client.raw(
                "GET /v1/tables HTTP/1.1\r\nHost: tables.example\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 200");
  }

  @Test
  void wantsTheToken() throws Exception {
    start(builder().token("s3cret"));
    String row = "/v1/tables/t/rows/k";
    for (String path : List.of(row, "/metrics", "/", "/openapi.json", "/health")) {
      HttpResponse<byte[]> refused = client.get(path);
      assertThat(refused.statusCode()).as(path).isEqualTo(401);
      assertThat(problem(refused)).isEqualTo("unauthorized");
      assertThat(refused.headers().firstValue("www-authenticate").orElse("")).contains("Bearer");
    }
    for (String wrong : List.of("Bearer s3cre", "Bearer s3crett", "s3cret", "Basic x", "Bearer")) {
      assertThat(client.get(row, "Authorization", wrong).statusCode()).as(wrong).isEqualTo(401);
    }
    assertThat(client.get(row, "Authorization", "bearer s3cret").statusCode()).isEqualTo(200);
    assertThat(client.get(row, "Authorization", "Basic YW55OnMzY3JldA==").statusCode())
        .isEqualTo(200);
    assertThat(client.get("/health/live").statusCode()).isEqualTo(200);
    String version =
        json(client.get("/v1/tables/t", "Authorization", "Bearer s3cret")).get("version").asText();
    assertThat(
            client
                .get(
                    "/v1/tables/t/versions/" + version + "/rows/k",
                    "Authorization",
                    "Bearer s3cret")
                .headers()
                .firstValue("cache-control"))
        .hasValue("private, max-age=31536000, immutable");
  }

  @Test
  void servesOtherMachinesOnlyIfToldSo() throws Exception {
    assertThatThrownBy(() -> builder().host("0.0.0.0").start())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "0.0.0.0 is not a loopback address: without a token, whoever reaches it can read the"
                + " tables; set a token (--token-file) and a certificate (--tls-certificate,"
                + " --tls-key), ")
        .hasMessageContaining("--insecure");
    assertThatThrownBy(() -> builder().host("0.0.0.0").token("s").start())
        .hasMessageStartingWith(
            "0.0.0.0 is not a loopback address: without TLS, others can read the token and the rows"
                + " on their way; set a certificate (--tls-certificate, --tls-key), ")
        .hasMessageContaining("--insecure");
    builder().host("0.0.0.0").token("s").insecure().start().close();
    assertThatThrownBy(() -> builder().table("..", table)).hasMessageContaining("not a name");
    assertThatThrownBy(() -> builder().table("a/b", table)).hasMessageContaining("not a name");
    assertThatThrownBy(() -> builder().table("x".repeat(65), table))
        .hasMessageContaining("not a name");
    builder().table("x".repeat(64), table).start().close();
  }

  @Test
  void refusesMalformedBodies() throws Exception {
    String lookup = "/v1/tables/t/rows:lookup";
    for (String body :
        List.of(
            "",
            "{",
            "[]",
            "{}",
            "{\"keys\":7}",
            "{\"keys\":[\"a\"",
            "{\"keys\":[\"a\"]}x",
            "{\"keys\":[],\"keys\":[]}",
            "{\"other\":[]}",
            "{\"keys\":[\"a\"],\"columns\":[7]}")) {
      assertThat(problem(client.post(lookup, body))).as(body).isEqualTo("bad-request");
    }
    for (String body :
        List.of(
            "{\"keys\":[7]}",
            "{\"keys\":[null]}",
            "{\"keys\":[[\"a\"]]}",
            "{\"keys\":[\"\\ud800\"]}")) {
      assertThat(problem(client.post(lookup, body))).as(body).isEqualTo("bad-key");
    }
    assertThat(Client.text(client.post(lookup, "{\"keys\":[\"\\ud800\"]}")))
        .contains("half a surrogate pair");
    assertThat(Client.text(client.post(lookup, "{\"keys\":[],\"limit\":5}")))
        .contains("there is no member 'limit'; there are [keys, columns, match]");
    assertThat(problem(client.post(lookup, "\"a\"\n{\"b", "Content-Type", "application/x-ndjson")))
        .isIn("bad-request", "bad-key");
    for (byte[] body : new byte[][] {{1}, {2, 0, 0, 0, 'a'}, {-1, -1, -1, -1}}) {
      assertThat(problem(client.post(lookup, body, "Content-Type", "application/octet-stream")))
          .isEqualTo("bad-request");
    }
    for (Charset charset : List.of(StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE)) {
      for (String form : List.of("json", "x-ndjson")) {
        HttpResponse<byte[]> answer =
            client.post(
                lookup,
                "{\"keys\":[\"k\"]}".getBytes(charset),
                "Content-Type",
                "application/" + form);
        assertThat(problem(answer)).as("%s %s", charset, form).isEqualTo("bad-request");
        assertThat(Client.text(answer)).contains("not UTF-8");
      }
    }
    HttpResponse<byte[]> type = client.post(lookup, "<a/>", "Content-Type", "text/xml");
    assertThat(type.statusCode()).isEqualTo(415);
    assertThat(problem(type)).isEqualTo("wrong-media-type");
    assertThat(client.get(lookup).statusCode()).isEqualTo(405);
    assertThat(client.get(lookup).headers().firstValue("allow")).hasValue("POST");
    assertThat(client.post("/v1/tables/t/rows/k", "").statusCode()).isEqualTo(405);
    assertThat(client.post("/v1/tables", "").headers().firstValue("allow")).hasValue("GET, HEAD");
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "POST", "PUT", "OPTIONS", "other"})
  void longHeadersAreProblemsWhateverTheMethod(String method) throws Exception {
    String request = method + " /v1/tables HTTP/1.1\r\nHost: localhost\r\nCookie: %s\r\n\r\n";
    assertThat(client.raw(request.formatted("x".repeat(20_000))))
        .startsWith("HTTP/1.1 431")
        .contains("\"type\":\"urn:problem-type:bsdb:header-too-long\"");
  }

  /**
   * The content of a GET means nothing: RFC 9110, 9.3.1. What follows a part of it is no request.
   */
  @Test
  void ignoresTheBodyOfAGet() throws Exception {
    String head =
        "GET /v1/tables/t/rows/k HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n";
    String next = "GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assertThat(client.raw(head + "123456789" + next)).contains("\"value\"", "\"live\"");
    assertThat(client.raw(head + "123")) // closed after the answer
        .startsWith("HTTP/1.1 200")
        .doesNotContain("\"live\"");
  }

  @Test
  void survivesHalfABody() throws Exception {
    try (Socket socket = client.connect()) {
      OutputStream out = socket.getOutputStream();
      out.write(
          bytes(
              "POST /v1/tables/t/rows:lookup HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"keys\""));
      socket.shutdownOutput();
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .matches("(?s)(HTTP/1.1 400.*)?");
    }
    assertThat(client.get("/v1/tables/t/rows/k").statusCode()).isEqualTo(200);
  }

  @Test
  void logsRequestsWithoutKeys() throws Exception {
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    start(builder().accessLog(log));
    client.get("/v1/tables/t/rows/k");
    client.get("/v1/tables/t/rows/secretkey");
    client.get("/v1/tables/t/%72ows/secretkey");
    client.raw("HEAD /v1/tables/t/rows/k HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    server.close();
    List<String> lines = log.toString(StandardCharsets.UTF_8).lines().toList();
    List<String> gets = lines.stream().filter(line -> line.contains("\"GET\"")).toList();
    assertThat(gets).hasSize(3);
    assertThat(gets.get(0))
        .matches(
            "\\{\"time\":\"[^\"]+\",\"method\":\"GET\",\"path\":\"/v1/tables/t/rows/\\*\",\"status\":200,"
                + "\"version\":\"[^\"]+\",\"keys\":1,\"found\":1,\"bytes\":36,\"micros\":[0-9]+}");
    for (int i = 1; i <= 2; i++) {
      assertThat(gets.get(i)).contains("\"status\":404").doesNotContain("secretkey");
    }
    assertThat(lines) // in its place among those of other connections, or not
        .filteredOn(line -> line.contains("\"method\":\"HEAD\""))
        .singleElement()
        .asString()
        .contains("\"found\":1,\"bytes\":0,");
    log.reset();
    start(builder().accessLog(log).logKeys());
    client.get("/v1/tables/t/rows/secretkey");
    server.close();
    assertThat(log.toString(StandardCharsets.UTF_8)).contains("\"key\":\"secretkey\"");
  }

  @Test
  void isReadyWhileItsTablesAreYoungEnough() throws Exception {
    start(builder().maxAge(Duration.ofDays(1)));
    assertThat(client.get("/health/ready").statusCode()).isEqualTo(200);
    start(builder().maxAge(Duration.ofMillis(0)));
    HttpResponse<byte[]> old = client.get("/health/ready");
    assertThat(old.statusCode()).isEqualTo(503);
    assertThat(json(old).get("detail").asText()).startsWith("table t is ");
    start(builder().maxAge(Duration.ofMillis(0)).token("s3cret"));
    assertThat(Client.text(client.get("/health/ready"))).doesNotContain("table t");
    assertThat(client.get("/health/live").statusCode()).isEqualTo(200);
  }
}
