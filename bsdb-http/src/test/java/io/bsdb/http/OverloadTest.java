package io.bsdb.http;

import static io.bsdb.http.Client.json;
import static io.bsdb.http.Client.problem;
import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.http.exchange.Budget;
import io.bsdb.http.exchange.Problem;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.Await;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What asks for much memory or time is refused before it is read; the rest goes on. */
@Timeout(60)
class OverloadTest {
  private static final int HOUR = 3_600_000;
  private static final int ROWS = 300;
  private static final int LENGTH = 128 << 10;

  @TempDir private Path directory;
  private BsdbServer server;
  private Client client;

  private void serve(Map<String, Integer> limits, Access access) throws Exception {
    Map<String, String> rows = new TreeMap<>();
    String value = "v".repeat(LENGTH);
    for (int i = 0; i < ROWS; i++) {
      rows.put("key%04d".formatted(i), value);
    }
    Tables.publish(directory, rows, WriterOptions.builder().order(RecordOrder.KEY).build());
    Map<String, Integer> all = new LinkedHashMap<>(Map.of("request-millis", HOUR));
    all.putAll(limits);
    server =
        BsdbServer.builder()
            .table("t", directory)
            .limits(all)
            .options(ReaderOptions.builder().access(access).build())
            .start();
    client = new Client(server);
  }

  @AfterEach
  void close() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  private static String keys(int count) {
    return IntStream.range(0, count)
        .mapToObj("\"key%04d\""::formatted)
        .collect(Collectors.joining(",", "[", "]"));
  }

  @ParameterizedTest
  @EnumSource(names = {"MAPPED", "DIRECT"})
  void answersAreLimitedBeforeTheirRowsAreRead(Access access) throws Exception {
    serve(Map.of("answer-bytes", 4 * LENGTH, "keys", 1024), access);
    for (String address : List.of("sample?n=1000", "rows?prefix=key&limit=1000")) {
      long before = read();
      HttpResponse<byte[]> answer = client.get("/v1/tables/t/" + address);
      assertThat(answer.statusCode()).as(address).isEqualTo(413);
      assertThat(problem(answer)).isEqualTo("answer-too-large");
      if (access == Access.DIRECT) {
        assertThat(read() - before).as(address).isLessThan(64L * LENGTH);
      }
    }
    long before = read();
    HttpResponse<byte[]> answer =
        client.post("/v1/tables/t/rows:lookup", "{\"keys\":" + keys(ROWS) + "}");
    assertThat(problem(answer)).isEqualTo("answer-too-large");
    if (access == Access.DIRECT) {
      assertThat(read() - before).isLessThan(64L * LENGTH);
    }
    for (String page : List.of("", "/sample", "/range", "/key?key=key0007")) {
      HttpResponse<byte[]> shown = client.get("/tables/t" + page);
      assertThat(shown.statusCode()).as(page).isEqualTo(200);
      assertThat(shown.body().length).as(page).isLessThan(200_000);
    }
  }

  /** Returns the bytes read from disk. */
  private long read() throws Exception {
    String line =
        Client.text(client.get("/metrics"))
            .lines()
            .filter(each -> each.startsWith("bsdb_read_bytes_total"))
            .findFirst()
            .orElseThrow();
    return (long) Double.parseDouble(line.substring(line.indexOf(' ')));
  }

  @Test
  void allAnswersHaveOneBudget() throws Exception {
    // One answer is longer than what the system takes in while nobody reads; two are too many.
    Map<String, Integer> limits =
        Map.of("answer-bytes", 24 << 20, "all-answers-bytes", 30 << 20, "idle-millis", HOUR);
    serve(limits, Access.MAPPED);
    String range = "/v1/tables/t/rows?prefix=key&limit=120";
    String row = "/v1/tables/t/rows/key0001";
    try (Socket waiting = client.connect()) {
      // The answer is not taken, and keeps its memory.
      waiting
          .getOutputStream()
          .write(bytes("GET " + range + " HTTP/1.1\r\nHost: localhost\r\n\r\n"));
      assertThat(waiting.getInputStream().read()).isEqualTo('H');
      HttpResponse<byte[]> refused = client.get(range);
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(problem(refused)).isEqualTo("overloaded");
      assertThat(refused.headers().firstValue("retry-after")).hasValue("1");
      assertThat(client.get("/health/ready").statusCode()).isEqualTo(200);
    }
    // The server notices that the client has gone.
    Await.until(() -> client.get(range).statusCode() == 200);
    assertThat(client.get(row).statusCode()).isEqualTo(200);
  }

  @Test
  void anAnswerThatWasTakenLeavesItsMemoryToTheNext() throws Exception {
    serve(Map.of("answer-bytes", 2 * LENGTH, "all-answers-bytes", 2 * LENGTH), Access.MAPPED);
    for (int i = 0; i < 200; i++) {
      assertThat(client.get("/v1/tables/t/rows/key0001").statusCode())
          .as("request %d", i)
          .isEqualTo(200);
    }
  }

