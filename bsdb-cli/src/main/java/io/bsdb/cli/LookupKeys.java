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

/** Keys to look up, in order, and the expected answers. Immutable. */
final class LookupKeys {
  /** Maximum number of keys: with 20-byte keys some 60 MiB. */
  static final int MAXIMUM = 1 << 20;

  private static final long SEED = 42;
  private static final int TRIES = 100;

  /** Expected answers that are no digest of a value. */
  private static final long ANY = Long.MAX_VALUE;

  private static final long ABSENT = Long.MIN_VALUE;

  private static final class Entry {
    private final byte[] key;
    private final long answer;

    Entry(byte[] key, long answer) {
      this.key = key;
      this.answer = answer;
    }
  }

  private final List<Entry> entries;

  private LookupKeys(List<Entry> entries) {
    this.entries = entries;
  }

  /** Returns the keys of a file, one per line, in its order. Any answer is expected. */
  static LookupKeys ofFile(Path file, RecordText text) throws IOException {
    List<Entry> entries = new ArrayList<>();
    try (InputStream in = Files.newInputStream(file)) {
      Lines.read(
          in,
          file.toString(),
          (bytes, start, end, number) -> {
            if (entries.size() < MAXIMUM) {
              String line = new String(bytes, start, end - start, StandardCharsets.UTF_8);
              entries.add(new Entry(text.parseKey(line), ANY));
            }
          });
    }
    if (entries.isEmpty()) {
      throw CommandFailure.refused("no keys in " + file + "; it should hold one per line");
    }
    return new LookupKeys(entries);
  }

  /**
   * Returns keys of a table's records, a reservoir sample in random order. Reads all of the table.
   *
   * @param absentPercent share of keys to replace by random ones, as long, that no record has
   */
  static LookupKeys ofTable(SnapshotReader reader, int absentPercent) throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    List<Entry> entries = new ArrayList<>();
    try (RecordCursor cursor = reader.scan()) {
      for (long scanned = 1; cursor.next(); scanned++) {
        long place = scanned <= MAXIMUM ? entries.size() : random.nextLong(scanned);
        if (place < MAXIMUM) {
          Entry entry = new Entry(cursor.key(), Arrays.hashCode(cursor.value()));
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
      // Copies lie in memory in the order of lookups: else drawing a key would miss the cache, too.
      entries.set(
          i,
          i < absent
              ? new Entry(absentKey(reader, entry.key.length, random), ABSENT)
              : new Entry(entry.key.clone(), entry.answer));
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

  int size() {
    return entries.size();
  }

  /** Returns the key at a position, which may be any number: after the last comes the first. */
  byte[] key(int position) {
    return entries.get(position % entries.size()).key;
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
   * Checks an answer.
   *
   * @param bytes whether to compare the bytes of the value, not just that there is one
   * @throws IllegalStateException if it is wrong
   */
  void check(int position, byte @Nullable [] value, boolean bytes) {
    Entry entry = entries.get(position % entries.size());
    if (entry.answer == ANY) {
      return;
    }
    boolean present = entry.answer != ABSENT;
    if ((value != null) != present
        || (value != null && bytes && Arrays.hashCode(value) != entry.answer)) {
      throw new IllegalStateException(
          "wrong answer: key=%s expected=%s actual=%s"
              .formatted(
                  Encoding.excerpt(entry.key, 0, entry.key.length),
                  present ? "the value that a scan found" : "absent",
                  value == null ? "absent" : "another value"));
    }
  }
}
