package io.bsdb.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JavaChangesTest {
  @TempDir private Path directory;

  @Test
  void changesATableThatIsRead() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    JavaChanges.run(directory.resolve("table"), new PrintStream(out, true, StandardCharsets.UTF_8));

    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualToNormalizingNewlines(
            "rose: white\nviolet: absent\ncontinue after {colours-0=4711}\npartitions folded: 1\n");
  }
}
