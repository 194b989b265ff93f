package io.bsdb.http.exchange;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.http.wire.JettyServer;
import io.bsdb.http.wire.Limits;
import io.bsdb.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How bodies are read, and what becomes of the buffers. */
@Timeout(60)
class BodyReaderTest {
  private final Limits limits = Limits.of(Map.of("body-bytes", 10));
  private final JettyServer server = new JettyServer(limits, 8, null);
  private final CompletableFuture<ArrayByteBufferPool> pool = new CompletableFuture<>();

  private final class Bodies extends Handler.Abstract {
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      pool.complete((ArrayByteBufferPool) request.getComponents().getByteBufferPool());
      Budget.Share share = new Budget(1000).new Share();
      Exchange exchange =
          new Exchange(request, response, callback, limits, false, share, new Access(0));
      new BodyReader(limits, server.timer())
          .read(exchange, body -> exchange.answer(200, MediaType.BYTES, ByteBuffer.wrap(body)));
      return true;
    }
  }

  private String post(String chunk) throws IOException {
    String request =
        "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n%s\r\n0\r\n\r\n";
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.getOutputStream().write(request.formatted(chunk).getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    } finally {
      Await.until(() -> server.connectionCount() == 0);
    }
  }

  @Test
  void aMalformedBodyIsNotOneThatEndsEarly() throws Exception {
    server.start("127.0.0.1", 0, new Bodies(), new ProblemHandler());
    try {
      assertThat(post("zz\r\n1234567890"))
          .startsWith("HTTP/1.1 400")
          .contains("the body is malformed: ");
    } finally {
      server.stop();
    }
  }

  @Test
  void buffersAreGivenBackIfABodyIsTooLong() throws Exception {
    server.start("127.0.0.1", 0, new Bodies(), new ProblemHandler());
    try {
      assertThat(post("a\r\n1234567890")).startsWith("HTTP/1.1 200"); // its buffer is used again
      assertThat(post("b\r\n12345678901")).startsWith("HTTP/1.1 413");
      ArrayByteBufferPool buffers = pool.join();
      assertThat(buffers.getDirectByteBufferCount()).isPositive();
      Await.until(
          () -> buffers.getAvailableDirectByteBufferCount() >= buffers.getDirectByteBufferCount());
    } finally {
      server.stop();
    }
  }
}
