package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A service that is told to end, or killed, while it has clients. */
@Timeout(120)
class ServeProcessTest {
  private static final Pattern LENGTH = Pattern.compile("(?i)content-length: ([0-9]+)");
  private static final int ROWS = 1000;
  private static final int LIMIT = 3_600_000;

  @TempDir private Path directory;
  private Path table;
  private Process server;
  private BufferedReader output;
  private URI address;
  private final List<Socket> sockets = new ArrayList<>();

  @BeforeEach
  void build() throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < ROWS; i++) {
      lines.append("key").append(i).append(" value").append(i).append('\n');
    }
    Path input = Files.writeString(directory.resolve("in"), lines);
    table = directory.resolve("table");
    assertThat(CommandRun.of("build", "-t", table, "-i", input).status()).isZero();
    serve(4200);
  }

  private void serve(int files) throws IOException {
    List<Object> command =
        new ArrayList<>(List.of("serve", "--table", "t=" + table, "--port", "0"));
    for (String limit : List.of("request-millis", "idle-millis", "drain-millis")) {
      command.addAll(List.of("--limit", limit + "=" + LIMIT));
    }
    command.addAll(List.of("--limit", "connections=2000"));
    server = ChildCommand.startWithFiles(files, directory.resolve("messages"), command);
    output =
        new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
    address = URI.create(output.readLine());
  }

  @AfterEach
  void end() throws Exception {
    server.destroyForcibly();
    output.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(address.getHost(), address.getPort());
    socket.setSoTimeout(60_000);
    sockets.add(socket);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String get(int i) {
    return "GET /v1/tables/t/rows/key%d HTTP/1.1\r\nHost: localhost\r\nAccept: application/octet-stream\r\n\r\n"
        .formatted(i);
  }

  /**
   * Reads the header of an answer, and its body if it has one. Less than that if the server ends.
   */
  private static String read(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        return head.toString();
      }
      head.append((char) next);
    }
    Matcher length = LENGTH.matcher(head);
    byte[] body = length.find() ? in.readNBytes(Integer.parseInt(length.group(1))) : new byte[0];
    return head + new String(body, StandardCharsets.UTF_8);
  }

  @Test
  void answersWhatItHasBegunWhenItIsToldToEnd() throws Exception {
    String body = "{\"keys\":[\"key%d\"]}";
    List<Socket> begun = new ArrayList<>();
    for (int i = 100; i < 150; i++) {
      Socket socket = connect();
      begun.add(socket);
      send(
          socket,
          "POST /v1/tables/t/rows:lookup HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n"
              .formatted(body.formatted(i).length()));
      assertThat(read(socket)).startsWith("HTTP/1.1 100");
    }
    List<Socket> idle = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      Socket socket = connect();
      idle.add(socket);
      send(socket, get(i));
      assertThat(read(socket)).startsWith("HTTP/1.1 200").endsWith("\r\n\r\nvalue" + i);
    }
    server.toHandle().destroy(); // SIGTERM; its output stays open
    for (Socket socket : idle) {
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
    assertThat(server.isAlive()).isTrue();
    for (int i = 0; i < begun.size(); i++) {
      send(begun.get(i), body.formatted(100 + i));
      assertThat(read(begun.get(i))).startsWith("HTTP/1.1 200").contains("\"found\":1");
      assertThat(begun.get(i).getInputStream().read()).isEqualTo(-1);
    }
    assertThat(server.waitFor()).isEqualTo(143);
    assertThat(output.readLine()).isNull();
    assertThat(directory.resolve("messages")).hasContent("");
  }

  @Test
  void answersMoreClientsThanItMayOpenFiles() throws Exception {
    server.destroyForcibly();
    output.close();
    serve(250);
    for (int i = 0; i < 300; i++) {
      Socket socket = connect();
      send(socket, get(i));
      assertThat(read(socket)).as("client %d", i).endsWith("\r\n\r\nvalue" + i);
    }
    assertThat(directory.resolve("messages"))
        .content()
        .contains(" connections, not 2000: this process may open only 250 files; raise 'ulimit -n'")
        .hasLineCount(1);
  }

  @Test
  void aKilledServiceHasAnsweredRightlyOrNotAtAll() throws Exception {
    for (int i = 0; i < 1000; i++) {
      connect();
    }
    for (int i = 0; i < 500; i++) {
      send(sockets.get(i), get(i));
    }
    for (int i = 0; i < 100; i++) {
      assertThat(read(sockets.get(i))).startsWith("HTTP/1.1 200").endsWith("\r\n\r\nvalue" + i);
    }
    server.destroyForcibly(); // SIGKILL
    assertThat(server.waitFor()).isEqualTo(137);
    for (int i = 100; i < 500; i++) {
      String answer;
      try {
        answer = read(sockets.get(i));
      } catch (IOException reset) {
        continue;
      }
      assertThat(answer).matches("(?s)|HTTP/1.1 200 .*\r\n\r\nvalue" + i);
    }
    output.close();
    serve(4200);
    Socket again = connect();
    send(again, get(7));
    assertThat(read(again)).endsWith("\r\n\r\nvalue7");
  }
}
