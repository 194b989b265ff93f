package io.bsdb.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.live.log.LogDirectory;
import io.bsdb.reader.RecordCursor;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Threads that are interrupted learn what did not happen, and the table works on. */
@Tag("optimized")
class InterruptedTableTest {
  private static final byte[] KEY = {1};

  @TempDir Path temporary;
  private Path directory;

  @BeforeEach
  void choose() {
    directory = temporary.resolve("t");
  }

  @AfterEach
  void clearInterrupt() {
    Thread.interrupted();
  }

  private void assertInterrupted(String step, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(InterruptedIOException.class)
        .hasMessage(
            "interrupted while %s: table=%s; what was written to the table is still there, published or in its log; try again",
            step, directory);
    assertThat(Thread.interrupted()).as("the interrupt status stays").isTrue();
  }

  @Test
  void isNotOpened() throws IOException {
    LiveTable.Place interrupting =
        new LiveTable.Place(
            LogDirectory::new,
            root -> CrashingTable.of(root, (step, file) -> Thread.currentThread().interrupt()),
            1 << 16,
            LiveTable.PUBLISHED_SEGMENTS);
    try (WritableTable table = WritableTable.open(directory)) {
      table.put(KEY, KEY);
    }
    assertInterrupted(
        "opening it",
        () -> LiveTable.open(directory, WritableOptions.defaults(), interrupting).close());
    try (WritableTable table = WritableTable.open(directory)) {
      assertThat(table.get(KEY)).isEqualTo(KEY);
    }
  }

  @Test
  void publishesAgain() throws IOException {
    try (WritableTable table = WritableTable.open(directory)) {
      for (byte i = 0; i < 3; i++) {
        table.put(new byte[] {i}, KEY);
        assertInterrupted(
            "publishing",
            () -> {
              Thread.currentThread().interrupt();
              table.publish();
            });
        assertThat(table.get(new byte[] {i})).isEqualTo(KEY);
        table.publish();
        assertThat(table.stats().memory().logKeys()).isZero();
      }
    }
  }

  @Test
  void foldsAndCopiesAgain() throws IOException {
    Path copy = temporary.resolve("copy");
    try (WritableTable table = WritableTable.open(directory)) {
      table.put(KEY, KEY);
      assertInterrupted(
          "folding",
          () -> {
            Thread.currentThread().interrupt();
            table.compact();
          });
      assertInterrupted(
          "copying it",
          () -> {
            Thread.currentThread().interrupt();
            table.checkpoint(copy);
          });
      table.compact();
      table.checkpoint(copy);
    }
    try (WritableTable table = WritableTable.open(copy)) {
      assertThat(table.get(KEY)).isEqualTo(KEY);
    }
  }

  @Test
  void opensACursorAgain() throws IOException {
    try (WritableTable table = WritableTable.open(directory)) {
      table.put(KEY, KEY);
      assertInterrupted(
          "opening a cursor",
          () -> {
            Thread.currentThread().interrupt();
            table.cursor().close();
          });
      try (RecordCursor cursor = table.cursor()) {
        assertThat(cursor.next()).isTrue();
      }
    }
  }
}
