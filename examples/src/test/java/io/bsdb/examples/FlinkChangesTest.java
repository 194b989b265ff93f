package io.bsdb.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class FlinkChangesTest {
  @TempDir Path directory;

  @Test
  @Timeout(180)
  void seesChangesWhileTheyGoOn() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    new FlinkChanges(
            Path.of("data", "cities500.csv.gz").toAbsolutePath(),
            directory.resolve("cities"),
            new PrintStream(out, true, StandardCharsets.UTF_8))
        .run(2);

    assertThat(out.toString(StandardCharsets.UTF_8).lines())
        .hasSize(2)
        .allMatch(line -> line.matches("Berlin has 3[.,]?426[.,]?\\d+ inhabitants"));
  }
}
