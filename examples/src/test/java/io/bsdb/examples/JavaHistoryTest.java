package io.bsdb.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JavaHistoryTest {
  @TempDir private Path directory;

  @Test
  void findsWhatWasValid() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    JavaHistory.run(directory, Instant.now(), new PrintStream(out, true, StandardCharsets.UTF_8));

    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualToNormalizingNewlines(
            """
            no bread, 25 days ago
            bread, 15 days ago: 3.20
            no bread, 7 days ago
            bread, 1 days ago: 3.50
            """);
  }
}
