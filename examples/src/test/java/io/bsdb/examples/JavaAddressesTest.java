package io.bsdb.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JavaAddressesTest {
  @TempDir private Path directory;

  @Test
  void findsTheCountriesOfAMillionAddresses() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    JavaAddresses.run(directory, new PrintStream(out, true, StandardCharsets.UTF_8));

    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualToNormalizingNewlines(
            "addresses per country: {AT=84312, BR=84785, CH=84247, IN=85764, JP=83512, KE=84826, US=83623, none=408931}\n");
  }
}
