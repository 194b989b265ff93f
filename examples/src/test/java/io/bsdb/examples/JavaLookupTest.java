package io.bsdb.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JavaLookupTest {
  @TempDir private Path directory;

  @Test
  void followsTheTable() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    JavaLookup.run(directory.resolve("table"), new PrintStream(out, true, StandardCharsets.UTF_8));

    assertThat(out.toString(StandardCharsets.UTF_8))
        .hasLineCount(3)
        .isEqualToNormalizingNewlines("rose: red\nunicorn: absent\nrose: white\n");
  }
}
