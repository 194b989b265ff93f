package io.bsdb.http;

import static io.bsdb.http.Client.json;
import static io.bsdb.http.Client.problem;
import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.http.exchange.Problem;
import io.bsdb.http.table.Held;
import io.bsdb.http.table.PinnedVersions;
import io.bsdb.http.table.ServedTable;
import io.bsdb.http.wire.Limits;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.memory.ElasticMemory;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every limit, at it and one beyond. */
@Timeout(120)
class LimitsTest {
  private static final String LOOKUP = "/v1/tables/t/rows:lookup";
  @TempDir private Path directory;
  private BsdbServer server;
  private Client client;

  @BeforeEach
  void build() throws Exception {
    Tables.publish(directory, Map.of("k", "0123456789", "l", "x"));
  }

  private void serve(Map<String, Integer> limits, Access access) throws Exception {
    server =
        BsdbServer.builder()
            .table("t", directory)
            .limits(limits)
            .options(ReaderOptions.builder().access(access).queueDepth(1).build())
            .refreshEvery(Duration.ZERO)
            .start();
    client = new Client(server);
  }

  private void serve(Map<String, Integer> limits) throws Exception {
    serve(limits, Access.MAPPED);
  }

  @AfterEach
  void close() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  @Test
  void haveDefaults() {
    Limits limits = Limits.of(Map.of());
    assertThat(
            List.<Object>of(
                limits.keys(),
                limits.bodyBytes(),
                limits.addressBytes(),
                limits.answerBytes(),
                limits.allAnswersBytes(),
                limits.request(),
                limits.idle(),
                limits.connections(),
                limits.pinnedVersions(),
                limits.pinsPerMinute(),
                limits.drain()))
        .containsExactly(
            1024,
            1 << 20,
            8 << 10,
            64 << 20,
            (int) Math.min(Integer.MAX_VALUE, Runtime.getRuntime().maxMemory() / 4),
            Duration.ofSeconds(5),
            Duration.ofSeconds(30),
            256,
            2,
            30,
            Duration.ofSeconds(30));
    assertThatThrownBy(() -> Limits.of(Map.of("kezs", 1)))
        .hasMessageStartingWith("there is no limit 'kezs'; there are [keys, ");
    assertThatThrownBy(() -> Limits.of(Map.of("keys", 0)))
        .hasMessage("limit 'keys': expected>=1 actual=0");
  }

  @Test
  void keys() throws Exception {
    serve(Map.of("keys", 3));
    assertThat(client.post(LOOKUP, "{\"keys\":[\"a\",\"b\",\"c\"]}").statusCode()).isEqualTo(200);
    HttpResponse<byte[]> beyond = client.post(LOOKUP, "{\"keys\":[\"a\",\"b\",\"c\",\"d\"]}");
    assertThat(beyond.statusCode()).isEqualTo(413);
    assertThat(problem(beyond)).isEqualTo("too-many-keys");
    for (String type : new String[] {"application/x-ndjson", "application/octet-stream"}) {
      byte[] three =
          type.endsWith("ndjson")
              ? bytes("\"a\"\n\"b\"\n\"c\"")
              : new byte[] {1, 0, 0, 0, 'a', 1, 0, 0, 0, 'b', 1, 0, 0, 0, 'c'};
      byte[] four =
          type.endsWith("ndjson")
              ? bytes("\"a\"\n\"b\"\n\"c\"\n\"d\"")
              : new byte[] {1, 0, 0, 0, 'a', 1, 0, 0, 0, 'b', 1, 0, 0, 0, 'c', 1, 0, 0, 0, 'd'};
      assertThat(client.post(LOOKUP, three, "Content-Type", type).statusCode()).isEqualTo(200);
      assertThat(problem(client.post(LOOKUP, four, "Content-Type", type)))
          .isEqualTo("too-many-keys");
    }
  }

  @Test
  void body() throws Exception {
    serve(Map.of("body-bytes", 20));
    String body = "{\"keys\":[\"%s\"]}";
    assertThat(client.post(LOOKUP, body.formatted("x".repeat(7))).statusCode()).isEqualTo(200);
    assertThat(problem(client.post(LOOKUP, body.formatted("x".repeat(8)))))
        .isEqualTo("body-too-large");
    String chunked =
        "POST "
            + LOOKUP
            + " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
            + "Content-Type: application/json\r\n\r\n";
    assertThat(client.raw(chunked + "15\r\n" + body.formatted("x".repeat(8)) + "\r\n0\r\n\r\n"))
        .startsWith("HTTP/1.1 413")
        .contains("body-too-large");
  }

  @Test
  void address() throws Exception {
    serve(Map.of("address-bytes", 100));
    String path = "/v1/tables/t/rows/";
    assertThat(client.get(path + "x".repeat(100 - path.length())).statusCode()).isEqualTo(404);
    HttpResponse<byte[]> beyond = client.get(path + "x".repeat(101 - path.length()));
    assertThat(beyond.statusCode()).isEqualTo(414);
    assertThat(problem(beyond)).isEqualTo("address-too-long");
    assertThat(client.rawGet(path + "x".repeat(20_000))).matches("(?s)HTTP/1.1 4(14|31).*");
  }

