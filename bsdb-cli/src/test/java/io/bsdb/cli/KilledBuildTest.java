package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.table.Table;
import io.bsdb.testkit.ChildProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KilledBuildTest {
  @TempDir private Path directory;

  @Test
  void leavesTheSnapshotInService() throws Exception {
    Path table = directory.resolve("table");
    Path input = Files.writeString(directory.resolve("in.txt"), "k old\n");
    assertThat(CommandRun.of("build", "-t", table, "-i", input).status()).isZero();
    String before = Table.at(table).requireCurrentVersion();

    Process build =
        ChildProcess.of(
                Bsdb.class,
                "build",
                "--table",
                table.toString(),
                "--input",
                "-",
                "--temp",
                directory.toString(),
                "--memory",
                "64M")
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("out").toFile())
            .start();
    try {
      feedUntilItSpills(build.getOutputStream());
      build.destroyForcibly().waitFor();
    } finally {
      build.destroyForcibly();
    }

    assertThat(Table.at(table).requireCurrentVersion()).isEqualTo(before);
    assertThat(CommandRun.of("get", "-t", table, "--", "k").out()).isEqualTo("k\told\n");
    assertThat(CommandRun.of("verify", "-t", table).status()).isZero();
    assertThat(CommandRun.of("build", "-t", table, "-i", input).status()).isZero();
    Table.at(table).sweep(Duration.ZERO);
    assertThat(table.resolve("staging"))
        .satisfiesAnyOf(
            staging -> assertThat(staging).doesNotExist(),
            staging -> assertThat(staging).isEmptyDirectory());
  }

  /** A pipe takes no more than the process reads, so what has gone in beyond its size was read. */
  static void feedUntilItSpills(OutputStream in) throws IOException {
    byte[] value = "v".repeat(1000).getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < 20_000; i++) {
      in.write(("k" + i + " ").getBytes(StandardCharsets.UTF_8));
      in.write(value);
      in.write('\n');
    }
    in.flush();
  }
}