  @Test
  void sharesAreGivenBack() {
    Budget budget = new Budget(10);
    Budget.Share share = budget.new Share();
    share.add(10);
    assertThatThrownBy(() -> budget.new Share().add(1))
        .isInstanceOf(Problem.class)
        .hasMessageStartingWith("all answers in flight take at most 10 bytes");
    assertThat(budget.used()).isEqualTo(10);
    share.close();
    share.close();
    assertThat(budget.used()).isZero();
    assertThatThrownBy(() -> share.add(1)).isInstanceOf(Problem.class);
    assertThat(budget.used()).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"MAPPED", "IO_URING"})
  void lookupsEndInTime(Access access) throws Exception {
    serve(Map.of("request-millis", 1, "answer-bytes", 1 << 30), access);
    for (String address :
        List.of("v1/tables/t/sample?n=300", "v1/tables/t/rows?limit=300", "tables/t/range.csv")) {
      HttpResponse<byte[]> late = answered(() -> client.get("/" + address));
      assertThat(late.statusCode()).as(address).isEqualTo(504);
      assertThat(problem(late)).isEqualTo("timeout");
    }
    String body = "{\"keys\":" + keys(ROWS) + ", \"match\": \"floor\"}";
    HttpResponse<byte[]> late = answered(() -> client.post("/v1/tables/t/rows:lookup", body));
    assertThat(problem(late)).isEqualTo("timeout");
  }

  /**
   * Sends the second of two keys about when the time of the request is over. Seen from the server,
   * bytes arrive while it gives up waiting for them.
   */
  @Test
  void whatArrivesOfABodyIsNotTakenForAllOfIt() throws Exception {
    serve(Map.of("request-millis", 5), Access.MAPPED);
    long seed = System.nanoTime();
    Random random = new Random(seed);
    String head =
        "POST /v1/tables/t/rows:lookup HTTP/1.1\r\nHost: localhost\r\nContent-Type: %1$s\r\nAccept: %1$s\r\nContent-Length: 10\r\n\r\n"
            .formatted("application/octet-stream");
    byte[] key = bytes("\u0001\0\0\0k"); // which the table does not have
    for (int i = 0; i < 200; i++) {
      try (Socket socket = client.connect()) {
        OutputStream out = socket.getOutputStream();
        out.write(bytes(head));
        out.write(key);
        long arrives = System.nanoTime() + 4_500_000 + random.nextInt(1_000_000);
        LockSupport.parkNanos(4_000_000); // the rest is shorter than any timer could be
        while (System.nanoTime() < arrives) {
          Thread.onSpinWait();
        }
        out.write(key);
        String answer = Client.readAnswer(socket);
        assertThat(answer)
            .as("seed %d", seed)
            .matches("(?si)|HTTP/1.1 200 .*content-length: 8\r.*|HTTP/1.1 (408|504) .*:timeout.*");
      } catch (SocketException closed) {
        // on a busy machine the header comes too late
      }
    }
  }

  /** Asks again where the header took longer than a millisecond. */
  private static HttpResponse<byte[]> answered(Callable<HttpResponse<byte[]>> request)
      throws Exception {
    while (true) {
      try {
        return request.call();
      } catch (IOException closed) {
        assertThat(closed).isNotInstanceOf(HttpTimeoutException.class);
      }
    }
  }

  /**
   * Rows that are far longer than others are not expected, and may be asked for again and again.
   */
  @ParameterizedTest
  @EnumSource(Access.class)
  void fewLongRowsAreReadInPortionsToo(Access access) throws Exception {
    int length = 6 << 20;
    Map<String, String> rows = new LinkedHashMap<>();
    for (int i = 0; i < 20_000; i++) {
      rows.put("k" + i, "v");
    }
    rows.put("long1", "a".repeat(length));
    rows.put("long2", "b".repeat(length));
    Tables.publish(directory, rows, WriterOptions.builder().order(RecordOrder.KEY).build());
    server =
        BsdbServer.builder()
            .table("t", directory)
            .limits(Map.of("request-millis", HOUR, "answer-bytes", 48 << 20))
            .options(ReaderOptions.builder().access(access).build())
            .start();
    client = new Client(server);
    String bytes = "application/octet-stream";
    for (String match : List.of("key", "floor")) {
      String lookup = "/v1/tables/t/rows:lookup?match=" + match;
      HttpResponse<byte[]> some =
          client.post(
              lookup,
              "{\"keys\":[\"k7\",\"long1\",\"long2\",\"long1\",\"k8\",\"long2\",\"long2\",\"k9\"]}",
              "Accept",
              bytes);
      assertThat(lettersOfValues(some.body(), match.equals("floor"))).isEqualTo("vabavbbv");
      long before = allocated();
      HttpResponse<byte[]> many =
          client.post(
              lookup, "{\"keys\":[\"long1\"" + ",\"long1\"".repeat(59) + "]}", "Accept", bytes);
      assertThat(problem(many)).isEqualTo("answer-too-large");
      assertThat(allocated() - before).isLessThan(30L * length); // 60 would be read at once
    }
  }

  /** Returns the first letters of the values of an answer. */
  private static String lettersOfValues(byte[] answer, boolean withKeys) {
    ByteBuffer in = ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN);
    StringBuilder letters = new StringBuilder();
    while (in.hasRemaining()) {
      if (withKeys) {
        in.position(in.position() + Integer.BYTES + in.getInt(in.position()));
      }
      int next = in.position() + Integer.BYTES + in.getInt(in.position());
      letters.append((char) in.get(in.position() + Integer.BYTES));
      in.position(next);
    }
    return letters.toString();
  }

  /** Returns how much memory all threads have allocated. */
  private static long allocated() {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    return Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds())).sum();
  }

  @Test
  void manyLongRowsAreReadInPortions() throws Exception {
    serve(Map.of("answer-bytes", 64 << 20), Access.MAPPED);
    HttpResponse<byte[]> answer =
        client.post("/v1/tables/t/rows:lookup", "{\"keys\":" + keys(40) + "}");
    assertThat(json(answer).get("found").asInt()).isEqualTo(40);
    HttpResponse<byte[]> range = client.get("/v1/tables/t/rows?from=key0001&limit=40");
    assertThat(json(range).get("rows")).hasSize(40);
    assertThat(json(range).get("complete").asBoolean()).isFalse();
  }
}
