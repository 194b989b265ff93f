package io.bsdb.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JavaReadsTest {
  @TempDir private Path directory;

  @Test
  void readsInAllWays() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    JavaReads.run(directory.resolve("table"), new PrintStream(out, true, StandardCharsets.UTF_8));

    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualToNormalizingNewlines("red blue true 114\nred blue\n2 records\nred blue\n");
  }
}
