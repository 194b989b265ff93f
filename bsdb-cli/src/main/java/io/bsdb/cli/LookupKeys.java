package io.bsdb.cli;

import io.bsdb.cli.input.Lines;
import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Encoding;
import io.bsdb.cli.output.RecordText;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Keys to look up, in order, and what is known of their values. Immutable. */
final class LookupKeys {
  /** Most that are held: with 20-byte keys some 60 MiB. */
  static final int MAXIMUM = 1 << 20;

  private static final long SEED = 42;
  private static final int TRIES = 100;

  /** Bytes of a value that a sample has at least, if there are so many. */
  private static final int SAMPLED = 16;

  /** The value that a key should find. */
  private enum Answer {
    ANY,
    ABSENT,
    VALUE
  }

  /** A key, and the digests of its value and of a sample of it, if that is known. */
  private static final class Entry {
    private final byte[] key;
    private final Answer answer;
    private final int digest;
    private final int sample;

    Entry(byte[] key, Answer answer, int digest, int sample) {
      this.key = key;
      this.answer = answer;
      this.digest = digest;
      this.sample = sample;
    }
  }

  private final List<Entry> entries;

  private LookupKeys(List<Entry> entries) {
    this.entries = entries;
  }

  /** Returns the keys of a file, one per line, in its order. What they find is not known. */
  static LookupKeys ofFile(Path file, RecordText text) throws IOException {
    List<Entry> entries = new ArrayList<>();
    try (InputStream in = Files.newInputStream(file)) {
      Lines.read(
          in,
          file.toString(),
          (bytes, start, end, number) -> {
            if (entries.size() < MAXIMUM) {
              String line = new String(bytes, start, end - start, StandardCharsets.UTF_8);
              entries.add(new Entry(text.parseKey(line), Answer.ANY, 0, 0));
            }
          });
    }
    if (entries.isEmpty()) {
      throw CommandFailure.refused("no keys in " + file + "; it should hold one per line");
    }
    return new LookupKeys(entries);
  }

  /**
   * Returns keys of a table's records, drawn from everywhere in it alike, in random order. Reads
   * all of the table.
   *
   * @param absentPercent share of keys to replace by random ones, as long, that no record has
   */
  static LookupKeys ofTable(SnapshotReader reader, int absentPercent) throws IOException {
    // A reservoir: the number of records is known only after a scan if there are changes. Drawing
    // at
    // a fixed step could follow a rhythm of the blocks.
    SplittableRandom random = new SplittableRandom(SEED);
    List<Entry> entries = new ArrayList<>();
    try (RecordCursor cursor = reader.scan()) {
      for (long scanned = 1; cursor.next(); scanned++) {
        long place = scanned <= MAXIMUM ? entries.size() : random.nextLong(scanned);
        if (place < MAXIMUM) {
          byte[] value = cursor.value();
          Entry entry =
              new Entry(cursor.key(), Answer.VALUE, Arrays.hashCode(value), sample(value));
          if (place == entries.size()) {
            entries.add(entry);
          } else {
            entries.set((int) place, entry);
          }
        }
      }
    } catch (UnsupportedOperationException e) {
      throw CommandFailure.refused(
          "the table is approximate and stores no keys; name some with --keys");
    }
    if (entries.isEmpty()) {
      throw CommandFailure.refused("the table has no records; name keys with --keys");
    }
    Collections.shuffle(entries, new Random(SEED));
    int absent = (int) ((long) entries.size() * absentPercent / 100);
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      // Copies lie in memory as they are asked for. Else each question would cost cache misses too.
      entries.set(
          i,
          i < absent
              ? new Entry(absentKey(reader, entry.key.length, random), Answer.ABSENT, 0, 0)
              : new Entry(entry.key.clone(), Answer.VALUE, entry.digest, entry.sample));
    }
    Collections.shuffle(entries, new Random(SEED));
    return new LookupKeys(entries);
  }

  private static byte[] absentKey(SnapshotReader reader, int length, SplittableRandom random)
      throws IOException {
    byte[] key = new byte[length];
    for (int tries = 0; tries < TRIES; tries++) {
      random.nextBytes(key);
      if (reader.get(key) == null) {
        return key;
      }
    }
    throw CommandFailure.refused(
        "--absent: nearly every key of %d bytes is in the table".formatted(length));
  }

  private static int sample(byte[] value) {
    int step = Math.max(1, value.length / SAMPLED);
    int sample = value.length;
    for (int i = 0; i < value.length; i += step) {
      sample = 31 * sample + value[i];
    }
    return sample;
  }

  int size() {
    return entries.size();
  }

  private Entry entry(int position) {
    return entries.get(position % entries.size());
  }

  /** Returns the key at a position, which may be any number: after the last comes the first. */
  byte[] key(int position) {
    return entry(position).key;
  }

  /** Returns keys from a position on. */
  List<byte[]> keys(int position, int count) {
    List<byte[]> keys = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      keys.add(key(position + i));
    }
    return keys;
  }

  /**
   * Checks what is known of an answer.
   *
   * @param full whether all bytes of the value count; else its length and some bytes do, which a
   *     measurement can afford
   * @throws IllegalStateException if it is wrong
   */
  void check(int position, byte @Nullable [] value, boolean full) {
    Entry entry = entry(position);
    if (entry.answer == Answer.ANY) {
      return;
    }
    if ((value == null) != (entry.answer == Answer.ABSENT)) {
      throw wrong(entry, value == null ? "absent" : "a value");
    }
    if (value != null
        && (full ? Arrays.hashCode(value) != entry.digest : sample(value) != entry.sample)) {
      throw wrong(entry, "another value than a scan found");
    }
  }

  private static IllegalStateException wrong(Entry entry, String actual) {
    return new IllegalStateException(
        "wrong answer: key=%s expected=%s actual=%s"
            .formatted(
                Encoding.excerpt(entry.key, 0, entry.key.length),
                entry.answer == Answer.ABSENT ? "absent" : "its value",
                actual));
  }
}
