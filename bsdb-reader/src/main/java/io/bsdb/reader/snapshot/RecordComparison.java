package io.bsdb.reader.snapshot;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.io.IOConsumer;
import io.bsdb.format.io.IOSupplier;
import io.bsdb.format.io.Thrown;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.overlay.ChangeCursor;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.partition.RecordWalk;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Compares the records of a source, in any order, with those of a version, and remembers which keys
 * the source had: two bits for each record of the base, and 32 bytes for each key that is new or
 * has changed over the base. Used by one thread; valid as long as the reader is open.
 */
public final class RecordComparison {
  /** How a record of the source compares with the version. */
  public enum Outcome {
    /** The version has it. */
    SAME,
    /** The version has another value. */
    CHANGED,
    /** The version does not have the key. */
    NEW,
    /** The source has had the key before. */
    REPEATED
  }

  /** Takes records. */
  public interface RecordSink {
    void take(byte[] key, byte[] value) throws IOException;
  }

  /** Whether the source had a key. */
  private enum In {
    SOURCE,
    VERSION_ONLY
  }

  /** Takes a key, and the record from which the value can be read. */
  private interface Found {
    void take(byte[] key, IOSupplier<byte[]> value) throws IOException;
  }

  private final OpenSnapshot snapshot;

  /** By partition, by the number of the record; null where nothing is compared. */
  private final @Nullable BitSet[] seen;

  /** By partition, by the number of the record: those whose values differ in the source. */
  private final BitSet[] changed;

  /** The other keys of the source: those that have changed over the base, and new ones. */
  private final HashSet128 others = new HashSet128();

  /** Those whose values differ in the version. */
  private final HashSet128 changedOthers = new HashSet128();

  /**
   * @param compared tests the number of a partition: whether its keys are compared
   * @throws UnsupportedOperationException if the snapshot stores no keys (approximate)
   */
  public RecordComparison(OpenSnapshot snapshot, IntPredicate compared) {
    this.snapshot = snapshot;
    this.seen = new @Nullable BitSet[snapshot.partitioning().count()];
    this.changed = new BitSet[seen.length];
    for (Partition partition : snapshot.partitions()) {
      if (!compared.test(partition.number())) {
        continue;
      }
      if (!partition.storesKeys()) {
        throw new UnsupportedOperationException(
            "an approximate snapshot stores no keys: " + partition.path());
      }
      seen[partition.number()] = new BitSet(partition.recordCount());
      changed[partition.number()] = new BitSet();
    }
  }

