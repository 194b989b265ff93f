package io.bsdb.http.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections whose requests the thread of a selector answers take turns. */
@Timeout(60)
class TurnsTest {
  private static final int COUNT = 1000;

  private final List<Boolean> atOnce = Collections.synchronizedList(new ArrayList<>());

  private final class Noting extends Handler.Abstract.NonBlocking {
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      atOnce.add(Connections.mayAnswerAtOnce(request));
      response.setStatus(204);
      callback.succeeded();
      return true;
    }
  }

  @Test
  void someOfManyRequestsAtOnceAreLeftToOtherThreads() throws Exception {
    JettyServer server = new JettyServer(Limits.of(Map.of()), 8, null);
    server.start("127.0.0.1", 0, new Noting(), (request, response, callback) -> false);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(60_000);
      byte[] request =
          "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
      byte[] all = new byte[COUNT * request.length];
      for (int i = 0; i < COUNT; i++) {
        System.arraycopy(request, 0, all, i * request.length, request.length);
      }
      socket.getOutputStream().write(all);
      for (int i = 0; i < COUNT; i++) {
        skipAnswer(socket.getInputStream());
      }
      assertThat(atOnce).hasSize(COUNT).startsWith(true).contains(false);
    } finally {
      server.stop();
    }
  }

  private static void skipAnswer(InputStream in) throws Exception {
    int end = 0;
    while (end != 0x0D0A0D0A) {
      int next = in.read();
      assertThat(next).isNotNegative();
      end = end << 8 | next;
    }
  }
}