  @Test
  void answer() throws Exception {
    serve(Map.of("answer-bytes", 10));
    String type = "application/octet-stream";
    String row = "/v1/tables/t/rows/k";
    assertThat(client.get(row, "Accept", type).statusCode()).isEqualTo(200);
    close();
    serve(Map.of("answer-bytes", 9));
    HttpResponse<byte[]> beyond = client.get(row, "Accept", type);
    assertThat(beyond.statusCode()).isEqualTo(413);
    assertThat(problem(beyond)).isEqualTo("answer-too-large");
    close();
    serve(Map.of("answer-bytes", 14));
    byte[] key = {1, 0, 0, 0, 'k'};
    assertThat(client.post(LOOKUP, key, "Content-Type", type, "Accept", type).statusCode())
        .isEqualTo(200);
    close();
    serve(Map.of("answer-bytes", 13));
    assertThat(problem(client.post(LOOKUP, key, "Content-Type", type, "Accept", type)))
        .isEqualTo("answer-too-large");
  }

  @Test
  void timeOfABodyThatComesSlowly() throws Exception {
    serve(Map.of("request-millis", 1000));
    try (Socket socket = client.connect()) {
      OutputStream out = socket.getOutputStream();
      out.write(
          bytes("POST " + LOOKUP + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"));
      out.flush();
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).startsWith("HTTP/1.1 408").contains("urn:problem-type:bsdb:timeout");
    }
    assertThat(client.get("/v1/tables/t/rows/k").statusCode()).isEqualTo(200);
  }

  @Test
  void idleTime() throws Exception {
    serve(Map.of("idle-millis", 200));
    try (Socket socket = client.connect()) {
      socket.getOutputStream().write(bytes("GET /v1/tables HTTP/1.1\r\nHost: loc"));
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .doesNotContain("200 OK");
    }
  }

  @Test
  void oldVersions() throws Exception {
    List<String> versions = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      versions.add(Tables.publish(directory, Map.of("k", "v" + i)));
    }
    serve(Map.of("pinned-versions", 2, "pins-per-minute", 3));
    for (int i = 0; i < 3; i++) {
      assertThat(pinned(versions.get(i)).statusCode()).isEqualTo(200);
      assertThat(pinned(versions.get(i)).statusCode()).isEqualTo(200);
    }
    assertThat(Client.text(client.get("/metrics"))).contains("bsdb_pinned_versions 2.0\n");
    HttpResponse<byte[]> beyond = pinned(versions.get(3));
    assertThat(beyond.statusCode()).isEqualTo(503);
    assertThat(problem(beyond)).isEqualTo("overloaded");
    assertThat(beyond.headers().firstValue("retry-after")).hasValue("1");
    for (int i = 1; i < 3; i++) {
      assertThat(pinned(versions.get(i)).statusCode()).as("still open").isEqualTo(200);
    }
    assertThat(pinned(versions.get(4)).statusCode()).as("in service").isEqualTo(200);
  }

