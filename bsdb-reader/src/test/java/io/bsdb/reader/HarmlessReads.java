package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.UnsupportedVersionException;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import java.io.IOException;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * Every way to read a table that somebody may have forged: answers may be anything, but nothing
 * goes beyond an exception of ours.
 */
final class HarmlessReads {
  private HarmlessReads() {}

  private interface Read {
    Object run() throws IOException;
  }

  /** Reads with default options. */
  static void of(Path table, TestData data, String what) throws IOException {
    of(table, data, ReaderOptions.defaults(), what);
  }

  /**
   * Reads all there is.
   *
   * @param data what the table held before it was forged
   */
  static void of(Path table, TestData data, ReaderOptions options, String what) throws IOException {
    try (SnapshotReader reader = SnapshotReader.open(table, options)) {
      List<byte[]> keys = data.keys().subList(0, Math.min(20, data.count()));
      for (byte[] key : keys) {
        harmless(what, () -> reader.get(key));
      }
      harmless(what, () -> reader.get(keys.get(0), ByteBuffer.allocate(1 << 10)));
      harmless(what, () -> reader.getAll(keys));
      harmless(what, () -> reader.getAll(data.absentKeys(4)));
      harmless(what, () -> walk(reader.scan(), reader, data));
      if (reader.manifest().order() == RecordOrder.KEY) {
        for (int i = 0; i < keys.size(); i += 20) {
          near(what, reader, keys.get(i), data);
        }
        for (byte[] key : data.absentKeys(1)) {
          near(what, reader, key, data);
        }
      }
    } catch (Throwable e) {
      assertRefusal(what, e);
    }
    Path snapshots = table.resolve("snapshots");
    String version = Table.at(table).requireCurrentVersion();
    harmless(what, () -> SnapshotVerifier.verify(snapshots.resolve(version)));
  }

  private static void near(String what, SnapshotReader reader, byte[] key, TestData data) {
    OrderedReader ordered = reader.ordered();
    harmless(what, () -> ordered.floor(key));
    harmless(what, () -> ordered.higher(key));
    harmless(what, () -> ordered.longestPrefix(key));
    KeyRange range = KeyRange.all().from(key);
    harmless(what, () -> walk(ordered.range(range), reader, data));
    harmless(what, () -> walk(ordered.range(KeyRange.all().before(key).reversed()), reader, data));
  }

  private static int walk(RecordCursor walk, SnapshotReader reader, TestData data)
      throws IOException {
    int records = 0;
    try (RecordCursor cursor = walk) {
      while (cursor.next()) {
        cursor.value();
        try {
          cursor.key();
        } catch (UnsupportedOperationException keysAreOmitted) {
          assertThat(keysAreOmitted).hasMessageStartingWith("an approximate snapshot stores no");
        }
        records++;
      }
    }
    if (records > reader.manifest().recordCount() + data.count()) {
      throw new AssertionError("more records than there are: " + records);
    }
    return records;
  }

  private static void harmless(String what, Read read) {
    try {
      read.run();
    } catch (BufferOverflowException valueIsLonger) {
      // the caller's buffer is short: no fault of the reader
    } catch (Throwable e) {
      assertRefusal(what, e);
    }
  }

  private static void assertRefusal(String what, Throwable e) {
    if (!(e instanceof CorruptSnapshotException || e instanceof UnsupportedVersionException)) {
      throw new AssertionError(what, e);
    }
    // A forged manifest may have null in place of a number, which its message then shows.
    assertThat(e.getMessage()).as(what).doesNotMatch("(?s).*own bytes: .*null");
  }
}
