package io.bsdb.cli.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.testkit.ArabicDigits;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(ArabicDigits.class)
class MirrorPortTest {
  private final MirrorState state = new MirrorState(Duration.ofMinutes(1));

  private static HttpResponse<String> get(URI address) throws Exception {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());
  }

  @Test
  void answersThoughMoreClientsAreSilentThanThereAreThreads() throws Exception {
    List<Socket> silent = new ArrayList<>();
    try (MirrorPort port = MirrorPort.open("127.0.0.1", 0, false, state)) {
      URI address = URI.create(port.address());
      for (int i = 0; i < 10; i++) {
        Socket socket = new Socket(address.getHost(), address.getPort());
        silent.add(socket);
        socket.getOutputStream().write("GET /health".getBytes(StandardCharsets.US_ASCII));
      }
      assertThat(get(address.resolve("/health/live")).body()).contains("live");
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  @Test
  void servesOtherMachinesOnlyWhenAllowed() throws IOException {
    assertThatThrownBy(() -> MirrorPort.open("0.0.0.0", 0, false, state))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "0.0.0.0 is not a loopback address: other machines could read errors and figures of the"
                + " mirror; --insecure allows it");
    assertThatThrownBy(() -> MirrorPort.open("127.0.0.1", 65536, false, state))
        .hasMessage("port: expected 0 to 65535, actual 65536");
    try (MirrorPort port = MirrorPort.open("0.0.0.0", 0, true, state)) {
      assertThat(port.address()).startsWith("http://");
    }
  }
}
