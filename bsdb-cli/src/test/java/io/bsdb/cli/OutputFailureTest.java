package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.ExitStatus;
import io.bsdb.table.Table;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What commands say and do when nobody takes their results. */
class OutputFailureTest {
  @TempDir private Path directory;
  private Path input;
  private Path table;

  /** Why standard output fails. */
  enum Reason {
    FULL_DISK("No space left on device", ExitStatus.UNREADABLE),
    CLOSED_PIPE("Broken pipe", ExitStatus.BROKEN_PIPE);

    private final String message;
    private final int status;

    Reason(String message, int status) {
      this.message = message;
      this.status = status;
    }

    CommandRun run(Object... arguments) {
      OutputStream out =
          new OutputStream() {
            @Override
            public void write(int b) throws IOException {
              throw new IOException(message);
            }
          };
      return CommandRun.into(out, arguments);
    }

    String end() {
      return this == CLOSED_PIPE
          ? ""
          : "bsdb: standard output cannot be written: No space left on device\n";
    }
  }

  @BeforeEach
  void build() throws IOException {
    table = directory.resolve("t");
    input = Files.writeString(directory.resolve("in.txt"), "k v\n");
    for (int i = 0; i < 3; i++) {
      assertThat(CommandRun.of("build", "-t", table, "-i", input).status()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aBuildSaysThatItsVersionIsInService(Reason reason) throws IOException {
    CommandRun build = reason.run("build", "-t", table, "-i", input);

    String version = Table.at(table).requireCurrentVersion();
    assertThat(version).startsWith("0000000004-");
    assertThat(build.status()).isEqualTo(reason.status);
    assertThat(build.err())
        .startsWith(version + " is in service: 1 record in ")
        .endsWith("bsdb: " + version + " is in service all the same\n" + reason.end());
  }

  @ParameterizedTest
  @EnumSource
  void aRollbackSaysWhichVersionIsInService(Reason reason) throws IOException {
    CommandRun rollback = reason.run("rollback", "-t", table);

    String version = Table.at(table).requireCurrentVersion();
    assertThat(version).startsWith("0000000002-");
    assertThat(rollback.status()).isEqualTo(reason.status);
    assertThat(rollback.err())
        .endsWith("bsdb: " + version + " is in service all the same\n" + reason.end());
  }

  @ParameterizedTest
  @EnumSource
  void whatIsDeletedIsNamed(Reason reason) throws IOException {
    List<String> versions = Table.at(table).versions();
    CommandRun prune = reason.run("prune", "-t", table, "--keep", 1);

    assertThat(Table.at(table).versions()).containsExactly(versions.get(2));
    assertThat(prune.status()).isEqualTo(reason.status);
    assertThat(prune.err())
        .isEqualTo(
            "bsdb: deleted: [%s, %s]\n".formatted(versions.get(0), versions.get(1)) + reason.end());
    String dead = "staging/" + UUID.randomUUID();
    Files.createDirectories(table.resolve(dead));
    CommandRun sweep = reason.run("sweep", "-t", table, "--older-than", "0s");
    assertThat(table.resolve(dead)).doesNotExist();
    assertThat(sweep.status()).isEqualTo(reason.status);
    assertThat(sweep.err()).isEqualTo("bsdb: deleted: [" + dead + "]\n" + reason.end());
  }

  @ParameterizedTest
  @EnumSource
  void commandsThatOnlyReadSayWhatFailed(Reason reason) {
    for (Object[] arguments :
        List.of(
            new Object[] {"get", "-t", table, "--", "k"},
            new Object[] {"scan", "-t", table},
            new Object[] {"inspect", "-t", table},
            new Object[] {"versions", "-t", table},
            new Object[] {"--help"},
            new Object[] {"get", "--help"},
            new Object[] {"--version"})) {
      CommandRun run = reason.run(arguments);
      assertThat(run.status()).as("%s", List.of(arguments)).isEqualTo(reason.status);
      assertThat(run.err()).as("%s", List.of(arguments)).isEqualTo(reason.end());
    }
  }

  /** If the process was started without it, its descriptor is that of a file which Java needs. */
  @Test
  void standardOutputIsNotClosed() throws IOException {
    OutputStream out =
        new OutputStream() {
          @Override
          public void write(int b) {}

          @Override
          public void close() {
            throw new AssertionError("closed");
          }
        };
    for (Object[] arguments :
        List.of(
            new Object[] {"get", "-t", table, "--", "k"},
            new Object[] {"scan", "-t", table},
            new Object[] {"diff", "-t", table, "--from", Table.at(table).versions().get(0)})) {
      assertThat(CommandRun.into(out, arguments).status()).as("%s", List.of(arguments)).isZero();
    }
  }

  @Test
  void nothingIsWrongWhereNothingIsPrinted() {
    assertThat(Reason.FULL_DISK.run("verify", "-t", table).status()).isZero();
    assertThat(Reason.FULL_DISK.run("prune", "-t", table, "--keep", 3).status()).isZero();
  }
}
