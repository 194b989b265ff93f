package io.bsdb.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LineCountTest {
  @TempDir private Path directory;

  @Test
  void countsLinesOnceWhateverTheirFileIsCalled() throws IOException {
    Path written = directory.resolve("written");
    LineCount count = new LineCount(written);
    assertThat(count.look()).isZero();

    Files.createDirectory(written);
    Path file = Files.writeString(written.resolve(".part.inprogress"), "a\nb\nc");
    assertThat(count.look()).isEqualTo(2);

    Files.writeString(file, "\nd\n", StandardOpenOption.APPEND);
    Files.move(file, written.resolve("part"));
    Files.writeString(written.resolve("part-2"), "e\n".repeat(300_000));
    assertThat(count.look()).isEqualTo(300_004);
    assertThat(count.look()).isEqualTo(300_004);
  }
}
