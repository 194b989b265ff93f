package io.bsdb.live;

import static io.bsdb.testkit.Utf8.bytes;
import static io.bsdb.testkit.Utf8.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.ClosedReaderException;
import io.bsdb.reader.io.FileMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChangeReaderTest {
  private static final int SEGMENT_LENGTH = 1 << 12;

  @TempDir Path directory;

  @AfterEach
  void nothingLeaks() {
    assertThat(FileMemory.openCount()).isZero();
  }

  private Path table() {
    return directory.resolve("table");
  }

  private WritableTable open() throws IOException {
    return LiveTable.open(
        table(),
        WritableOptions.defaults().withDurability(Durability.OS),
        Places.onDisk(SEGMENT_LENGTH, LiveTable.PUBLISHED_SEGMENTS, Duration.ofDays(1)));
  }

  /** Applies all that is durable. */
  private static void replay(ChangeReader reader, Map<String, String> replica) throws IOException {
    while (reader.next()) {
      String key = text(reader.key());
      byte[] value = reader.value();
      if (value == null) {
        replica.remove(key);
      } else {
        replica.put(key, text(value));
      }
    }
  }

  @Test
  void aReplicaFollowsACheckpointThroughReopeningAndFolding() throws IOException {
    long seed = System.nanoTime();
    System.out.println("seed of the changes: " + seed);
    Random random = new Random(seed);
    Map<String, String> model = new HashMap<>();
    Map<String, String> replica = new HashMap<>();
    LogPosition position = LogPosition.START;
    for (int round = 0; round < 6; round++) {
      try (WritableTable table = open();
          ChangeReader reader = ChangeReader.from(table(), "replica", position)) {
        if (round == 3) {
          Path copy = directory.resolve("copy");
          position = table.checkpoint(copy);
          replica = Contents.of(copy);
          assertThat(replica).isEqualTo(model);
        }
        ChangeReader followed =
            round == 3 ? ChangeReader.from(table(), "replica", position) : reader;
        try (followed) {
          for (int i = 0; i < 60; i++) {
            String key = "key" + random.nextInt(100);
            if (random.nextInt(3) == 0) {
              table.delete(bytes(key));
              model.remove(key);
            } else {
              table.put(bytes(key), bytes("value" + i));
              model.put(key, "value" + i);
            }
            if (random.nextInt(10) == 0) {
              replay(followed, replica);
              followed.acknowledge();
            }
            if (random.nextInt(40) == 0) {
              table.compact();
            }
          }
          table.close();
          replay(followed, replica);
          assertThat(replica).as("seed %d round %d", seed, round).isEqualTo(model);
          followed.acknowledge();
          position = followed.position();
        }
      }
    }
    assertThat(LogPosition.parse(position.toString())).isEqualTo(position);
  }

  @Test
  void isNotHandedWhatIsNotDurable() throws IOException {
    try (WritableTable table = open();
        ChangeReader reader = ChangeReader.from(table(), "replica", LogPosition.START)) {
      table.put(bytes("a"), bytes("1"));
      table.put(bytes("b"), bytes("2"));
      table.sync();
      table.put(bytes("c"), bytes("3"));
      List<String> keys = new ArrayList<>();
      while (reader.next()) {
        assertThat(reader.isLast()).isTrue();
        keys.add(text(reader.key()));
      }
      assertThat(keys).startsWith("a", "b").doesNotContain("c");
      table.publish();
      while (reader.next()) {
        keys.add(text(reader.key()));
      }
      assertThat(keys).containsExactly("a", "b", "c");
    }
  }

  @Test
  void holdsTheLogBackUntilItAcknowledgesOrTheLimitIsReached() throws IOException {
    try (WritableTable table = open();
        ChangeReader reader = ChangeReader.from(table(), "replica", LogPosition.START)) {
      table.put(bytes("first"), bytes("1"));
      for (int i = 0; i < 4; i++) {
        table.put(bytes("key" + i), new byte[3_000]);
        table.publish();
      }
    }
    assertThat(logs()).isGreaterThan(4);
    try (WritableTable table = open();
        ChangeReader reader = ChangeReader.from(table(), "replica", LogPosition.START)) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.key()).isEqualTo(bytes("first"));
      while (reader.next()) {}
      reader.acknowledge();
    }
    open().close();
    assertThat(logs()).isLessThanOrEqualTo(3);
    try (WritableTable table = open();
        ChangeReader late = ChangeReader.from(table(), "late", LogPosition.START)) {
      assertThat(late).isNull();
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("have been deleted").hasMessageContaining("position=0/0");
    }
    ChangeReader.forget(table(), "replica");
    ChangeReader.forget(table(), "late");
  }

  @Test
  void failsAfterItsClose() throws IOException {
    try (WritableTable table = open()) {
      ChangeReader reader = ChangeReader.from(table(), "replica", LogPosition.START);
      table.put(bytes("a"), bytes("1"));
      table.publish();
      reader.close();
      assertThatThrownBy(reader::next)
          .isInstanceOf(ClosedReaderException.class)
          .hasMessageContaining("follower of the log");
      assertThatThrownBy(reader::key).hasMessageContaining("on no change");
    }
  }

  @Test
  void saysWhatIsNoPositionAndNoTable() throws IOException {
    open().close();
    assertThatThrownBy(
            () -> ChangeReader.from(directory.resolve("none"), "replica", LogPosition.START))
        .hasMessageContaining("not a writable table");
    assertThatThrownBy(() -> ChangeReader.from(table(), "../x", LogPosition.START))
        .hasMessageContaining("name of a follower");
    assertThatThrownBy(() -> ChangeReader.from(table(), "replica", new LogPosition(1, 77)))
        .hasMessageContaining("not the end of a frame");
    ChangeReader.from(table(), "replica", LogPosition.START).close();
    for (LogPosition wrong :
        List.of(new LogPosition(1, 77), new LogPosition(1, 1L << 40), new LogPosition(9, 128))) {
      assertThatThrownBy(() -> ChangeReader.from(table(), "replica", wrong))
          .hasMessageContaining(wrong.segment() == 1 ? "not the end of a frame" : "position=9/128");
      assertThat(table().resolve("log/replica.follower")).as("what it needs").hasContent("0/0");
    }
    assertThatThrownBy(() -> LogPosition.parse("1-2")).hasMessageContaining("like 17/4096");
  }

  private long logs() throws IOException {
    try (Stream<Path> files = Files.list(table().resolve("log"))) {
      return files.filter(file -> file.toString().endsWith(".log")).count();
    }
  }
}
