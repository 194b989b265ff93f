package io.bsdb.live;

import static io.bsdb.testkit.Utf8.bytes;
import static io.bsdb.testkit.Utf8.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.segment.LogSegment;
import io.bsdb.reader.ClosedReaderException;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.table.Table;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cursors over a table that is written, published and folded meanwhile. */
class LiveCursorTest {
  private static final int SEGMENT_LENGTH = 2048;

  /** That are written before the next publication: some hundred files of the log. */
  private static final int BATCHES = 1000;

  @TempDir Path directory;

  @AfterEach
  void nothingStaysMapped() {
    assertThat(FileMemory.openCount()).isZero();
  }

  private WritableTable open(Durability durability) throws IOException {
    return LiveTable.open(
        directory,
        WritableOptions.defaults().withDurability(durability),
        Places.onDisk(
            SEGMENT_LENGTH,
            LiveTable.Place.WHEN_ASKED,
            Duration.ofDays(1))); // no frames in the log but those of changes
  }

  private void put(WritableTable table, Map<String, String> model, String key, String value)
      throws IOException {
    table.put(bytes(key), bytes(value));
    model.put(key, value);
  }

  /** Base, published changes, and changes in many files of the log. */
  private Map<String, String> fill(WritableTable table) throws IOException {
    Map<String, String> model = new HashMap<>();
    for (int i = 0; i < 300; i++) {
      put(table, model, "key" + i, "folded" + i);
    }
    table.compact();
    for (int i = 0; i < 300; i += 2) {
      put(table, model, "key" + i, "published" + i);
    }
    table.publish();
    for (int i = 0; i < 300; i += 3) {
      put(table, model, "key" + i, "logged");
      put(table, model, "key" + i, "logged" + i);
      put(table, model, "new" + i, "logged" + i);
    }
    for (int i = 0; i < 300; i += 5) {
      table.delete(bytes("key" + i));
      model.remove("key" + i);
    }
    return model;
  }

  @ParameterizedTest
  @EnumSource(Durability.class)
  void seesTheTableAsItWasWhenItWasOpened(Durability durability) throws IOException {
    try (WritableTable table = open(durability)) {
      Map<String, String> model = fill(table);
      String version = Table.at(directory).currentVersion();
      try (RecordCursor before = table.cursor();
          RecordCursor begun = table.cursor()) {
        assertThat(Table.at(directory).currentVersion()).isEqualTo(version);
        assertThat(begun.next()).isTrue();
        for (int i = 0; i < 300; i++) {
          table.put(bytes("key" + i), bytes("later"));
          table.delete(bytes("new" + i));
        }
        table.compact();
        Table.at(directory).prune(1);
        for (int i = 0; i < 300; i++) {
          table.put(bytes("later" + i), bytes("later"));
        }
        table.compact();
        assertThat(Contents.rest(before)).isEqualTo(model);
        String first = text(begun.key());
        assertThat(text(begun.value())).isEqualTo(model.remove(first));
        assertThat(Contents.rest(begun)).isEqualTo(model);
      }
    }
  }

  @Test
  void seesTheLogAloneWhereThereIsNoVersion() throws IOException {
    try (WritableTable table = open(Durability.OS)) {
      try (RecordCursor cursor = table.cursor()) {
        assertThat(Contents.rest(cursor)).isEmpty();
      }
      table.put(bytes("a"), bytes("1"));
      try (RecordCursor cursor = table.cursor()) {
        assertThat(Contents.rest(cursor)).isEqualTo(Map.of("a", "1"));
        assertThat(cursor.next()).isFalse();
      }
      assertThat(Table.at(directory).currentVersion()).isNull();
    }
  }

  @Test
  void canBeClosedAmidALookup() throws IOException {
    try (WritableTable table = open(Durability.OS)) {
      fill(table);
      RecordCursor cursor = table.cursor();
      table.compact(); // the cursor alone holds its version
      Object found =
          table.get(
              bytes("key1"),
              (key, value, offset, length) -> {
                cursor.close();
                return "closed";
              });
      assertThat(found).isEqualTo("closed");
    }
  }

