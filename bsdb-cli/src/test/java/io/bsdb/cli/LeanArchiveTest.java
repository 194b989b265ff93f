package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.ExitStatus;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Without DuckDB on the class path. */
@Timeout(120)
class LeanArchiveTest {
  private static final String LEAN =
      Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
          .filter(entry -> !entry.contains("duckdb"))
          .collect(Collectors.joining(File.pathSeparator));

  @TempDir private Path directory;

  @Test
  void saysWhatNeedsDuckDb() throws Exception {
    Path messages = directory.resolve("messages");
    Path table = directory.resolve("table");
    Path input = Files.writeString(directory.resolve("in.csv"), "id\n1\n");

    assertThat(run(messages, "build", "-t", table, "--key", "id", "--query", "SELECT 1 AS id"))
        .isEqualTo(ExitStatus.USAGE);
    assertThat(messages).content().contains("need DuckDB, which this lean archive does not have");
    assertThat(run(messages, "build", "-t", table, "-i", input, "--format", "csv", "--key", "id"))
        .isZero();
    assertThat(run(messages, "scan", "-t", table, "--format", "parquet", "-o", input))
        .isEqualTo(ExitStatus.USAGE);
    assertThat(messages).content().contains("need DuckDB, which this lean archive does not have");
  }

  private static int run(Path messages, Object... arguments) throws Exception {
    return ChildCommand.start(messages, LEAN, List.of(arguments)).waitFor();
  }
}
