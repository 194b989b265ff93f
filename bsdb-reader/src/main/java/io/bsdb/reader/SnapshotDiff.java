package io.bsdb.reader;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.reader.overlay.ChangeCursor;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.table.Manifest;
import io.bsdb.table.PartitionFile;
import io.bsdb.table.Partitioning;
import io.bsdb.table.RecordOrder;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The differences between two versions of a table: first the rows that the second one added or
 * changed, then those that it removed, in no particular order. Versions that differ by changes over
 * the same partition files are compared by these changes alone; else all records are read. Used by
 * one thread; does not close the readers.
 */
public final class SnapshotDiff implements Closeable {
  private static final int BATCH = 256;

  private final SnapshotReader from;
  private final SnapshotReader to;
  private final BooleanSupplier stop;
  private final boolean sampled;

  /** Hashes whose high word is below this, unsigned, are in the sample. */
  private final long sampleEnd;

  private final Queue<Difference> found = new ArrayDeque<>();
  private final List<Keys> phases = new ArrayList<>();
  private long compared;
  private boolean stopped;

  /** Kinds of differences of a row. */
  public enum Kind {
    /** Only the second version has the key. */
    ADDED,
    /** Only the first version has the key. */
    REMOVED,
    /** Both have the key, with different values. */
    CHANGED
  }

  /**
   * One row that differs.
   *
   * @param before the value in the first version; null if it does not have the key
   * @param after the value in the second version; null if it does not have the key
   */
  @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
  public record Difference(
      Kind kind, byte[] key, byte @Nullable [] before, byte @Nullable [] after) {}

  private SnapshotDiff(SnapshotReader from, SnapshotReader to, double share, BooleanSupplier stop) {
    this.from = from;
    this.to = to;
    this.stop = stop;
    this.sampled = share < 1;
    this.sampleEnd = (long) (share * 0x1p63) << 1;
  }

