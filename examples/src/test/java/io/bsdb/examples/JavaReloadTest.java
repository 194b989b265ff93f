package io.bsdb.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JavaReloadTest {
  @TempDir private Path directory;

  @Test
  void publishesOnlyWhatDiffers() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    JavaReload.run(directory.resolve("table"), new PrintStream(out, true, StandardCharsets.UTF_8));

    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualToNormalizingNewlines("changed: 1, the same: 4\nrose: red\n");
  }
}
