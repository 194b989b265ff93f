package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.ExitStatus;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The service in a process of its own. */
@Timeout(120)
class ServeCommandTest {
  @TempDir private Path directory;

  @Test
  void answersUntilItIsToldToEnd() throws Exception {
    Path input = Files.writeString(directory.resolve("in"), "rose red\n");
    Path table = directory.resolve("warehouse").resolve("plants").resolve("colours");
    assertThat(CommandRun.of("build", "-t", table, "-i", input).status()).isZero();
    Path messages = directory.resolve("messages");
    Process server =
        ChildCommand.start(
            messages,
            CommandRun.words(
                "serve --table %s --warehouse %s --access direct --memory 64m --port 0",
                "colours=" + table, directory.resolve("warehouse")));
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8))) {
      String address = out.readLine();
      assertThat(address).matches("http://127\\.0\\.0\\.1:[0-9]+/");
      for (String name : new String[] {"colours", "plants.colours"}) {
        HttpResponse<String> answer =
            HttpClient.newHttpClient()
                .send(
                    HttpRequest.newBuilder(
                            URI.create(address).resolve("/v1/tables/" + name + "/rows/rose"))
                        .header("Accept", "application/octet-stream")
                        .build(),
                    HttpResponse.BodyHandlers.ofString());
        assertThat(answer.body()).isEqualTo("red");
      }
      String metrics =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(URI.create(address).resolve("/metrics")).build(),
                  HttpResponse.BodyHandlers.ofString())
              .body();
      assertThat(metrics)
          .contains("\nbsdb_memory_budget_bytes 6.7108864E7\n")
          .containsPattern("\nbsdb_memory_index_bytes [1-9]")
          .contains("\nbsdb_memory_refusals_total 0.0\n");
      server.toHandle().destroy(); // SIGTERM; its output stays open
      assertThat(server.waitFor()).isEqualTo(143);
      assertThat(out.readLine()).isNull();
    } finally {
      server.destroyForcibly();
    }
  }

  @Test
  void namesThePortThatIsTaken() throws Exception {
    Path input = Files.writeString(directory.resolve("in"), "rose red\n");
    Path table = directory.resolve("t");
    assertThat(CommandRun.of("build", "--table", table, "--input", input).status()).isZero();
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();

      CommandRun serve = CommandRun.of("serve", "--table", "t=" + table, "--port", port);
      CommandRun mirror =
          CommandRun.line("mirror -t %s -i %s --every 1h --port %s", table, input, port);

      for (CommandRun run : List.of(serve, mirror)) {
        assertThat(run.status()).isEqualTo(ExitStatus.UNREADABLE);
        assertThat(run.err())
            .startsWith("bsdb: cannot listen at 127.0.0.1, port " + port + ": ")
            .endsWith("; choose another address or port\n");
      }
    }
  }

  @Test
  void refusesWhatIsNotSafe() {
    assertThat(CommandRun.of("serve").err())
        .isEqualTo("bsdb: there is no table to serve: give --table NAME=DIR or --warehouse\n");
    CommandRun missing = CommandRun.of("serve", "--table", "t=" + directory.resolve("none"));
    assertThat(missing.status()).isEqualTo(3);
    assertThat(missing.err()).contains("no such table directory");
    CommandRun open =
        CommandRun.of("serve", "--table", "t=" + directory, "--host", "0.0.0.0", "--port", "0");
    assertThat(open.status()).isEqualTo(2);
    assertThat(open.err()).contains("set a token (--token-file)");
    assertThat(CommandRun.of("serve", "--table", "a/b=" + directory).status()).isEqualTo(2);
    assertThat(CommandRun.of("serve", "--table", "t=x", "--limit", "kezs=1").err())
        .startsWith("bsdb: there is no limit 'kezs'");
    assertThat(CommandRun.of("serve", "--table", "t=x", "--table", "t=y").err())
        .isEqualTo("bsdb: two tables have the name 't'\n");
    assertThat(CommandRun.of("serve", "--table", "x").err())
        .isEqualTo("bsdb: --table: expected NAME=DIR, actual 'x'\n");
    assertThat(CommandRun.of("serve", "--table", "x=").err())
        .isEqualTo("bsdb: --table: expected NAME=DIR, actual 'x='\n");
    assertThat(CommandRun.of("serve", "--table", "t=x", "--warehouse", "").err())
        .isEqualTo("bsdb: --warehouse is empty; give '.' for the current directory\n");
    assertThat(CommandRun.of("serve", "--table", "t=x", "--max-age", "-1").err())
        .isEqualTo("bsdb: --max-age: expected 0 or more, actual -1\n");
    assertThat(CommandRun.of("serve", "--table", "t=x", "--refresh", "-1").err())
        .isEqualTo("bsdb: --refresh: expected 0 or more, actual -1\n");
    assertThat(CommandRun.of("serve", "--help").out()).contains("0 for never");
  }
}
