package io.bsdb.cli;

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

/** Keys to look up, in the order to ask for them, and what is known of their values. Immutable. */
final class LookupKeys {
  /** Most that are held: with 20-byte keys some 60 MiB. */
  static final int MOST = 1 << 20;

  private static final long SEED = 42;
  private static final int TRIES = 100;

  /** Bytes of a value that a sample has at least, if there are so many. */
  private static final int SAMPLED = 16;

  /** What is known of the value of a key. */
  private enum Answer {
    ANY,
    ABSENT,
    /** A record's, of which a digest is kept. */
    DIGEST,
    /** A record's, of which no more than a sample is looked at. */
    SAMPLE
  }

  /** A key, and the digests of its value, or of a sample of it, if that is known. */
  private static final class Entry {
    private final byte[] key;
    private final int digest;
    private final int sample;

    private Entry(byte[] key, int digest, int sample) {
      this.key = key;
      this.digest = digest;
      this.sample = sample;
    }

    static Entry ofKey(byte[] key) {
      return new Entry(key, 0, 0);
    }

    static Entry ofRecord(byte[] key, byte[] value) {
      return new Entry(key, digest(value), sample(value));
    }

    Entry copy() {
      return new Entry(key.clone(), digest, sample);
    }
  }

  private final List<Entry> entries;
  private final Answer answer;

  private LookupKeys(List<Entry> entries, Answer answer) {
    this.entries = entries;
    this.answer = answer;
  }

  private static LookupKeys shuffled(List<Entry> entries, Answer answer) {
    Collections.shuffle(entries, new Random(SEED));
    // Copies lie in memory as they are asked for. Else each question would cost cache misses too.
    entries.replaceAll(Entry::copy);
    return new LookupKeys(entries, answer);
  }

  /**
   * Keys of a file in its order, one per line, of which it is not known whether there are such
   * records.
   */
  static LookupKeys ofFile(Path file, RecordText text) throws IOException {
    List<Entry> entries = new ArrayList<>();
    try (InputStream in = Files.newInputStream(file)) {
      Lines.read(
          in,
          file.toString(),
          (bytes, start, end, number) -> {
            if (entries.size() < MOST) {
              String line = new String(bytes, start, end - start, StandardCharsets.UTF_8);
              entries.add(Entry.ofKey(text.parseKey(line)));
            }
          });
    }
    if (entries.isEmpty()) {
      throw CommandFailure.refused("no keys in " + file + "; it should hold one per line");
    }
    return new LookupKeys(entries, Answer.ANY);
  }

  /**
   * Keys of a table's records in random order, from everywhere in it alike: reads the table up to
   * the last of them.
   */
  static LookupKeys ofTable(SnapshotReader reader) throws IOException {
    long records = reader.manifest().recordCount();
    if (records == 0) {
      throw CommandFailure.refused("the table has no records; name keys with --keys");
    }
    // As in a lottery: each record is drawn with the probability that the rest to draw has in the
    // rest of the records. Drawing at a fixed step could follow a rhythm of the blocks.
    SplittableRandom random = new SplittableRandom(SEED);
    int wanted = (int) Math.min(MOST, records);
    List<Entry> entries = new ArrayList<>(wanted);
    try (RecordCursor cursor = reader.scan()) {
      for (long left = records; entries.size() < wanted && cursor.next(); left--) {
        if (random.nextLong(left) < wanted - entries.size()) {
          entries.add(Entry.ofRecord(cursor.key(), cursor.value()));
        }
      }
    } catch (UnsupportedOperationException e) {
      throw CommandFailure.refused(
          "the table is approximate and stores no keys; name some with --keys");
    }
    return shuffled(entries, Answer.DIGEST);
  }

  /**
   * Random keys, as long as these, that no record has; null if it is hard to find any, as when the
   * keys are short and most of them are taken.
   */
  @Nullable LookupKeys absent(SnapshotReader reader) throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    List<Entry> others = new ArrayList<>(entries.size());
    for (Entry entry : entries) {
      byte[] key = new byte[entry.key.length];
      int tries = 0;
      do {
        if (tries++ == TRIES) {
          return null;
        }
        random.nextBytes(key);
      } while (reader.get(key) != null);
      others.add(Entry.ofKey(key));
    }
    return new LookupKeys(others, Answer.ABSENT);
  }

  /**
   * The same keys, of whose values {@link #check} looks at no more than the length and a few bytes:
   * what a measurement can afford, and enough to tell most records from others.
   */
  LookupKeys sampled() {
    return answer == Answer.DIGEST ? new LookupKeys(entries, Answer.SAMPLE) : this;
  }

  private static int digest(byte[] value) {
    return Arrays.hashCode(value);
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

  /** The key at a position that may be any number: after the last comes the first. */
  byte[] key(int position) {
    return entry(position).key;
  }

  /** Keys from a position on, as {@link #key} numbers them. */
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
   * @throws IllegalStateException if it is wrong
   */
  void check(int position, byte @Nullable [] value) {
    if (answer == Answer.ANY) {
      return;
    }
    if ((value == null) != (answer == Answer.ABSENT)) {
      throw wrong(position, value == null ? "absent" : "a value");
    }
    if (value != null && !isOf(entry(position), value)) {
      throw wrong(position, "another value than a scan found");
    }
  }

  private boolean isOf(Entry entry, byte[] value) {
    return answer == Answer.SAMPLE ? sample(value) == entry.sample : digest(value) == entry.digest;
  }

  private IllegalStateException wrong(int position, String actual) {
    byte[] key = key(position);
    return new IllegalStateException(
        "wrong answer: key=%s expected=%s actual=%s"
            .formatted(
                Encoding.excerpt(key, 0, key.length),
                answer == Answer.ABSENT ? "absent" : "its value",
                actual));
  }
}
