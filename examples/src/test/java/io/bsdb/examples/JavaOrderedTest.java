package io.bsdb.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JavaOrderedTest {
  @TempDir private Path directory;

  @Test
  void findsWhatIsNear() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    JavaOrdered.run(directory, new PrintStream(out, true, StandardCharsets.UTF_8));

    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualToNormalizingNewlines(
            """
            198.51.100.7: AT
            200.1.2.3: in no block
            bread on 17 May: 3.50
            bread from 2026-07-01: 3.90
            bread from 2026-04-01: 3.50
            bread from 2026-01-01: 3.20
            41446681234: Zurich
            41791234567: Switzerland
            33123456789: unknown
            """);
  }
}
