package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LookupKeysTest {
  @TempDir private Path directory;

  @Test
  void keepsTheOrderOfAFile() throws IOException {
    List<String> lines = IntStream.range(0, 100).mapToObj(i -> "key " + i).toList();
    Path file = Files.write(directory.resolve("keys"), lines);

    LookupKeys keys = LookupKeys.ofFile(file, RecordText.of(null, null));

    assertThat(keys.keys(0, keys.size()))
        .extracting(key -> new String(key, StandardCharsets.UTF_8))
        .isEqualTo(lines);
  }
}
