package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.bsdb.table.Table;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A mirror in a process of its own, whose source changes, fails and comes back. */
@Timeout(120)
class MirrorProcessTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path directory;
  private Path input;
  private Path table;
  private Process mirror;
  private BufferedReader output;

  @BeforeEach
  void paths() {
    input = directory.resolve("in.csv");
    table = directory.resolve("table");
  }

  @AfterEach
  void end() throws IOException {
    if (mirror != null) {
      mirror.destroyForcibly();
      output.close();
    }
  }

  private void start(Object... options) throws IOException {
    List<Object> command = new ArrayList<>(List.of("mirror", "-t", table, "--json"));
    command.addAll(List.of(options));
    mirror = ChildCommand.start(directory.resolve("messages"), command.toArray());
    output =
        new BufferedReader(new InputStreamReader(mirror.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Replaces the input; what the mirror reads is the old file or the new one. */
  private void write(String rows) throws IOException {
    Path written = Files.writeString(directory.resolve("written"), "id,name\n" + rows);
    Files.move(written, input, StandardCopyOption.ATOMIC_MOVE);
  }

  private JsonNode nextRun(String wanted) throws IOException {
    while (true) {
      JsonNode run = JSON.readTree(output.readLine());
      if (run.path("run").asText().equals(wanted)) {
        return run;
      }
    }
  }

  private static HttpResponse<String> get(URI address, String path) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(address.resolve(path)).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
  }

  private String lookUp(int id) {
    return CommandRun.of("get", "-t", table, "--", id).out();
  }

  @Test
  void followsASourceThatChangesFailsAndComesBack() throws Exception {
    Path health = directory.resolve("health.json");
    start(
        CommandRun.words(
            "-i %s --format csv --key id --every 0.2s --keep 2 --port 0 --health-file %s",
            input, health));
    URI address = URI.create(output.readLine());
    assertThat(nextRun("failed").path("error").asText()).isEqualTo("no such input: " + input);
    HttpResponse<String> ready = get(address, "/health/ready");
    assertThat(ready.statusCode()).isEqualTo(503);
    assertThat(ready.body()).contains("no such input: ");
    assertThat(get(address, "/health/live").statusCode()).isEqualTo(200);

    write("1,one\n2,two\n3,three\n4,four\n5,five\n");
    String first = nextRun("published").path("version").asText();
    assertThat(lookUp(2)).contains("two");
    assertThat(get(address, "/health/ready").statusCode()).isEqualTo(200);
    assertThat(JSON.readTree(Files.readString(health)).path("version").asText()).isEqualTo(first);
    JsonNode same = nextRun("unchanged");
    assertThat(same.path("version").asText()).isEqualTo(first);
    assertThat(same.path("same").asInt()).isEqualTo(5);

    write("1,one\n2,deux\n3,three\n4,four\n5,five\n");
    JsonNode changed = nextRun("published");
    assertThat(changed.path("changed").asInt()).isEqualTo(1);
    assertThat(changed.path("compared").asText()).isEqualTo(first);
    assertThat(lookUp(2)).contains("deux");
    assertThat(get(address, "/metrics").body())
        .contains(
            "bsdb_mirror_runs_total{outcome=\"published\"} 2.0\n",
            "bsdb_mirror_failures_in_a_row 0.0\n",
            "bsdb_mirror_rows{kind=\"deleted\"} 0.0\n");

    write("1,one\n1,again\n");
    assertThat(nextRun("failed").path("error").asText())
        .startsWith("duplicate key '{\"id\": 1}': " + input + ":2 and ");
    assertThat(JSON.readTree(Files.readString(health)).path("error").asText())
        .startsWith("duplicate key '{\"id\": 1}': " + input + ":2 and ");
    assertThat(lookUp(2)).contains("deux");
    write("2,zwei\n");
    String last = nextRun("published").path("version").asText();
    assertThat(lookUp(1)).isEmpty();
    assertThat(Table.at(table).versions()).hasSize(2).endsWith(last);

    mirror.toHandle().destroy(); // SIGTERM; its output stays open
    assertThat(mirror.waitFor()).isEqualTo(143);
    assertThat(Table.at(table).requireCurrentVersion()).isEqualTo(last);
    assertThat(directory.resolve("messages")).content().contains("bsdb: no such input: " + input);
  }

  /** The query has no end, so the signal comes during a run. */
  @Test
  void endsARunThatHasPublishedNothingWhenToldTo() throws Exception {
    write("1,one\n");
    assertThat(
            CommandRun.of("build", "-t", table, "-i", input, "--format", "csv", "--key", "id")
                .status())
        .isZero();
    String before = Table.at(table).requireCurrentVersion();
    try (WatchService staging = table.getFileSystem().newWatchService()) {
      Files.createDirectories(table.resolve("staging"))
          .register(staging, StandardWatchEventKinds.ENTRY_CREATE);
      start(
          CommandRun.words(
              "--query %s --key id --every 1h --publish all --memory 64M",
              "SELECT range AS id, 'name' AS name FROM range(1000000000000)"));
      staging.take();
    }
    mirror.toHandle().destroy();
    assertThat(mirror.waitFor()).isEqualTo(143);
    assertThat(directory.resolve("messages"))
        .content()
        .contains("bsdb: interrupted; " + before + " is in service\n");
    assertThat(Table.at(table).requireCurrentVersion()).isEqualTo(before);
    try (Stream<Path> entries = Files.list(table.resolve("staging"))) {
      assertThat(entries).isEmpty();
    }
  }

  @Test
  void endsWithAUsageErrorOnlyInTheFirstRun() throws Exception {
    write("1,one\n");
    CommandRun run =
        CommandRun.of(
            "mirror", "-t", table, "-i", input, "--format", "csv", "--key", "no", "--every", "1s");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("primary key column 'no' is not a column");
    run = CommandRun.of("mirror", "-t", table, "-i", "-", "--every", "1s");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("a mirror reads its inputs again and again");
    assertThat(CommandRun.of("mirror", "-t", table, "-i", input, "--every", "0s").err())
        .contains("expected a time above 0 for --every");
  }
}