  @Test
  void outlivesTheTable() throws IOException {
    WritableTable table = open(Durability.OS);
    Map<String, String> model = fill(table);
    RecordCursor cursor = table.cursor();
    table.close();
    assertThat(Contents.rest(cursor)).isEqualTo(model);
    cursor.close();
    cursor.close();
    assertThatThrownBy(cursor::next).isInstanceOf(ClosedReaderException.class);
    assertThatThrownBy(cursor::key).isInstanceOf(ClosedReaderException.class);
    assertThatThrownBy(cursor::value).isInstanceOf(ClosedReaderException.class);
  }

  /** Of each frame of the log, whether it is the next one or not. */
  @Test
  void refusesAFrameThatIsDamagedBelowIt() throws IOException {
    List<LogPosition> frames = new ArrayList<>();
    try (WritableTable table = open(Durability.OS);
        ChangeReader reader = ChangeReader.from(directory, "frames", LogPosition.START)) {
      for (int i = 0; i < 40; i++) {
        table.put(bytes("key" + i), new byte[100]);
      }
      table.sync();
      LogPosition before = new LogPosition(1, LogSegment.FIRST_FRAME);
      while (reader.next()) {
        LogPosition after = reader.position();
        if (after.segment() == before.segment() && before.offset() > LogSegment.FIRST_FRAME) {
          frames.add(before);
        }
        before = after;
      }
      assertThat(before.segment()).isGreaterThan(1);
      assertThat(frames).hasSizeGreaterThan(20);
      for (LogPosition frame : frames) {
        damageBelowACursor(table, frame);
      }
    }
  }

  private void damageBelowACursor(WritableTable table, LogPosition frame) throws IOException {
    Path file = directory.resolve("log/%010d.log".formatted(frame.segment()));
    long valueOf = frame.offset() + 100;
    try (RecordCursor cursor = table.cursor();
        FileChannel log = FileChannel.open(file, StandardOpenOption.WRITE)) {
      log.write(ByteBuffer.wrap(new byte[] {1}), valueOf);
      assertThatThrownBy(() -> Contents.rest(cursor))
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessageContaining("file=%s offset=%d".formatted(file, frame.offset()));
      log.write(ByteBuffer.wrap(new byte[] {0}), valueOf);
    }
    try (RecordCursor cursor = table.cursor()) {
      assertThat(Contents.rest(cursor)).hasSize(40);
    }
  }

  @Test
  void opensOverALogThatWasReplayed() throws IOException {
    Map<String, String> model;
    Records.of("base", "0").publish(directory, WriterOptions.defaults());
    try (WritableTable table = open(Durability.COMMIT)) {
      model = fill(table);
    }
    model.put("base", "0");
    try (WritableTable table = open(Durability.COMMIT);
        RecordCursor cursor = table.cursor()) {
      assertThat(Contents.rest(cursor)).isEqualTo(model);
    }
  }

  /** Each batch gives all keys the same value, which never goes back. */
  @ParameterizedTest
  @EnumSource(Durability.class)
  void seesWholeBatchesWhileOthersWriteAndPublish(Durability durability) throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    Semaphore batches = new Semaphore(BATCHES); // else the log may be full before it is published
    try (WritableTable table = open(durability);
        Watchdog watchdog = new Watchdog(60)) {
      Callable<Void> writes =
          () -> {
            for (int i = 0; !done.get(); i++) {
              batches.acquire();
              WriteBatch batch = new WriteBatch();
              for (int key = 0; key < 20; key++) {
                batch.put(bytes("key" + key), bytes(Integer.toString(i)));
              }
              table.write(batch);
            }
            return null;
          };
      Callable<Void> publications =
          () -> {
            for (int i = 0; !done.get(); i++) {
              if (i % 4 == 0) {
                table.compact();
              } else {
                table.publish();
              }
              batches.drainPermits();
              batches.release(BATCHES);
            }
            batches.release();
            return null;
          };
      Callable<Void> reads =
          () -> {
            try {
              int last = -1;
              for (int i = 0; i < 50; i++) {
                try (RecordCursor cursor = table.cursor()) {
                  Map<String, String> content = Contents.rest(cursor);
                  assertThat(content).hasSize(last < 0 && content.isEmpty() ? 0 : 20);
                  Set<String> values = Set.copyOf(content.values());
                  assertThat(values).hasSizeLessThan(2);
                  for (String value : values) {
                    assertThat(Integer.parseInt(value)).isGreaterThanOrEqualTo(last);
                    last = Integer.parseInt(value);
                  }
                }
              }
            } finally {
              done.set(true);
            }
            return null;
          };
      watchdog.run(List.of(reads, writes, publications));
    }
  }
}