  /**
   * Compares two versions of a table.
   *
   * @param share of the keys that are compared, more than 0 and at most 1: less reads only as many
   *     partitions, or in key order all, and always the same keys
   * @param stop asked now and then; true ends the comparison early
   * @throws IllegalArgumentException if the versions have different schemas, if one of them stores
   *     no keys, or if the share is out of range
   */
  public static SnapshotDiff between(
      SnapshotReader from, SnapshotReader to, double share, BooleanSupplier stop)
      throws IOException {
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException("share of keys: expected >0 and <=1, actual " + share);
    }
    Manifest first = from.manifest();
    Manifest second = to.manifest();
    if (!Objects.equals(first.schema(), second.schema())) {
      throw new IllegalArgumentException(
          "versions with different schemas cannot be compared: %s has %s, %s has %s"
              .formatted(first.version(), first.schema(), second.version(), second.schema()));
    }
    SnapshotDiff diff = new SnapshotDiff(from, to, share, stop);
    Overlay before = from.changes();
    Overlay after = to.changes();
    if (fileIds(first).equals(fileIds(second))) {
      if (after != null) {
        diff.phases.add(diff.new ChangedKeys(after, null));
      }
      if (before != null) {
        diff.phases.add(diff.new ChangedKeys(before, after));
      }
    } else {
      diff.phases.add(diff.new AllKeys(to, from));
      diff.phases.add(diff.new AllKeys(from, to));
    }
    return diff;
  }

  private static List<UUID> fileIds(Manifest manifest) {
    return manifest.partitions().stream().map(PartitionFile::fileId).toList();
  }

  /** Returns the next difference; null if there is none, or if the comparison was stopped. */
  public @Nullable Difference next() throws IOException {
    while (found.isEmpty() && !phases.isEmpty()) {
      if (stop.getAsBoolean()) {
        stopped = true;
        return null;
      }
      if (!phases.get(0).compareSome()) {
        phases.remove(0).close();
      }
    }
    return found.poll();
  }

  /** Whether the comparison was stopped before its end. */
  public boolean isStopped() {
    return stopped;
  }

  /** Returns how many keys have been compared; a key that both have counts once or twice. */
  public long compared() {
    return compared;
  }

  @Override
  public void close() {
    phases.forEach(Keys::close);
    phases.clear();
  }

  private boolean isInSample(HashValue128 hash) {
    return !sampled || Long.compareUnsigned(hash.getMostSignificantBits(), sampleEnd) < 0;
  }

  /** A source of keys to compare. */
  private interface Keys {
    /** Compares the next few keys; returns false if there are none. */
    boolean compareSome() throws IOException;

    void close();
  }

  /** The changes of one version, and of them only those that the other changes do not have. */
  private final class ChangedKeys implements Keys {
    private final ChangeCursor cursor;
    private final @Nullable Overlay except;

    ChangedKeys(Overlay changes, @Nullable Overlay except) {
      this.cursor = changes.changes();
      this.except = except;
    }

    @Override
    public boolean compareSome() throws IOException {
      List<byte[]> keys = new ArrayList<>(BATCH);
      boolean more = true;
      while (keys.size() < BATCH && more) {
        more = cursor.next();
        if (more && isWanted(cursor.key())) {
          keys.add(cursor.key());
        }
      }
      List<byte @Nullable []> before = from.getAll(keys);
      List<byte @Nullable []> after = to.getAll(keys);
      compared += keys.size();
      for (int i = 0; i < keys.size(); i++) {
        add(keys.get(i), before.get(i), after.get(i));
      }
      return more;
    }

    private boolean isWanted(byte[] key) {
      HashValue128 hash = KeyHash.hash(key);
      return isInSample(hash)
          && (except == null
              || except.find(key, hash.getMostSignificantBits()) == Overlay.UNCHANGED);
    }

    @Override
    public void close() {}
  }

  private void add(byte[] key, byte @Nullable [] before, byte @Nullable [] after) {
    if (!Arrays.equals(before, after)) {
      Kind kind = before == null ? Kind.ADDED : after == null ? Kind.REMOVED : Kind.CHANGED;
      found.add(new Difference(kind, key, before, after));
    }
  }

  /** All keys of one version, partition by partition, looked up in the other. */
  private final class AllKeys implements Keys {
    private final SnapshotReader scanned;
    private final SnapshotReader other;
    private int partition;
    private @Nullable RecordCursor cursor;

    AllKeys(SnapshotReader scanned, SnapshotReader other) {
      this.scanned = scanned;
      this.other = other;
    }

    @Override
    public boolean compareSome() throws IOException {
      RecordCursor current = cursor;
      if (current == null) {
        Partitioning partitioning = scanned.manifest().partitioning();
        if (partition == scanned.partitionCount()
            || (sampled
                && partitioning.order() == RecordOrder.HASH
                && Long.compareUnsigned(partitioning.firstHash(partition), sampleEnd) >= 0)) {
          return false;
        }
        current = scanned.scan(partition);
        cursor = current;
        partition++;
      }
      List<byte[]> keys = new ArrayList<>(BATCH);
      List<byte[]> values = new ArrayList<>(BATCH);
      int seen = 0;
      boolean more = true;
      for (; seen < BATCH && more; seen++) {
        more = current.next();
        if (more) {
          byte[] key = key(current);
          if (isInSample(KeyHash.hash(key))) {
            keys.add(key);
            values.add(current.value());
          }
        }
      }
      if (!more) {
        close();
      }
      compare(keys, values);
      return true;
    }

    private byte[] key(RecordCursor current) throws IOException {
      try {
        return current.key();
      } catch (UnsupportedOperationException e) {
        throw new IllegalArgumentException(
            "version %s is approximate: it stores no keys to compare"
                .formatted(scanned.manifest().version()),
            e);
      }
    }

    private void compare(List<byte[]> keys, List<byte[]> values) throws IOException {
      List<byte @Nullable []> others = other.getAll(keys);
      compared += keys.size();
      for (int i = 0; i < keys.size(); i++) {
        if (scanned == to) {
          add(keys.get(i), others.get(i), values.get(i));
        } else if (others.get(i) == null) {
          add(keys.get(i), values.get(i), null);
        }
      }
    }

    @Override
    public void close() {
      if (cursor != null) {
        cursor.close();
        cursor = null;
      }
    }
  }
}
