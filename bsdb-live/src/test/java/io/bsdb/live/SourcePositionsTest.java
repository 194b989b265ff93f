package io.bsdb.live;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.table.Table;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourcePositionsTest {
  @TempDir Path directory;

  private WritableTable open() throws IOException {
    return WritableTable.open(directory, WritableOptions.defaults().withDurability(Durability.OS));
  }

  private Map<String, String> published() throws IOException {
    Table table = Table.at(directory);
    return table.manifest(table.requireCurrentVersion()).sourcePositions();
  }

  @Test
  void agreeWithAMapThroughPublishingAndReopening() throws IOException {
    long seed = System.nanoTime();
    System.out.println("seed of the positions: " + seed);
    Random random = new Random(seed);
    Map<String, String> model = new HashMap<>();
    for (int round = 0; round < 4; round++) {
      try (WritableTable table = open()) {
        assertThat(table.sourcePositions()).as("seed %d", seed).isEqualTo(model);
        for (int i = 0; i < 40; i++) {
          String source = "source" + random.nextInt(5);
          String position = Integer.toString(random.nextInt());
          WriteBatch batch = new WriteBatch().position(source, position);
          if (random.nextBoolean()) {
            batch.put(bytes("key" + random.nextInt(50)), bytes(position));
          }
          table.write(batch);
          model.put(source, position);
          if (random.nextInt(10) == 0) {
            table.publish();
            assertThat(published()).as("seed %d", seed).isEqualTo(model);
          } else if (random.nextInt(20) == 0) {
            table.compact();
          }
          assertThat(table.sourcePositions()).as("seed %d", seed).isEqualTo(model);
        }
      }
    }
  }

  @Test
  void beginWithThoseOfTheVersionThatTheTableBeganOver() throws IOException {
    WriterOptions options =
        WriterOptions.builder().sourcePositions(Map.of("a", "1", "b", "2")).build();
    Records.of("key", "value").publish(directory, options);
    try (WritableTable table = open()) {
      assertThat(table.sourcePositions()).isEqualTo(Map.of("a", "1", "b", "2"));
      table.write(new WriteBatch().position("b", "3"));
      assertThat(table.stats().writes().changes()).as("puts and deletes").isZero();
      assertThat(table.sourcePositions()).isEqualTo(Map.of("a", "1", "b", "3"));
      table.checkpoint(directory.resolve("copy"));
    }
    try (WritableTable copy = WritableTable.open(directory.resolve("copy"))) {
      assertThat(copy.sourcePositions()).isEqualTo(Map.of("a", "1", "b", "3"));
    }
  }

  /** Else it would be written, and could not be published. */
  @Test
  void mayNotBeTooLongForAManifest() throws IOException {
    String longest = "x".repeat(1 << 20);
    try (WritableTable table = open()) {
      table.write(new WriteBatch().position("a", longest));
      table.publish();
    }
    assertThat(published()).isEqualTo(Map.of("a", longest));
    assertThatThrownBy(() -> new WriteBatch().position("a", longest + "x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "position of a source too long: source='a' expected<=1048576 bytes actual=1048577");
  }

  @Test
  void needAName() {
    assertThatThrownBy(() -> new WriteBatch().position("", "1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("key length");
  }
}
