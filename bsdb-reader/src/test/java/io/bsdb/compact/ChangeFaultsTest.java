package io.bsdb.compact;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.Contents;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.table.Build;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.testkit.FaultyStorage;
import io.bsdb.testkit.InMemory;
import io.bsdb.testkit.Records;
import io.bsdb.writer.BuildWorker;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotPublisher;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Changes, compactions and builds under changes that fail or are killed at each operation. */
class ChangeFaultsTest {
  private static final int KEYS = 30;
  private static final WriterOptions OPTIONS = WriterOptions.builder().partitions(2).build();

  @TempDir(factory = InMemory.class)
  private Path directory;

  /** Counts operations, and lets one fail, or it and all that follow. */
  private static final class Faults implements FaultyStorage.Fault {
    private final int failing;
    private final After after;
    private int operations;

    Faults(int failing, After after) {
      this.failing = failing;
      this.after = after;
    }

    @Override
    public void before(String operation, String path) throws IOException {
      operations++;
      if (operations == failing || (after == After.DEAD && operations > failing)) {
        throw new IOException("No space left on device: %s %s".formatted(operation, path));
      }
    }

    boolean reached() {
      return operations >= failing;
    }
  }

  /** What operations do after the one that failed. */
  private enum After {
    ALIVE,
    DEAD
  }

  private Table table() {
    return Table.at(directory);
  }

  private Map<String, String> build() throws IOException {
    Map<String, String> content = new HashMap<>();
    for (int i = 0; i < KEYS; i++) {
      content.put("k" + i, "base");
    }
    Records.of(content).publish(directory, OPTIONS);
    return content;
  }

