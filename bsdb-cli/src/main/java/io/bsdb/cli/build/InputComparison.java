package io.bsdb.cli.build;

import io.bsdb.cli.input.BadLines;
import io.bsdb.cli.input.Inputs;
import io.bsdb.cli.input.RecordFormat;
import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.Progress;
import io.bsdb.cli.table.Interruption;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.writer.options.Duplicates;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Reads the inputs of a build again, and looks every record of theirs up in what was built. */
final class InputComparison {
  private final Inputs inputs;
  private final RecordFormat format;
  private final Duplicates duplicates;
  private final SnapshotReader reader;
  private final Interruption interruption;
  private final Console console;

  /** Lines by key whose values the snapshot does not have: those of other lines, it must have. */
  private final Map<ByteBuffer, Long> replaced = new HashMap<>();

  private long count;

  InputComparison(
      Inputs inputs,
      RecordFormat format,
      Duplicates duplicates,
      SnapshotReader reader,
      Interruption interruption,
      Console console) {
    this.inputs = inputs;
    this.format = format;
    this.duplicates = duplicates;
    this.reader = reader.allVersions();
    this.interruption = interruption;
    this.console = console;
  }

  /**
   * Compares.
   *
   * @throws CommandFailure naming the first line whose record is not in the snapshot as it should
   *     be
   */
  void compare() throws IOException {
    compareAll();
    compareReplaced();
    compareCounts();
  }

  private void compareAll() throws IOException {
    try (Progress progress =
        Progress.start(console, "comparing", inputs.length(), Progress.Unit.BYTES)) {
      AtomicLong records = progress.records();
      read(
          progress.position(),
          (key, keyOffset, keyLength, value, valueOffset, valueLength, line) -> {
            byte[] asked = Arrays.copyOfRange(key, keyOffset, keyOffset + keyLength);
            byte[] found = reader.get(asked);
            if (found == null) {
              throw differs(asked, line, "it is not in the table");
            }
            if (!Arrays.equals(
                found, 0, found.length, value, valueOffset, valueOffset + valueLength)) {
              if (duplicates == Duplicates.FAIL) {
                throw differs(asked, line, difference(found, value, valueOffset, valueLength));
              }
              replaced.put(ByteBuffer.wrap(asked), line);
            }
            records.lazySet(++count);
          });
    }
  }

  /** A key that came with several values must have the first or the last one in the table. */
  private void compareReplaced() throws IOException {
    if (replaced.isEmpty()) {
      return;
    }
    Map<ByteBuffer, Boolean> kept = new HashMap<>();
    read(
        new AtomicLong(),
        (key, keyOffset, keyLength, value, valueOffset, valueLength, line) -> {
          byte[] asked = Arrays.copyOfRange(key, keyOffset, keyOffset + keyLength);
          ByteBuffer wrapped = ByteBuffer.wrap(asked);
          if (replaced.containsKey(wrapped)
              && (duplicates == Duplicates.LAST || !kept.containsKey(wrapped))) {
            byte @Nullable [] found = reader.get(asked);
            kept.put(
                wrapped,
                found != null
                    && Arrays.equals(
                        found, 0, found.length, value, valueOffset, valueOffset + valueLength));
            replaced.put(wrapped, line);
          }
        });
    kept.forEach(
        (key, same) -> {
          if (!same) {
            byte[] bytes = new byte[key.remaining()];
            key.duplicate().get(bytes);
            throw differs(bytes, replaced.get(key), "the table has another value");
          }
        });
  }

  private void compareCounts() throws IOException {
    long built = records();
    boolean fits = duplicates == Duplicates.FAIL ? built == count : built <= count;
    if (!fits) {
      throw CommandFailure.refused(
          "the table has %,d records, the inputs have %,d".formatted(built, count));
    }
  }

  /**
   * Returns the number of records of the table; with changes over its base, counts them in a scan.
   */
  private long records() throws IOException {
    if (!reader.manifest().hasChanges()) {
      return reader.manifest().recordCount();
    }
    long records = 0;
    try (RecordCursor cursor = reader.scan()) {
      while (cursor.next()) {
        records++;
      }
    }
    return records;
  }

  private void read(AtomicLong stored, RecordFormat.Sink sink) throws IOException {
    inputs.read(
        format,
        stored,
        (key, keyOffset, keyLength, value, valueOffset, valueLength, line) -> {
          interruption.check();
          sink.add(key, keyOffset, keyLength, value, valueOffset, valueLength, line);
        },
        BadLines.ignored(console));
  }

  private CommandFailure differs(byte[] key, @Nullable Long line, String how) {
    return CommandFailure.refused(
        "line %,d, key '%s': %s (did the input change?)"
            .formatted(line, format.describe(key), how));
  }

  private static String difference(byte[] found, byte[] value, int offset, int length) {
    int at = Arrays.mismatch(found, 0, found.length, value, offset, offset + length);
    return "the values differ from byte %,d on: table=%,d bytes input=%,d bytes"
        .formatted(at, found.length, length);
  }
}
