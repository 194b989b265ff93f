package io.bsdb.http;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The end of a server whose limits are far away. */
@Timeout(60)
class ClosingTest {
  private static final int HOUR = 3_600_000;
  private static final String BODY = "{\"keys\":[7]}";
  private static final String HEAD =
      "POST /v1/tables/cities/rows:lookup HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
          + BODY.length()
          + "\r\nExpect: 100-continue\r\n\r\n";

  @TempDir private Path directory;
  private BsdbServer server;
  private Client client;

  @BeforeEach
  void build() throws Exception {
    Tables.cities(directory, 10, 0);
    serve(Map.of("request-millis", HOUR, "idle-millis", HOUR, "drain-millis", HOUR));
  }

  private void serve(Map<String, Integer> limits) throws IOException {
    server = BsdbServer.builder().table("cities", directory).limits(limits).start();
    client = new Client(server);
  }

  @Test
  void doesNotWaitForIdleConnections() throws Exception {
    try (Socket unused = client.connect(); // accepted before the other one, which is answered
        Socket used = client.connect()) {
      request(used);
      assertThat(Client.readAnswer(used)).startsWith("HTTP/1.1 200");
      server.close();
      assertThat(used.getInputStream().read()).isEqualTo(-1);
      assertThat(unused.getInputStream().read()).isEqualTo(-1);
    }
    server.close();
  }

  @Test
  void answersRequestsInFlightAfterIdleConnectionsAreClosed() throws Exception {
    try (Socket slow = client.connect();
        Socket idle = client.connect()) {
      OutputStream out = slow.getOutputStream();
      out.write(bytes(HEAD));
      assertThat(Client.readAnswer(slow)).as("the request has arrived").startsWith("HTTP/1.1 100");
      request(idle);
      assertThat(Client.readAnswer(idle)).startsWith("HTTP/1.1 200");
      Thread closer = closer();
      assertThat(idle.getInputStream().read()).isEqualTo(-1);
      assertThat(closer.isAlive()).isTrue();
      out.write(bytes(BODY));
      assertThat(Client.readAnswer(slow)).startsWith("HTTP/1.1 200").contains("City 7");
      assertThat(slow.getInputStream().read()).isEqualTo(-1);
      closer.join();
    }
  }

  @Test
  void cutsWhatTakesLongerThanItMay() throws Exception {
    server.close();
    serve(Map.of("request-millis", HOUR, "idle-millis", HOUR, "drain-millis", 100));
    try (Socket slow = client.connect()) {
      slow.getOutputStream().write(bytes(HEAD));
      assertThat(Client.readAnswer(slow)).as("the request has arrived").startsWith("HTTP/1.1 100");
      server.close();
      assertThat(new String(slow.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .doesNotContain("HTTP/1.1 200");
    }
  }

  private static void request(Socket socket) throws IOException {
    socket
        .getOutputStream()
        .write(bytes("GET /v1/tables/cities/rows/7 HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  }

  private Thread closer() {
    Thread thread =
        new Thread(
            () -> {
              try {
                server.close();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            },
            "closer");
    thread.start();
    return thread;
  }
}