  /**
   * Compares records; some hundreds at a time are faster than few.
   *
   * @param values in the order of the keys
   * @return in the same order
   */
  public Outcome[] compare(List<byte[]> keys, List<byte[]> values) throws IOException {
    int call = snapshot.calls().enter();
    try {
      HashedKeys<Boolean> hashed =
          new HashedKeys<>(
              keys, (i, bytes, offset, length) -> bytes.holds(offset, length, values.get(i)));
      KeyBatch<Boolean> batch = KeyBatch.locate(snapshot, hashed, FieldSelection.ALL, Ended.SHOWN);
      boolean[] overBase = new boolean[keys.size()];
      for (int i = 0; i < overBase.length; i++) {
        overBase[i] = hashed.isAnswered(i);
      }
      batch.fetch();
      List<@Nullable Boolean> found = hashed.answers();
      Outcome[] outcomes = new Outcome[overBase.length];
      for (int i = 0; i < outcomes.length; i++) {
        Boolean same = found.get(i);
        boolean isInBase = same != null && !overBase[i];
        boolean first =
            isInBase ? see(batch, i, keys.get(i), same) : others.add(hashed.high(i), hashed.low(i));
        if (!first) {
          outcomes[i] = Outcome.REPEATED;
        } else if (same == null) {
          outcomes[i] = Outcome.NEW;
        } else {
          outcomes[i] = same ? Outcome.SAME : Outcome.CHANGED;
          if (!same && !isInBase) {
            changedOthers.add(hashed.high(i), hashed.low(i));
          }
        }
      }
      return outcomes;
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.failures().explained(e));
    } finally {
      snapshot.calls().left(call);
    }
  }

  /** Marks a record of the base as seen; returns false if it was marked already. */
  private boolean see(KeyBatch<?> batch, int i, byte[] key, boolean same) throws IOException {
    Partition partition = batch.partition(i);
    int record = batch.record(i);
    if (record < 0) { // found by a search, which yields the block only
      OrderedSeek seek = OrderedSeek.start(snapshot, key, OrderedSeek.Target.CEILING);
      seek.settle(snapshot.source());
      record = seek.record();
    }
    BitSet records = seen[partition.number()];
    if (records == null) {
      throw new IllegalArgumentException(
          "key of another share: partition=%d file=%s"
              .formatted(partition.number(), partition.path()));
    }
    if (records.get(record)) {
      return false;
    }
    records.set(record);
    if (!same) {
      changed[partition.number()].set(record);
    }
    return true;
  }

  /**
   * Hands out the keys that the version has, in the partitions compared, and the source did not
   * have. Reads only the blocks in which such records lie.
   */
  public void missing(IOConsumer<byte[]> sink) throws IOException {
    walk(In.VERSION_ONLY, (key, value) -> sink.accept(key));
  }

  /**
   * Hands out the records of the version that the source has had too, with the same value; of a key
   * that came more than once, its first record counts.
   */
  public void present(RecordSink sink) throws IOException {
    walk(In.SOURCE, (key, value) -> sink.take(key, value.get()));
  }

  private void walk(In in, Found found) throws IOException {
    int call = snapshot.calls().enter();
    try {
      for (Partition partition : snapshot.partitions()) {
        BitSet records = seen[partition.number()];
        if (records != null) {
          walk(partition, in == In.SOURCE ? same(records, partition) : records, in, found);
        }
      }
      Overlay overlay = snapshot.overlay();
      if (overlay != null) {
        walk(overlay.changes(), in, found);
      }
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.failures().explained(e));
    } finally {
      snapshot.calls().left(call);
    }
  }

  private BitSet same(BitSet records, Partition partition) {
    BitSet same = (BitSet) records.clone();
    same.andNot(changed[partition.number()]);
    return same;
  }

  private void walk(ChangeCursor changes, In in, Found found) throws IOException {
    while (changes.next()) {
      byte[] key = changes.key();
      HashValue128 hash = KeyHash.hash(key);
      long high = hash.getMostSignificantBits();
      boolean inSource = others.contains(high, hash.getLeastSignificantBits());
      boolean isWanted =
          in == In.SOURCE
              ? inSource && !changedOthers.contains(high, hash.getLeastSignificantBits())
              : !inSource;
      if (!changes.isDeleted()
          && seen[snapshot.partitioning().partition(key, high)] != null
          && isWanted) {
        found.take(key, changes::value);
      }
    }
  }

  private void walk(Partition partition, BitSet records, In in, Found found) throws IOException {
    int count = partition.recordCount();
    try (RecordWalk walk = new RecordWalk(partition, snapshot.scanned(), FieldSelection.ALL)) {
      int last = -2;
      for (int i = next(records, 0, count, in); i < count; i = next(records, i + 1, count, in)) {
        if (i != last + 1 || !walk.next()) {
          walk.moveTo(i);
        }
        last = i;
        byte[] key = walk.key();
        if (snapshot.findChange(key, KeyHash.hash(key).getMostSignificantBits())
            == Overlay.UNCHANGED) {
          found.take(key, walk::value);
        }
      }
    }
  }

  private static int next(BitSet records, int from, int count, In in) {
    if (in == In.VERSION_ONLY) {
      return records.nextClearBit(from);
    }
    int next = records.nextSetBit(from);
    return next < 0 ? count : next;
  }
}
