package io.bsdb.http;

import static io.bsdb.http.Client.problem;
import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections at the limit: nobody is shut out by those who ask for nothing. */
@Timeout(60)
class ConnectionsTest {
  private static final int HOUR = 3_600_000;

  /** Of one mebibyte each: together more than the buffers of a connection take. */
  private static final int VALUES = 24;

  private static final String GET = "GET /v1/tables HTTP/1.1\r\nHost: localhost\r\n\r\n";
  private static final String BEGUN_POST =
      String.join(
          "\r\n",
          "POST /v1/tables/t/rows:lookup HTTP/1.1",
          "Host: localhost",
          "Content-Length: 100",
          "Expect: 100-continue",
          "",
          "");

  @TempDir private Path directory;
  private final List<Socket> open = new ArrayList<>();
  private BsdbServer server;
  private Client client;

  private void serve(Map<String, Integer> limits) throws Exception {
    Tables.publish(directory, Map.of("k", "v".repeat(1 << 20)));
    server = BsdbServer.builder().table("t", directory).limits(limits).start();
    client = new Client(server);
  }

  @AfterEach
  void close() throws Exception {
    for (Socket socket : open) {
      socket.close();
    }
    server.close();
  }

  private Socket connect(String begin) throws IOException {
    Socket socket = client.connect();
    open.add(socket);
    socket.getOutputStream().write(bytes(begin));
    return socket;
  }

  /** Begins a request, and waits until the server wants its body. */
  private Socket post() throws IOException {
    Socket socket = connect(BEGUN_POST);
    assertThat(Client.readAnswer(socket)).startsWith("HTTP/1.1 100");
    return socket;
  }

  /** Asks for an answer that is more than the sockets take, and takes only its header. */
  private Socket untaken() throws IOException {
    Socket socket =
        connect(
            "POST /v1/tables/t/rows:lookup HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Type: application/octet-stream\r\nAccept: application/octet-stream\r\n"
                + "Content-Length: %d\r\n\r\n%s"
                    .formatted(5 * VALUES, "\u0001\0\0\0k".repeat(VALUES)));
    assertThat(socket.getInputStream().readNBytes(12)).isEqualTo(bytes("HTTP/1.1 200"));
    return socket;
  }

  /** Returns whether the server has closed a connection; waits for bytes or the end. */
  private static boolean isClosed(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException reset) {
      return true;
    }
  }

  private static boolean isClosedNow(Socket socket) throws IOException {
    socket.setSoTimeout(1);
    try {
      return isClosed(socket);
    } catch (SocketTimeoutException open) {
      return false;
    }
  }

  /** Waits until the server knows of that many connections. */
  private static void awaitConnections(Socket asking, int count) throws IOException {
    String answer;
    do {
      asking.getOutputStream().write(bytes(GET.replace("/v1/tables", "/metrics")));
      answer = Client.readAnswer(asking);
      assertThat(answer).startsWith("HTTP/1.1 200");
    } while (!answer.contains("\nbsdb_http_connections " + count + ".0\n"));
  }

  private static void requireAnswer(Socket socket) throws IOException {
    socket.getOutputStream().write(bytes(GET));
    assertThat(Client.readAnswer(socket)).startsWith("HTTP/1.1 200");
  }

  @Test
  void theLongestIdleMakesRoomFirst() throws Exception {
    serve(Map.of("connections", 5, "request-millis", HOUR, "idle-millis", HOUR));
    Socket asking = connect("");
    List<Socket> silent = new ArrayList<>();
    for (int count = 2; count <= 5; count++) {
      silent.add(connect(""));
      awaitConnections(asking, count);
    }
    requireAnswer(connect(""));
    assertThat(isClosed(silent.get(0))).isTrue();
    requireAnswer(connect(""));
    assertThat(isClosed(silent.get(1))).isTrue();
    requireAnswer(silent.get(2));
    requireAnswer(silent.get(3));
    requireAnswer(asking);
  }

  @Test
  void silentOnesMakeRoom() throws Exception {
    serve(Map.of("connections", 3, "request-millis", HOUR, "idle-millis", HOUR));
    Socket used = connect(GET);
    assertThat(Client.readAnswer(used)).startsWith("HTTP/1.1 200");
    Socket silent = connect("");
    Socket begun = connect("GET /v1");
    for (int i = 0; i < 20; i++) {
      Socket next = connect(GET);
      assertThat(Client.readAnswer(next)).startsWith("HTTP/1.1 200");
    }
    assertThat(isClosed(used)).isTrue();
    assertThat(isClosed(silent)).isTrue();
    assertThat(isClosed(begun)).isTrue();
    assertThat(client.get("/health/ready").statusCode()).isEqualTo(200);
  }

  @Test
  void silentOnesAreClosedBeforeTheIdleTime() throws Exception {
    serve(Map.of("request-millis", 1000, "idle-millis", HOUR));
    Socket used = connect(GET);
    assertThat(Client.readAnswer(used)).startsWith("HTTP/1.1 200");
    assertThat(isClosed(connect(""))).isTrue();
    used.getOutputStream().write(bytes(GET));
    assertThat(Client.readAnswer(used)).as("between requests").startsWith("HTTP/1.1 200");
  }

  @Test
  void requestsAreFinishedWhileHealthChecksHaveRoom() throws Exception {
    serve(Map.of("connections", 2, "request-millis", HOUR, "idle-millis", HOUR));
    Socket first = untaken();
    Socket second = untaken();
    HttpResponse<byte[]> refused = client.get("/v1/tables/t/rows/k");
    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(problem(refused)).isEqualTo("overloaded");
    assertThat(refused.headers().firstValue("retry-after")).hasValue("1");
    assertThat(client.get("/health/live").statusCode()).isEqualTo(200);
    assertThat(client.get("/health/ready").statusCode()).isEqualTo(200);
    for (Socket socket : List.of(first, second)) {
      socket.getInputStream().skipNBytes(VALUES << 20);
    }
    HttpResponse<byte[]> next = client.get("/v1/tables/t/rows/k");
    while (next.statusCode() == 503) { // the answers came a moment before their places were free
      assertThat(Thread.interrupted()).as("the time is over").isFalse();
      next = client.get("/v1/tables/t/rows/k");
    }
    assertThat(next.statusCode()).isEqualTo(200);
  }

  @Test
  void slowBodiesMakeRoom() throws Exception {
    serve(Map.of("connections", 2, "request-millis", HOUR, "idle-millis", HOUR));
    Socket first = post();
    Socket second = post();
    assertThat(client.get("/v1/tables/t/rows/k").statusCode()).isEqualTo(200);
    assertThat(isClosed(first)).isTrue();
    second.getOutputStream().write(bytes(" ".repeat(88) + "{\"keys\":[]}\n"));
    assertThat(Client.readAnswer(second)).startsWith("HTTP/1.1 200");
  }

  @Test
  void spareOnesAreFewAndMakeRoomToo() throws Exception {
    serve(Map.of("connections", 1, "request-millis", HOUR, "idle-millis", HOUR));
    untaken();
    List<Socket> silent = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      silent.add(connect(""));
    }
    // The server's threads open connections in no common order: all of these before the next one.
    while (silent.size() > 16) {
      assertThat(Thread.interrupted()).as("the time is over; left: %d", silent.size()).isFalse();
      for (Socket each : List.copyOf(silent)) {
        if (isClosedNow(each)) {
          silent.remove(each);
        }
      }
    }
    assertThat(client.get("/health/live").statusCode()).isEqualTo(200);
  }
}