  private static void change(Table table, String value, Map<String, String> content)
      throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(table)) {
      for (int i = 0; i < KEYS; i += 3) {
        writer.put(bytes("k" + i), bytes(value + i));
        content.put("k" + i, value + i);
        writer.delete(bytes("k" + (i + 1)));
        content.remove("k" + (i + 1));
      }
      writer.publish();
    }
  }

  @ParameterizedTest
  @EnumSource(After.class)
  void aDeltaIsPublishedAsAWholeOrNotAtAll(After after) throws IOException {
    Map<String, String> before = build();
    boolean reached = true;
    for (int n = 1; reached; n++) {
      Faults faults = new Faults(n, after);
      Map<String, String> next = new HashMap<>(before);
      Table faulty = Table.of(new FaultyStorage(table().storage(), faults));
      try {
        change(faulty, "v" + n + "-", next);
        assertThat(faults.reached()).as("operation %d", n).isFalse();
      } catch (IOException e) {
        assertThat(e).hasStackTraceContaining("No space left on device");
      }
      reached = faults.reached();
      Map<String, String> now = Contents.verified(directory);
      assertThat(now).as("operation %d", n).isIn(before, next);
      before = now;
    }
    change(table(), "last", before);
    assertThat(Contents.verified(directory)).isEqualTo(before);
    new Compactor(directory).foldFraction(0).keepHistory(Duration.ZERO).run();
    table().prune(1);
    assertThat(Contents.verified(directory)).isEqualTo(before);
  }

  /** Maintains a table; {@code n} counts the runs from 1. */
  private interface Upkeep {
    void run(Table table, int n) throws IOException;
  }

  /** Lets each operation fail after some changes; {@code next} goes on from there. */
  private void requireTheSameAnswers(
      After after, Map<String, String> content, List<String> changes, Upkeep upkeep, Upkeep next)
      throws IOException {
    boolean reached = true;
    for (int n = 1; reached; n++) {
      for (String value : changes) {
        change(table(), value + n, content);
      }
      Faults faults = new Faults(n, after);
      try {
        upkeep.run(Table.of(new FaultyStorage(table().storage(), faults)), n);
      } catch (IOException e) {
        assertThat(e).hasStackTraceContaining("No space left on device");
      }
      reached = faults.reached();
      assertThat(Contents.verified(directory)).as("operation %d", n).isEqualTo(content);
      next.run(table(), n);
      assertThat(Contents.verified(directory)).as("after operation %d", n).isEqualTo(content);
    }
    table().prune(1);
    table().sweep(Duration.ZERO);
    assertThat(Contents.verified(directory)).isEqualTo(content);
  }

  @ParameterizedTest
  @CsvSource({"ALIVE, 0", "ALIVE, 100", "DEAD, 0", "DEAD, 100"})
  void aCompactionChangesNoAnswer(After after, double fraction) throws IOException {
    requireTheSameAnswers(
        after,
        build(),
        List.of("a", "b"),
        (table, n) -> new Compactor(directory, table).foldFraction(fraction).maxSegments(1).run(),
        (table, n) -> {});
  }

  /** Merges as the committer of a stream does. */
  @ParameterizedTest
  @EnumSource(After.class)
  void aMergeChangesNoAnswer(After after, @TempDir(factory = InMemory.class) Path copies)
      throws IOException {
    Upkeep merge = (table, n) -> new StreamUpkeep(table, copies, 1).merge();
    requireTheSameAnswers(after, build(), List.of("a", "b"), merge, merge);
  }

  /** Folds as the committer of a stream does. */
  @ParameterizedTest
  @EnumSource(After.class)
  void aFoldThroughCopiesChangesNoAnswer(
      After after, @TempDir(factory = InMemory.class) Path temporary) throws IOException {
    Upkeep fold =
        (table, n) -> new StreamUpkeep(table, Files.createTempDirectory(temporary, "")).foldAll();
    requireTheSameAnswers(after, build(), List.of("a"), fold, fold);
  }

  @ParameterizedTest
  @EnumSource(After.class)
  void aBuildUnderChangesLosesNone(After after) throws IOException {
    Map<String, String> content = build();
    boolean reached = true;
    for (int n = 1; reached; n++) {
      Faults faults = new Faults(n, after);
      Table faulty = Table.of(new FaultyStorage(table().storage(), faults));
      Map<String, String> then = Contents.verified(directory);
      try {
        Build build = faulty.beginAsOf(table().requireCurrentVersion());
        try (BuildWorker worker =
            BuildWorker.create(faulty, build, 2, "w", directory.resolve("spill" + n), OPTIONS)) {
          for (Map.Entry<String, String> entry : then.entrySet()) {
            worker.add(bytes(entry.getKey()), bytes(entry.getValue()));
          }
          change(table(), "v" + n, content);
          new Compactor(directory).foldFraction(0).run();
          SnapshotPublisher.publish(faulty, build, 2, worker.finish(), OPTIONS);
        }
      } catch (PublishConflictException e) {
        // The version before was complete, and the process ended before it came into service.
        assertThat(e).hasMessageContaining("a publication was killed");
        assertThat(after).isEqualTo(After.DEAD);
      } catch (IOException e) {
        assertThat(e).hasStackTraceContaining("No space left on device");
      }
      reached = faults.reached();
      assertThat(Contents.verified(directory)).as("operation %d", n).isEqualTo(content);
    }
  }

  @Test
  void changesOfKeysThatAreNotThere() throws IOException {
    Map<String, String> content = build();
    try (DeltaWriter writer = DeltaWriter.create(table())) {
      writer.delete(bytes("never"));
      writer.put(bytes("new"), bytes("v"));
      writer.delete(bytes("gone"));
      writer.put(bytes("gone"), bytes("back"));
      writer.put(bytes("k1"), bytes("1"));
      writer.delete(bytes("k1"));
      writer.publish();
    }
    content.put("new", "v");
    content.put("gone", "back");
    content.remove("k1");
    assertThat(Contents.verified(directory)).isEqualTo(content);
    new Compactor(directory).foldFraction(0).run();
    assertThat(Contents.verified(directory)).isEqualTo(content);
  }

  @Test
  void refusesNullsAndLengthsBeyondTheLimits() throws IOException {
    build();
    try (DeltaWriter writer = DeltaWriter.create(table())) {
      for (int length : List.of(0, 65_536)) {
        assertThatThrownBy(() -> writer.put(new byte[length], bytes("v")))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("key length out of range: expected 1 to 65535, actual " + length);
        assertThatThrownBy(() -> writer.delete(new byte[length]))
            .isInstanceOf(IllegalArgumentException.class);
      }
      assertThatThrownBy(() -> writer.put(null, bytes("v")))
          .isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> writer.put(bytes("k1"), null))
          .isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> writer.delete(null)).isInstanceOf(NullPointerException.class);
      byte[] longest = new byte[65_535];
      writer.put(longest, new byte[1 << 20]);
      writer.delete(bytes("k1"));
      writer.publish();
      try (SnapshotReader reader = SnapshotReader.open(directory)) {
        assertThat(reader.get(longest)).hasSize(1 << 20);
        assertThat(reader.get(bytes("k1"))).isNull();
      }
    }
  }
}
