package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.ExitStatus;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.table.Table;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Properties;
import java.util.UUID;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A mirror in this process, which an interrupt ends. */
@Timeout(60)
class MirrorCommandTest {
  @TempDir private Path directory;
  private Path table;
  private Path input;

  @BeforeEach
  void paths() throws IOException {
    table = directory.resolve("table");
    input = Files.writeString(directory.resolve("in.csv"), "id,name\n1,one\n");
  }

  @Test
  void refusesAnAddressWithoutAPort() {
    CommandRun run =
        CommandRun.line(
            "mirror -t %s -i %s --format csv --key id --every 1m --host 127.0.0.1", table, input);
    assertThat(run.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(run.err()).isEqualTo("bsdb: --host and --insecure are for --port\n");
  }

  @AfterEach
  void clearInterrupt() {
    boolean unused = Thread.interrupted();
  }

  /** Takes what the mirror prints, and does something at the first line that has a text. */
  private static final class Output extends ByteArrayOutputStream {
    private final String awaited;
    private final Runnable then;
    private boolean done;

    Output(String awaited, Runnable then) {
      this.awaited = awaited;
      this.then = then;
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) {
      super.write(bytes, offset, length);
      if (!done && toString(StandardCharsets.UTF_8).contains(awaited)) {
        done = true;
        then.run();
      }
    }
  }

  @Test
  void goesOnWithoutItsHealthFile() {
    Path health = directory.resolve("none").resolve("health.json");
    Output out = new Output("run=unchanged", Thread.currentThread()::interrupt);
    CommandRun run =
        CommandRun.into(
            out,
            CommandRun.words(
                "mirror -t %s -i %s --format csv --key id --every 0.01s --health-file %s",
                table, input, health));
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("run=published version=");
    assertThat(run.err())
        .contains(
            "bsdb: the health file %s cannot be written: no such file or directory: %s.tmp"
                .formatted(health, health));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void leavesNothingOfAHealthFileOnAFullDisk() throws IOException {
    Path health = directory.resolve("health.json");
    Path unfinished = directory.resolve("health.json.tmp");
    Files.createSymbolicLink(unfinished, Path.of("/dev/full"));
    CommandRun run = mirrorOnce(health);
    assertThat(run.err())
        .startsWith(
            "bsdb: the health file %s cannot be written: No space left on device\n"
                .formatted(health));
    assertThat(unfinished).doesNotExist();
  }

  @Test
  void leavesADeviceInPlaceOfItsHealthFile() throws IOException {
    Path link = Files.createSymbolicLink(directory.resolve("health"), Path.of("/dev/null"));
    CommandRun run = mirrorOnce(link);
    assertThat(run.err())
        .startsWith(
            "bsdb: the health file %s cannot be written: what is there is no regular file; give the name of another file\n"
                .formatted(link));
    assertThat(link).isSymbolicLink();
  }

  @Test
  void writesTheHealthFileThatALinkLeadsTo() throws IOException {
    Path target = Files.writeString(directory.resolve("health.json"), "old");
    Path link = Files.createSymbolicLink(directory.resolve("health"), target);
    CommandRun run = mirrorOnce(link);
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(link).isSymbolicLink();
    assertThat(target).content().contains("\"healthy\":true");
  }

  private CommandRun mirrorOnce(Path health) {
    return CommandRun.into(
        new Output("run=", Thread.currentThread()::interrupt),
        CommandRun.words(
            "mirror -t %s -i %s --format csv --key id --every 1m --health-file %s",
            table, input, health));
  }

  /** At its start, since one that is killed in each run never comes to the end of one. */
  @Test
  void deletesWhatAKilledRunHasLeft() throws IOException {
    Path left = Files.createDirectories(table.resolve("staging").resolve(UUID.randomUUID() + ""));
    Files.setLastModifiedTime(left, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
    Path recent = Files.createDirectories(left.resolveSibling(UUID.randomUUID() + ""));
    Files.delete(input);
    CommandRun run = mirrorOnce(directory.resolve("health"));
    assertThat(run.err()).contains("no such input: " + input);
    assertThat(left).doesNotExist();
    assertThat(recent).exists();
  }

  /** A damaged manifest keeps old versions from being deleted, and readers from nothing. */
  @Test
  void saysThatATableCannotBeTidiedUp() throws IOException {
    for (int i = 0; i < 3; i++) {
      CommandRun built =
          CommandRun.of("build", "-t", table, "-i", input, "--format", "csv", "--key", "id");
      assertThat(built.status()).as(built.err()).isZero();
    }
    String second = Table.at(table).versions().get(1);
    Files.writeString(
        table.resolve("snapshots").resolve(second).resolve(SnapshotFormat.MANIFEST_FILE),
        "damaged");
    Output out = new Output("run=", Thread.currentThread()::interrupt);
    CommandRun run =
        CommandRun.into(
            out,
            CommandRun.words(
                "mirror -t %s -i %s --format csv --key id --publish all --keep 3 --every 0.01s",
                table, input));
    assertThat(run.status()).as(run.err()).isZero();
    String current = Table.at(table).requireCurrentVersion();
    assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("run=published version=" + current);
    assertThat(run.err())
        .contains(
            "bsdb: the rows are published, but the table cannot be compacted, or old versions");
  }

  /** A driver that fails as drivers should not, twice, and then leaves it to DuckDB. */
  private static final class FailingDriver implements Driver {
    private int connections;

    @Override
    public @Nullable Connection connect(String url, Properties properties) throws SQLException {
      if (!acceptsURL(url)) {
        return null;
      }
      return switch (connections++) {
        case 0 -> throw new IllegalStateException("no state for this");
        case 1 -> throw new UncheckedIOException(new NoSuchFileException("certificate"));
        default -> DriverManager.getConnection("jdbc:duckdb:", properties);
      };
    }

    @Override
    public boolean acceptsURL(String url) {
      return url.equals("jdbc:failing:");
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties) {
      return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
      return 1;
    }

    @Override
    public int getMinorVersion() {
      return 0;
    }

    @Override
    public boolean jdbcCompliant() {
      return false;
    }

    @Override
    public Logger getParentLogger() {
      return Logger.getGlobal();
    }
  }

  @Test
  void triesAgainAfterAnyFailure() throws SQLException {
    Driver driver = new FailingDriver();
    Output out = new Output("run=published", Thread.currentThread()::interrupt);
    DriverManager.registerDriver(driver);
    try {
      CommandRun run =
          CommandRun.into(
              out,
              CommandRun.words(
                  "mirror -t %s --jdbc jdbc:failing: --query %s --key id --every 0.01s",
                  table, "SELECT 1 AS id, 'one' AS name"));
      assertThat(run.status()).as(run.err()).isZero();
      assertThat(run.err())
          .contains(
              "bsdb: defect of this program: java.lang.IllegalStateException: no state for this",
              "at io.bsdb.cli.MirrorCommandTest$FailingDriver.connect(",
              "bsdb: no such file or directory: certificate");
      assertThat(out.toString(StandardCharsets.UTF_8).lines())
          .hasSize(3)
          .satisfiesExactly(
              line -> assertThat(line).startsWith("run=failed error=defect of this program: "),
              line -> assertThat(line).startsWith("run=failed error=no such file or directory: "),
              line -> assertThat(line).startsWith("run=published "));
    } finally {
      DriverManager.deregisterDriver(driver);
    }
  }
}
