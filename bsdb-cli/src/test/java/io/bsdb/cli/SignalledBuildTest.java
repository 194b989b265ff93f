package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.table.Table;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Builds that are told to end while they wait for input. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
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
            "build",
            "-t",
            table,
            "-i",
            input.equals("-") ? input : pipe,
            "--memory",
            "64M",
            "--partitions",
            "4");
    try (OutputStream in =
        input.equals("-") ? build.getOutputStream() : Files.newOutputStream(pipe)) {
      feedUntilItSpills(in);
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

  private static String[] entries(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.map(each -> each.getFileName().toString()).toArray(String[]::new);
    }
  }

  private static int run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).inheritIO().start().waitFor();
  }

  /** A pipe takes no more than the process reads, so what has gone in beyond its size was read. */
  private static void feedUntilItSpills(OutputStream in) throws IOException {
    byte[] value = "v".repeat(1000).getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < 20_000; i++) {
      in.write(("k" + i + " ").getBytes(StandardCharsets.UTF_8));
      in.write(value);
      in.write('\n');
    }
    in.flush();
  }
}
