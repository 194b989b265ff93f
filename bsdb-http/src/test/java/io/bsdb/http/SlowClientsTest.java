package io.bsdb.http;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.testkit.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that always do something, and yet too little: a limit of the whole ends what a limit of
 * idle time does not.
 */
@Timeout(60)
class SlowClientsTest {
  private static final int HOUR = 3_600_000;

  /** For those that are slow; for the others enough, on a machine that has much else to do. */
  private static final int SHORT = 1000;

  private static final String LOOKUP = "/v1/tables/t/rows:lookup";

  @TempDir private Path directory;
  private BsdbServer server;
  private Client client;

  private void serve(Map<String, Integer> limits, String value) throws Exception {
    Tables.publish(directory, Map.of("k", value));
    server = BsdbServer.builder().table("t", directory).limits(limits).start();
    client = new Client(server);
  }

  @AfterEach
  void close() throws Exception {
    assertThat(client.get("/v1/tables/t/rows/k").statusCode()).isEqualTo(200);
    server.close();
  }

  @Test
  void sendAHeaderByteByByte() throws Exception {
    serve(Map.of("request-millis", SHORT, "idle-millis", HOUR), "v");
    assertThat(dribble("GET /v1/tables/t HTTP/1.1\r\nHost: localhost\r\nX: ")).isEmpty();
  }

  @Test
  void sendTheNextHeaderByteByByte() throws Exception {
    serve(Map.of("request-millis", SHORT, "idle-millis", HOUR), "v");
    String whole = "GET /v1/tables/t/rows/k HTTP/1.1\r\nHost: localhost\r\n\r\n";
    assertThat(dribble(whole + "GET /v1/")).startsWith("HTTP/1.1 200").doesNotContain("HTTP/1.1 4");
  }

  @Test
  void sendABodyByteByByte() throws Exception {
    serve(Map.of("request-millis", SHORT, "idle-millis", HOUR), "v");
    assertThat(
            dribble(
                "POST " + LOOKUP + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\n"))
        .startsWith("HTTP/1.1 408")
        .contains("urn:problem-type:bsdb:timeout");
  }

  /** Sends bytes one after the other until the server closes; returns what it said. */
  private String dribble(String begin) throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    try (Socket socket = client.connect()) {
      socket.setSoTimeout(20);
      OutputStream out = socket.getOutputStream();
      InputStream in = socket.getInputStream();
      out.write(bytes(begin));
      while (true) {
        try {
          int next = in.read();
          if (next < 0) {
            break;
          }
          answer.write(next);
        } catch (SocketTimeoutException open) {
          out.write(' ');
        }
      }
    } catch (IOException reset) {
      // closed while a byte was on its way
    }
    return answer.toString(StandardCharsets.UTF_8);
  }

  @Test
  void takeAnAnswerInLittleBits() throws Exception {
    serve(Map.of("request-millis", HOUR, "idle-millis", 500), "v".repeat(1 << 20));
    int keys = 60;
    byte[] body = bytes("\u0001\0\0\0k".repeat(keys));
    try (Socket socket = client.connect()) {
      String type = "application/octet-stream";
      socket
          .getOutputStream()
          .write(
              bytes(
                  "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nAccept: %s\r\nContent-Length: %d\r\n\r\n"
                      .formatted(LOOKUP, type, type, body.length)));
      socket.getOutputStream().write(body);
      long taken = 0;
      try {
        byte[] few = new byte[64]; // a call for each byte would take a processor
        for (int n = 0; n >= 0; n = socket.getInputStream().read(few)) {
          taken += n;
          LockSupport.parkNanos(50_000);
        }
      } catch (IOException reset) {
        // what was on its way is gone
      }
      assertThat(taken).isPositive().isLessThan((long) keys << 20);
    }
  }

  @Test
  void takeNothing() throws Exception {
    serve(Map.of("idle-millis", 500), "v".repeat(1 << 20));
    try (Socket socket = client.connect()) {
      for (int i = 0; i < 20; i++) {
        socket
            .getOutputStream()
            .write(bytes("GET /v1/tables/t/rows/k HTTP/1.1\r\nHost: localhost\r\n\r\n"));
      }
      Await.until(
          () -> Client.text(client.get("/metrics")).contains("bsdb_http_connections 1.0\n"));
    }
  }
}
