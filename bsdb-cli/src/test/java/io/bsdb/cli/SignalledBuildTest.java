package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.table.Table;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Builds and scans that are told to end while they work or wait for input. */
@Timeout(300)
class SignalledBuildTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({"INT, 130, -", "TERM, 143, -", "TERM, 143, pipe"})
  void leaveNothingBehind(String signal, int status, String input) throws Exception {
    Path table = directory.resolve("table");
    Path old = Files.writeString(directory.resolve("in.txt"), "k old\n");
    assertThat(CommandRun.of("build", "-t", table, "-i", old).status()).isZero();
    String before = Table.at(table).requireCurrentVersion();
    Path pipe = directory.resolve("pipe");
    assertThat(run("mkfifo", pipe.toString())).isZero();
    Path messages = directory.resolve("messages");
    Process build =
        ChildCommand.start(
            messages,
            CommandRun.words(
                "build -t %s -i %s --memory 64M --partitions 4",
                table, input.equals("-") ? input : pipe));
    try (OutputStream in =
        input.equals("-") ? build.getOutputStream() : Files.newOutputStream(pipe)) {
      KilledBuildTest.feedUntilItSpills(in);
      assertThat(run("kill", "-" + signal, Long.toString(build.pid()))).isZero();
      assertThat(build.waitFor()).isEqualTo(status);
    } catch (IOException brokenPipe) {
      assertThat(build.waitFor()).isEqualTo(status);
    } finally {
      build.destroyForcibly();
    }

    assertThat(messages).content().contains("bsdb: interrupted; " + before + " is in service\n");
    assertThat(Table.at(table).requireCurrentVersion()).isEqualTo(before);
    assertThat(entries(table.resolve("snapshots"))).containsExactly(before);
    assertThat(entries(table.resolve("staging"))).isEmpty();
  }

  /** The query of the second reading sorts so much that it needs temporary files. */
  @Test
  void leaveNoTemporaryFilesWhileTheyCompare() throws Exception {
    Path table = directory.resolve("table");
    Path temporary = directory.resolve("temporary");
    Path messages = directory.resolve("messages");
    Process build =
        ChildCommand.start(
            messages,
            "build",
            "-t",
            table,
            "--key",
            "id",
            "--memory",
            "64M",
            "--temp",
            temporary,
            "--verify-input",
            "--query",
            "SELECT i AS id, hash(i)::VARCHAR || hash(-i)::VARCHAR AS s FROM range(1500000) r(i)"
                + " ORDER BY hash(i)");
    try {
      await(
          build,
          () ->
              Files.exists(table.resolve("CURRENT"))
                  && Stream.of(entries(temporary)).anyMatch(each -> each.startsWith("bsdb-sql-")));
      assertThat(run("kill", "-TERM", Long.toString(build.pid()))).isZero();
      assertThat(build.waitFor()).isEqualTo(143);
    } finally {
      build.destroyForcibly();
    }

    String version = Table.at(table).requireCurrentVersion();
    assertThat(messages).content().contains("bsdb: interrupted; " + version + " is in service\n");
    assertThat(temporary).isEmptyDirectory();
  }

  @Test
  void leaveNoHalfOfAParquetFile() throws Exception {
    Path table = directory.resolve("table");
    String query = "SELECT i AS id, [i, i + 1] AS l FROM range(300000) r(i)";
    assertThat(CommandRun.of("build", "-t", table, "--key", "id", "--query", query).status())
        .isZero();
    Path output = Files.createDirectory(directory.resolve("output"));
    Process scan =
        ChildCommand.start(
            directory.resolve("messages"),
            CommandRun.words(
                "scan -t %s --format parquet -o %s", table, output.resolve("rows.parquet")));
    try {
      await(scan, () -> entries(output).length == 1);
      assertThat(run("kill", "-TERM", Long.toString(scan.pid()))).isZero();
      assertThat(scan.waitFor()).isEqualTo(143);
    } finally {
      scan.destroyForcibly();
    }
    assertThat(output).isEmptyDirectory();
  }

  private static void await(Process process, Callable<Boolean> condition) throws Exception {
    while (!condition.call()) {
      assertThat(process.waitFor(5, TimeUnit.MILLISECONDS)).isFalse();
    }
  }

  private static String[] entries(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.map(each -> each.getFileName().toString()).toArray(String[]::new);
    }
  }

  private static int run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).inheritIO().start().waitFor();
  }
}
