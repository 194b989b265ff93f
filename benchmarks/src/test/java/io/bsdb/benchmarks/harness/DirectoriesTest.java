package io.bsdb.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoriesTest {
  @TempDir private Path directory;

  @Test
  void countsAFileWithTwoNamesOnce() throws IOException {
    Path file = Files.write(directory.resolve("log"), new byte[1000]);
    Path other = Files.createDirectory(directory.resolve("data"));
    Files.createLink(other.resolve("segment"), file);
    Files.write(other.resolve("more"), new byte[10]);
    assertThat(Directories.size(directory)).isEqualTo(1010);
  }
}
