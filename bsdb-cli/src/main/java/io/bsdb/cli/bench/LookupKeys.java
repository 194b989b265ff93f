package io.bsdb.cli.bench;

import io.bsdb.cli.input.Lines;
import io.bsdb.cli.output.CommandFailure;
import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.Encoding;
import io.bsdb.cli.output.Progress;
import io.bsdb.cli.output.RecordText;
import io.bsdb.cli.output.TextFile;
import io.bsdb.reader.KeyValue;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.table.manifest.PartitionFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Keys to look up, in order, and the expected answers. Immutable. */
final class LookupKeys {
  /** Maximum number of keys: with 20-byte keys some 60 MiB. */
  static final int MAXIMUM = 1 << 20;

  /** Tables with more records per key than this are not read as a whole. */
  private static final int RECORDS_PER_KEY_TO_SAMPLE = 4;

  /** Reads in flight while keys are drawn. */
  private static final int THREADS = 16;

  private static final long SEED = 42;
  private static final int TRIES = 100;

  /** Expected answers that are no digest of a value. */
  private static final long ANY = Long.MAX_VALUE;

  private static final long ABSENT = Long.MIN_VALUE;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Entry(byte[] key, long answer) {}

  private final List<Entry> entries;

  private LookupKeys(List<Entry> entries) {
    this.entries = entries;
  }

  /** Returns the keys of a file, one per line, in its order. Any answer is expected. */
  static LookupKeys ofFile(Path file, RecordText text) throws IOException {
    List<Entry> entries = new ArrayList<>();
    try (InputStream in = TextFile.open(file)) {
      Lines.read(
          in,
          file.toString(),
          (bytes, start, end, number) -> {
            if (entries.size() < MAXIMUM) {
              byte[] line = Arrays.copyOfRange(bytes, start, end);
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
   * Returns keys of a table's records in random order: a reservoir sample of all, or records of the
   * partition files at random positions, one read each, where there are many more than keys.
   *
   * @param absentPercent share of keys to replace by random ones, as long, that no record has
   * @param most maximum number of keys
   */
  static LookupKeys ofTable(SnapshotReader reader, int absentPercent, int most, Console console)
      throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    boolean isLarge = reader.manifest().recordCount() > (long) most * RECORDS_PER_KEY_TO_SAMPLE;
    List<Entry> entries;
    try {
      entries = isLarge ? sample(reader, random, most, console) : new ArrayList<>();
      if (entries.isEmpty()) {
        entries = reservoir(reader, random, most);
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

  /** Reads records at random positions, front to back in each thread. */
  private static List<Entry> sample(
      SnapshotReader reader, SplittableRandom random, int most, Console console)
      throws IOException {
    List<PartitionFile> files = reader.manifest().partitions();
    long[] positions = random.longs(most, 0, reader.manifest().recordCount()).sorted().toArray();
    ExecutorService pool =
        Executors.newFixedThreadPool(THREADS, r -> new Thread(r, "bsdb-bench-keys"));
    try (Progress progress = Progress.start(console, "drawing keys", most, Progress.Unit.KEYS)) {
      List<Future<List<Entry>>> parts = new ArrayList<>();
      for (int part = 0; part < THREADS; part++) {
        int from = (int) ((long) most * part / THREADS);
        int to = (int) ((long) most * (part + 1) / THREADS);
        parts.add(pool.submit(() -> read(reader, files, positions, from, to, progress)));
      }
      List<Entry> entries = new ArrayList<>(most);
      for (Future<List<Entry>> part : parts) {
        entries.addAll(part.get());
      }
      return entries;
    } catch (ExecutionException e) {
      throw LookupLoad.rethrown(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while drawing keys");
    } finally {
      pool.shutdownNow();
    }
  }

  /** Reads the records at some positions, which ascend; those that have changed are left out. */
  private static List<Entry> read(
      SnapshotReader reader,
      List<PartitionFile> files,
      long[] positions,
      int from,
      int to,
      Progress progress)
      throws IOException {
    List<Entry> entries = new ArrayList<>(to - from);
    int file = 0;
    long before = 0;
    for (int i = from; i < to && !Thread.currentThread().isInterrupted(); i++) {
      while (positions[i] - before >= files.get(file).recordCount()) {
        before += files.get(file++).recordCount();
      }
      KeyValue record = reader.record(file, (int) (positions[i] - before));
      if (record != null) {
        entries.add(new Entry(record.key(), Arrays.hashCode(record.value())));
      }
      progress.position().incrementAndGet();
      progress.records().incrementAndGet();
    }
    return entries;
  }

  private static List<Entry> reservoir(SnapshotReader reader, SplittableRandom random, int most)
      throws IOException {
    List<Entry> entries = new ArrayList<>();
    try (RecordCursor cursor = reader.scan()) {
      for (long scanned = 1; cursor.next(); scanned++) {
        long place = scanned <= most ? entries.size() : random.nextLong(scanned);
        if (place < most) {
          Entry entry = new Entry(cursor.key(), Arrays.hashCode(cursor.value()));
          if (place == entries.size()) {
            entries.add(entry);
          } else {
            entries.set((int) place, entry);
          }
        }
      }
    }
    return entries;
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