  /** A client that has an answer holds nothing any more. */
  @Test
  void oldVersionsOneAfterTheOther() throws Exception {
    List<String> versions = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      versions.add(Tables.publish(directory, Map.of("k", "v" + i)));
    }
    serve(Map.of("pinned-versions", 1, "pins-per-minute", 10_000));
    for (int i = 0; i < 200; i++) {
      assertThat(pinned(versions.get(i % 2)).statusCode()).as("request %d", i).isEqualTo(200);
    }
  }

  private HttpResponse<byte[]> pinned(String version) throws Exception {
    return client.get("/v1/tables/t/versions/" + version + "/rows/k");
  }

  private ServedTable open(ReaderOptions options) throws IOException {
    return ServedTable.open("t", directory, options, Duration.ZERO, TableReader.Listener.NONE);
  }

  @Test
  void oldVersionsInUse() throws Exception {
    String old = Tables.publish(directory, Map.of("k", "1"));
    String older = Tables.publish(directory, Map.of("k", "2"));
    Tables.publish(directory, Map.of("k", "3"));
    try (ServedTable table = open(ReaderOptions.defaults())) {
      PinnedVersions pinned = new PinnedVersions(Limits.of(Map.of("pinned-versions", 1)), () -> 0);
      Held held = pinned.hold(table, old);
      assertThatThrownBy(() -> pinned.hold(table, older))
          .isInstanceOf(Problem.class)
          .hasMessage("as many old versions are in use as may be open at once: 1");
      held.close();
      Held next = pinned.hold(table, older);
      pinned.close();
      assertThat(next.reader().get(bytes("k"))).asString().isEqualTo("2");
      next.close();
      assertThatThrownBy(() -> next.reader().get(bytes("k")))
          .isInstanceOf(io.bsdb.reader.ClosedReaderException.class);
    }
  }

  /** A block cache that makes all who open something wait, as a slow disk does. */
  private static final class SlowCache implements ElasticMemory.Cache {
    private final CountDownLatch opening = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private volatile boolean slow;

    @Override
    public long maxBytes() {
      return 1L << 40;
    }

    @Override
    public long hits() {
      return 0;
    }

    @Override
    public void limit(long bytes) {
      if (slow) {
        opening.countDown();
        try {
          goOn.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  @Test
  void oldVersionsThatAreOpenNeedNotWaitForOneThatIsOpened() throws Exception {
    String old = Tables.publish(directory, Map.of("k", "1"));
    String older = Tables.publish(directory, Map.of("k", "2"));
    Tables.publish(directory, Map.of("k", "3"));
    MemoryBudget budget = MemoryBudget.of(1 << 30, Duration.ZERO);
    SlowCache cache = new SlowCache();
    ExecutorService threads = Executors.newCachedThreadPool();
    try (ServedTable table =
            open(
                ReaderOptions.builder()
                    .access(Access.DIRECT)
                    .blockCacheBytes(1 << 20)
                    .memory(budget)
                    .build());
        PinnedVersions pinned = new PinnedVersions(Limits.of(Map.of()), () -> 0)) {
      pinned.hold(table, older).close();
      budget.elastic().add(cache);
      cache.slow = true;
      Future<Held> opened = threads.submit(() -> pinned.hold(table, old));
      cache.opening.await();
      Future<Held> open = threads.submit(() -> pinned.hold(table, older));
      try (Held held = open.get(60, TimeUnit.SECONDS)) {
        assertThat(held.reader().get(bytes("k"))).asString().isEqualTo("2");
        assertThat(opened).isNotDone();
      } finally {
        cache.slow = false;
        cache.goOn.countDown();
      }
      try (Held held = opened.get()) {
        assertThat(held.reader().get(bytes("k"))).asString().isEqualTo("1");
      }
      budget.elastic().remove(cache);
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void oldVersionsThatDoNotFitMemory() throws Exception {
    String old = Tables.publish(directory, Map.of("k", "1"));
    String current = Tables.publish(directory, Map.of("k", "2"));
    ReaderOptions.Builder options = ReaderOptions.builder().access(Access.DIRECT);
    MemoryBudget counted = MemoryBudget.unlimited();
    long needed;
    try (SnapshotReader unused = SnapshotReader.open(directory, options.memory(counted).build())) {
      needed = counted.indexBytes();
    }
    server =
        BsdbServer.builder()
            .table("t", directory)
            .options(options.memory(MemoryBudget.of(needed * 3 / 2)).build())
            .refreshEvery(Duration.ZERO)
            .start();
    client = new Client(server);
    HttpResponse<byte[]> beyond = pinned(old);
    assertThat(beyond.statusCode()).isEqualTo(503);
    assertThat(problem(beyond)).isEqualTo("overloaded");
    assertThat(json(beyond).get("detail").asText()).startsWith("memory budget exceeded: ");
    assertThat(pinned(current).statusCode()).isEqualTo(200);
    assertThat(Client.text(client.get("/metrics"))).contains("bsdb_pinned_versions 0.0\n");
  }

  @Test
  void timeOfLookupsThatOthersWaitFor() throws Exception {
    serve(Map.of());
    try (ServedTable table = open(ReaderOptions.defaults())) {
      table.took(50_001);
      table.took(50_000);
      table.took(50_001);
      assertThat(table.isQuick()).as("no two in a row").isTrue();
      for (int round = 0; round < 2; round++) {
        table.took(50_001);
        for (int i = 0; i < 100; i++) {
          assertThat(table.isQuick()).isFalse();
        }
        assertThat(table.isQuick()).isTrue();
      }
    }
    try (ServedTable table = open(ReaderOptions.builder().access(Access.DIRECT).build())) {
      assertThat(table.isQuick()).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"DIRECT", "IO_URING"})
  void waitingReads(String access) throws Exception {
    serve(Map.of(), Access.valueOf(access));
    try (ServedTable table =
        open(ReaderOptions.builder().access(Access.valueOf(access)).queueDepth(2).build())) {
      Runnable all = table.reserve(16);
      assertThatThrownBy(() -> table.reserve(1))
          .isInstanceOf(Problem.class)
          .hasMessage("too many lookups are waiting for the disk: table=t maximum=16");
      all.run();
      table.reserve(1).run();
    }
    assertThat(client.get("/v1/tables/t/rows/k").statusCode()).isEqualTo(200);
  }

  @Test
  void lengthOfKeys() throws Exception {
    serve(Map.of());
    String body = "{\"keys\":[\"%s\"]}";
    assertThat(json(client.post(LOOKUP, body.formatted("x".repeat(65_535)))).get("found").asInt())
        .isZero();
    HttpResponse<byte[]> beyond = client.post(LOOKUP, body.formatted("x".repeat(65_536)));
    assertThat(problem(beyond)).isEqualTo("bad-key");
    assertThat(json(beyond).get("detail").asText())
        .isEqualTo("keys have 1 to 65535 bytes, this one has 65536");
    assertThat(problem(client.post(LOOKUP, body.formatted("")))).isEqualTo("bad-key");
    assertThat(problem(client.get("/v1/tables/t/rows/"))).isEqualTo("bad-key");
    assertThat(problem(client.get("/v1/tables/t/rows?key="))).isEqualTo("bad-key");
  }
}
