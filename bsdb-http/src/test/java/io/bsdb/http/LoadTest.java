package io.bsdb.http;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.row.RowCodec;
import io.bsdb.testkit.Await;
import io.bsdb.testkit.OpenFiles;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many requests at once, while versions change and while the server ends. */
@Timeout(120)
class LoadTest {
  private static final int CLIENTS = 8;
  private static final int ROWS = 500;

  @TempDir private Path directory;

  private BsdbServer serve(Access access, Map<String, Integer> limits) throws IOException {
    return BsdbServer.builder()
        .table("cities", directory)
        .options(ReaderOptions.builder().access(access).build())
        .limits(limits)
        .refreshEvery(Duration.ZERO)
        .start();
  }

  @ParameterizedTest
  @EnumSource(names = {"MAPPED", "IO_URING"})
  void versionsChangeWithoutAFailedRequest(Access access) throws Exception {
    Tables.cities(directory, ROWS, 0);
    ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    AtomicBoolean done = new AtomicBoolean();
    AtomicInteger asked = new AtomicInteger();
    try (BsdbServer server = serve(access, Map.of())) {
      List<Thread> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        Client client = new Client(server);
        int number = i;
        Thread thread =
            new Thread(
                () -> {
                  while (!done.get()) {
                    try {
                      String fault = number % 2 == 0 ? row(client) : batch(client);
                      asked.incrementAndGet();
                      if (fault != null) {
                        wrong.add(fault);
                      }
                    } catch (Exception e) {
                      wrong.add(e.toString());
                    }
                  }
                },
                "client " + i);
        thread.start();
        clients.add(thread);
      }
      for (int seed = 1; seed <= 6; seed++) {
        Tables.cities(directory, ROWS, seed);
        int before = asked.get();
        server.refresh();
        Await.until(() -> asked.get() >= before + 2 * CLIENTS || !wrong.isEmpty());
      }
      done.set(true);
      for (Thread client : clients) {
        client.join();
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(openFiles()).as("files of old versions that are still mapped").isEmpty();
  }

  private static String row(Client client) throws Exception {
    HttpResponse<byte[]> answer = client.get("/v1/tables/cities/rows/7");
    return answer.statusCode() == 200 ? null : Client.text(answer);
  }

  /** Populations of one version are all of one seed. */
  private static String batch(Client client) throws Exception {
    HttpResponse<byte[]> answer =
        client.post("/v1/tables/cities/rows:lookup", "{\"keys\":[1,100,200,300,400]}");
    if (answer.statusCode() != 200) {
      return Client.text(answer);
    }
    long seed = -1;
    for (JsonNode found : Client.json(answer).get("rows")) {
      long id = found.get("row").get("id").asLong();
      long own = found.get("row").get("population").asLong() - (1L << 53) - id;
      if (seed >= 0 && own != seed) {
        return "two versions in one answer: " + Client.text(answer);
      }
      seed = own;
    }
    return null;
  }

  private List<String> openFiles() throws IOException {
    return OpenFiles.mappings().stream()
        .filter(line -> line.contains(directory.toString()))
        .toList();
  }

  @Test
  void aThousandConnectionsAreServed() throws Exception {
    Tables.cities(directory, ROWS, 0);
    List<Socket> sockets = new ArrayList<>();
    // Connecting a thousand times may take longer than a client may be silent.
    Map<String, Integer> limits =
        Map.of("connections", 1000, "request-millis", 3_600_000, "idle-millis", 3_600_000);
    try (BsdbServer server = serve(Access.MAPPED, limits)) {
      Client client = new Client(server);
      for (int i = 0; i < 1000; i++) {
        sockets.add(client.connect());
      }
      for (int i = 0; i < 1000; i += 2) {
        request(sockets.get(i), i % ROWS + 1);
      }
      for (int i = 0; i < 1000; i += 2) {
        assertThat(Client.readAnswer(sockets.get(i)))
            .startsWith("HTTP/1.1 200")
            .contains("\"id\":" + (i % ROWS + 1) + ",");
      }
      for (int i = 0; i < 1000; i += 10) { // clients that die
        request(sockets.get(i), 1);
        sockets.get(i).setSoLinger(true, 0);
        sockets.get(i).close();
      }
      request(sockets.get(1), 5);
      assertThat(Client.readAnswer(sockets.get(1))).startsWith("HTTP/1.1 200");
      request(sockets.get(2), 5);
      assertThat(Client.readAnswer(sockets.get(2))).startsWith("HTTP/1.1 200");
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private static void request(Socket socket, int id) throws IOException {
    socket
        .getOutputStream()
        .write(
            bytes(
                "GET /v1/tables/cities/rows/%d HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(id)));
  }

  /** A batch takes all of the eight reads that may wait, so that others are refused meanwhile. */
  @ParameterizedTest
  @EnumSource(names = {"DIRECT", "IO_URING"})
  void refusesLookupsWhileTooManyWaitForTheDisk(Access access) throws Exception {
    Tables.cities(directory, ROWS, 0);
    ReaderOptions options = ReaderOptions.builder().access(access).queueDepth(1).build();
    AtomicInteger refused = new AtomicInteger();
    ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    try (BsdbServer server =
        BsdbServer.builder().table("cities", directory).options(options).start()) {
      Client client = new Client(server);
      String keys =
          IntStream.rangeClosed(1, ROWS).mapToObj(String::valueOf).collect(Collectors.joining(","));
      List<Thread> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        Thread thread =
            new Thread(
                () -> {
                  while (refused.get() == 0 && wrong.isEmpty()) {
                    try {
                      HttpResponse<byte[]> answer =
                          client.post("/v1/tables/cities/rows:lookup", "{\"keys\":[" + keys + "]}");
                      if (answer.statusCode() == 503) {
                        assertThat(Client.problem(answer)).isEqualTo("overloaded");
                        assertThat(answer.headers().firstValue("retry-after")).hasValue("1");
                        refused.incrementAndGet();
                      } else {
                        assertThat(Client.json(answer).get("found").asInt()).isEqualTo(ROWS);
                      }
                    } catch (Exception | AssertionError e) {
                      wrong.add(e.toString());
                    }
                  }
                },
                "client " + i);
        thread.start();
        clients.add(thread);
      }
      for (Thread each : clients) {
        each.join();
      }
      assertThat(wrong).isEmpty();
      assertThat(client.get("/v1/tables/cities/rows/7").statusCode()).as("later").isEqualTo(200);
    }
  }

  @Test
  void keysOfRowsRoundTrip() throws Exception {
    Tables.cities(directory, ROWS, 0);
    RowCodec codec = RowCodec.of(Tables.CITIES);
    try (BsdbServer server = serve(Access.MAPPED, Map.of())) {
      Client client = new Client(server);
      for (long id : new long[] {1, 77, ROWS}) {
        byte[] value =
            client.get("/v1/tables/cities/rows/" + id, "Accept", "application/octet-stream").body();
        assertThat(codec.decode(codec.encodeKey(id), value).string("name")).isEqualTo("City " + id);
      }
    }
  }
}
