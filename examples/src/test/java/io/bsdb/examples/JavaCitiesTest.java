package io.bsdb.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JavaCitiesTest {
  @TempDir private Path directory;

  @Test
  void looksAroundInPlaces() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    JavaCities.run(
        Path.of("data", "cities500.csv.gz"),
        directory,
        new PrintStream(out, true, StandardCharsets.UTF_8));

    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualToNormalizingNewlines(
            """
            the largest below a million in CH: Zürich, 415367
            the largest below a million in JP: Chiba, 979768
            no place in XX
            1. Zürich: 415367
            2. Geneva: 201741
            3. Basel: 177595
            """);
  }
}
