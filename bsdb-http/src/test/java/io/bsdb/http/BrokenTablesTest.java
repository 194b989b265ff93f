package io.bsdb.http;

import static io.bsdb.http.Client.json;
import static io.bsdb.http.Client.problem;
import static io.bsdb.http.Client.text;
import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.bsdb.http.table.Held;
import io.bsdb.http.table.ServedTable;
import io.bsdb.http.table.Service;
import io.bsdb.http.wire.Limits;
import io.bsdb.reader.ClosedReaderException;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import io.bsdb.table.storage.DirectoryTree;
import io.bsdb.testkit.Records;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables that cannot be read, or not any more. */
@Timeout(60)
class BrokenTablesTest {
  @TempDir private Path directory;
  private Path table;
  @AutoClose private BsdbServer server;
  private Client client;

  @BeforeEach
  void serve() throws Exception {
    table = directory.resolve("t");
    Tables.publish(table, Map.of("k", "v"));
    start(builder());
  }

  private BsdbServer.Builder builder() {
    return BsdbServer.builder().table("t", table).refreshEvery(Duration.ZERO);
  }

  private void start(BsdbServer.Builder builder) throws IOException {
    if (server != null) {
      server.close();
    }
    server = builder.start();
    client = new Client(server);
  }

  @ParameterizedTest
  @EnumSource(Access.class)
  void damageIsNeverAbsence(Access access) throws Exception {
    Path file;
    try (Stream<Path> files = Files.walk(table)) {
      file = files.filter(each -> each.toString().endsWith(".bsdb")).findFirst().orElseThrow();
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(new byte[] {0x55, 0x55, 0x55, 0x55}), 4096 + 20);
    }
    start(builder().options(ReaderOptions.builder().access(access).build()));
    String lookup = "/v1/tables/t/rows:lookup";
    for (HttpResponse<byte[]> answer :
        List.of(
            client.get("/v1/tables/t/rows/k"),
            client.get("/v1/tables/t/rows/k", "Accept", "application/octet-stream"),
            client.get("/v1/tables/t/rows/k", "If-None-Match", "*"),
            client.get("/v1/tables/t/sample"),
            client.post(lookup, "{\"keys\":[\"k\"]}"),
            client.post(lookup, "{\"keys\":[\"k\"]}", "Accept", "application/x-ndjson"),
            client.post(lookup, "{\"keys\":[\"k\"]}", "Accept", "application/octet-stream"))) {
      assertThat(answer.statusCode()).isEqualTo(500);
      assertThat(problem(answer)).isEqualTo("corrupt");
      assertThat(answer.headers().firstValue("content-type")).hasValue("application/problem+json");
      assertThat(answer.headers().firstValue("cache-control")).hasValue("no-store");
      assertThat(json(answer).get("detail").asText())
          .contains("file=" + file)
          .contains("offset=4096");
    }
  }

  @Test
  void listsVersionsBesideOnesThatCannotBeRead() throws Exception {
    Path snapshots = table.resolve("snapshots");
    Path damaged = Files.createDirectory(snapshots.resolve("0000000091-aaaaaaaa"));
    Files.writeString(damaged.resolve("manifest.json"), "{");
    Path newer = Files.createDirectory(snapshots.resolve("0000000092-aaaaaaaa"));
    Files.writeString(newer.resolve("manifest.json"), "{\"formatVersion\": 99}");
    Path pruned = Files.createDirectory(snapshots.resolve("0000000093-aaaaaaaa"));
    Files.createSymbolicLink(pruned.resolve("manifest.json"), pruned.resolve("none"));
    JsonNode versions = json(client.get("/v1/tables/t/versions")).get("versions");
    assertThat(versions).hasSize(3);
    assertThat(versions.get(0).get("inUse").asBoolean()).isTrue();
    assertThat(versions.get(1).get("failure").asText()).contains("manifest.json");
    assertThat(versions.get(2).get("failure").asText()).contains("99");
    HttpResponse<byte[]> page = client.get("/tables/t/versions");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(text(page))
        .contains("in use</span>", "0000000091-aaaaaaaa", "0000000092-aaaaaaaa")
        .doesNotContain("0000000093-aaaaaaaa");
  }

  @Test
  void theOthersAreClosedBesideOneThatCannotBe() throws Exception {
    Path other = directory.resolve("u");
    Tables.publish(other, Map.of("k", "v"));
    Service service =
        new Service(
            (name, path) ->
                ServedTable.open(
                    name, path, ReaderOptions.defaults(), Duration.ZERO, TableReader.Listener.NONE),
            TableReader.Listener.NONE,
            Limits.of(Map.of()));
    service.open("t", table);
    service.open("u", other);
    ServedTable open = service.table("u");
    try (Held held = service.hold(service.table("t"), null);
        RecordCursor cursor = held.reader().scan()) {
      held.close();
      shorten(table);
      assertThatThrownBy(service::close).hasMessageStartingWith("mapped file was shortened");
      assertThatThrownBy(() -> open.reader().get(bytes("k")))
          .isInstanceOf(ClosedReaderException.class);
    }
  }

  private static void shorten(Path table) throws IOException {
    try (Stream<Path> files = Files.walk(table)) {
      for (Path file : files.filter(each -> each.toString().contains("part-")).toList()) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
          channel.truncate(1);
        }
      }
    }
  }

  @Test
  void servesATableThatIsDeletedAndPublishedAgain() throws Exception {
    assertThat(problem(client.get("/v1/tables/none"))).isEqualTo("unknown-table");
    DirectoryTree.delete(table);
    assertThatThrownBy(() -> server.refresh()).isInstanceOf(IOException.class);
    assertThat(text(client.get("/v1/tables/t/rows/k"))).contains("\"dg==\"");
    assertThat(client.get("/health/ready").statusCode()).isEqualTo(200);
    assertThat(client.get("/v1/tables/t/versions").statusCode()).isLessThan(500);
    JsonNode stats = json(client.get("/v1/tables/t/stats"));
    assertThat(stats.get("partitionRecords").asInt()).isEqualTo(1);
    assertThat(stats.get("parts").isNull()).isTrue();
    HttpResponse<byte[]> page = client.get("/tables/t");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(text(page)).contains("The files of this version have been deleted");
    String again = Tables.publish(table, Map.of("k", "new"));
    server.refresh();
    HttpResponse<byte[]> answer = client.get("/v1/tables/t/rows/k");
    assertThat(answer.headers().firstValue("bsdb-version")).hasValue(again);
    assertThat(json(answer).get("value").asText()).isEqualTo("bmV3");
    assertThat(Table.at(table).currentVersion()).isEqualTo(again);
  }

  @Test
  void namesTheFileThatIsMissing() throws Exception {
    Records.of("k", "new").change(Table.at(table));
    Path segment;
    try (Stream<Path> files = Files.walk(table)) {
      segment = files.filter(each -> each.toString().endsWith(".seg")).findFirst().orElseThrow();
    }
    Files.delete(segment);
    start(BsdbServer.builder().warehouse(directory));

    HttpResponse<byte[]> ready = client.get("/health/ready");
    assertThat(ready.statusCode()).isEqualTo(503);
    assertThat(problem(ready)).isEqualTo("not-ready");
    String reason =
        segment + ": the manifest names this segment; the snapshot is incomplete, rebuild it";
    assertThat(json(ready).get("detail").asText()).isEqualTo("tables are not served: t: " + reason);
    HttpResponse<byte[]> row = client.get("/v1/tables/t/rows/k");
    assertThat(problem(row)).isEqualTo("unreadable");
    assertThat(json(row).get("detail").asText()).isEqualTo(reason);
  }

  /** Can fail only for users who may not read everything. */
  @Test
  void directoriesThatMayNotBeReadKeepNoTableFromBeingServed() throws Exception {
    List<Path> closed = List.of(directory.resolve("lost+found"), directory.resolve("secret"));
    for (Path each : closed) {
      Files.createDirectory(each, PosixFilePermissions.asFileAttribute(Set.of()));
    }
    boolean isReadable = Files.isReadable(closed.get(0));
    try {
      start(BsdbServer.builder().warehouse(directory));
      assertThat(text(client.get("/v1/tables/t/rows/k"))).contains("\"dg==\"");
      HttpResponse<byte[]> ready = client.get("/health/ready");
      assertThat(ready.statusCode()).isEqualTo(isReadable ? 200 : 503);
      if (!isReadable) {
        assertThat(json(ready).get("detail").asText())
            .startsWith("tables are not served: secret: ")
            .doesNotContain("lost+found");
      }
    } finally {
      for (Path each : closed) {
        Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwx------"));
      }
    }
  }

  @Test
  void aTableWithTheNameOfAnotherIsReported() throws Exception {
    Path warehouse = directory.resolve("warehouse");
    Tables.publish(warehouse.resolve("a.b"), Map.of("k", "v"));
    Tables.publish(warehouse.resolve("a").resolve("b"), Map.of("k", "other"));
    start(BsdbServer.builder().warehouse(warehouse).refreshEvery(Duration.ZERO));
    assertThat(text(client.get("/v1/tables/a.b/rows/k"))).contains("\"dg==\"");
    assertThat(json(client.get("/health/ready")).path("detail").asText())
        .isEqualTo(
            "tables are not served: a/b: another table has the name 'a.b'; rename one of the two"
                + " directories");
  }

  @Test
  void othersAreServedBesideTablesThatCannotBe() throws Exception {
    Path warehouse = directory.resolve("warehouse");
    Tables.publish(warehouse.resolve("good"), Map.of("k", "v"));
    Tables.publish(warehouse.resolve("db").resolve("inner"), Map.of("k", "v"));
    Tables.publish(warehouse.resolve("mis named"), Map.of("k", "v"));
    Path damaged = warehouse.resolve("damaged");
    Tables.publish(damaged, Map.of("k", "v"));
    byte[] current = Files.readAllBytes(damaged.resolve("CURRENT"));
    Files.writeString(damaged.resolve("CURRENT"), "?");
    Files.createDirectories(warehouse.resolve("empty").resolve("snapshots"));
    List<String> failures = new CopyOnWriteArrayList<>();
    start(
        BsdbServer.builder()
            .warehouse(warehouse)
            .refreshEvery(Duration.ZERO)
            .listener(
                new TableReader.Listener() {
                  @Override
                  public void onRefreshFailed(@Nullable String version, Exception cause) {
                    failures.add(cause.getMessage());
                  }
                }));
    assertThat(text(client.get("/v1/tables/good/rows/k"))).contains("\"dg==\"");
    assertThat(text(client.get("/v1/tables/db.inner/rows/k"))).contains("\"dg==\"");
    assertThat(failures)
        .hasSize(2)
        .anyMatch(line -> line.contains("table mis named is not served") && line.contains("name"))
        .anyMatch(line -> line.contains("table damaged is not served"));
    HttpResponse<byte[]> ready = client.get("/health/ready");
    assertThat(ready.statusCode()).isEqualTo(503);
    assertThat(json(ready).get("detail").asText()).startsWith("tables are not served: damaged: ");
    try (BsdbServer guarded = BsdbServer.builder().warehouse(warehouse).token("s3cret").start()) {
      Client other = new Client(guarded);
      HttpResponse<byte[]> stranger = other.get("/health/ready");
      assertThat(stranger.statusCode()).isEqualTo(503);
      assertThat(json(stranger).get("detail").asText())
          .isEqualTo("a table is not served, or too old; with the token, this names it");
      assertThat(text(other.get("/health/ready", "Authorization", "Bearer s3cret")))
          .contains("tables are not served: damaged: ");
    }
    assertThat(client.get("/v1/tables/damaged/rows/k").statusCode()).isEqualTo(500);
    assertThat(client.get("/v1/tables/mis%20named").statusCode()).isEqualTo(500);
    assertThat(json(client.get("/v1/tables")).get("tables")).hasSize(2);
    assertThat(json(client.get("/v1/tables")).get("notServed")).hasSize(2);
    assertThat(text(client.get("/"))).contains("not served: ");
    Files.write(damaged.resolve("CURRENT"), current);
    server.refresh();
    assertThat(text(client.get("/v1/tables/damaged/rows/k"))).contains("\"dg==\"");
    assertThat(failures).hasSize(2);
    assertThat(json(client.get("/health/ready")).get("detail").asText()).contains("mis named");
  }
}
