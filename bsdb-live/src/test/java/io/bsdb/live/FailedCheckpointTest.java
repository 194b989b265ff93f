package io.bsdb.live;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies of a table that fail on their way. */
class FailedCheckpointTest {
  @TempDir Path root;

  @Test
  void leavesNothingAndCanBeRepeated() throws Exception {
    Path copy = root.resolve("copy");
    try (WritableTable table = WritableTable.open(root.resolve("table"))) {
      table.put(bytes("key"), bytes("value"));
      table.publish();
      Path segment;
      try (Stream<Path> files = Files.list(root.resolve("table").resolve("data"))) {
        segment = files.findFirst().orElseThrow();
      }
      Path away = Files.move(segment, root.resolve("away"));
      assertThatThrownBy(() -> table.checkpoint(copy)).isInstanceOf(NoSuchFileException.class);
      assertThat(copy).doesNotExist();
      Files.move(away, segment);
      table.checkpoint(copy);
    }
    try (WritableTable table = WritableTable.open(copy)) {
      assertThat(table.get(bytes("key"))).isEqualTo(bytes("value"));
    }
  }
}
