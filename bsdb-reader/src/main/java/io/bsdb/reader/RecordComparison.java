package io.bsdb.reader;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.Internal;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.io.Thrown;
import io.bsdb.reader.overlay.ChangeCursor;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.partition.RecordWalk;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares the records of a source, in any order, with those of a version, and remembers which keys
 * the source had: a bit for each record of the base, and 32 bytes for each key that is new or has
 * changed over the base. Used by one thread; valid as long as the reader is open.
 *
 * @hidden
 */
@Internal
public final class RecordComparison {
  /** What the version says of a record of the source. */
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

  /** Takes keys. */
  public interface KeySink {
    void take(byte[] key) throws IOException;
  }

  private final OpenSnapshot snapshot;

  /** By partition, by the number of the record. */
  private final BitSet[] seen;

  /** The other keys of the source: those that have changed over the base, and new ones. */
  private final HashSet128 others = new HashSet128();

  RecordComparison(OpenSnapshot snapshot) {
    this.snapshot = snapshot;
    List<Partition> partitions = snapshot.partitions();
    this.seen = new BitSet[partitions.size()];
    for (Partition partition : partitions) {
      if (!partition.storesKeys()) {
        throw new UnsupportedOperationException(
            "an approximate snapshot stores no keys: " + partition.path());
      }
      seen[partition.number()] = new BitSet(partition.recordCount());
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
      KeyBatch<Boolean> batch = KeyBatch.locate(snapshot, hashed, FieldSelection.ALL);
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
            isInBase ? see(batch, i, keys.get(i)) : others.add(hashed.high(i), hashed.low(i));
        if (!first) {
          outcomes[i] = Outcome.REPEATED;
        } else if (same == null) {
          outcomes[i] = Outcome.NEW;
        } else {
          outcomes[i] = same ? Outcome.SAME : Outcome.CHANGED;
        }
      }
      return outcomes;
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.explained(e));
    } finally {
      snapshot.calls().left(call);
    }
  }

  /** Notes a record of the base; returns false if it was noted before. */
  private boolean see(KeyBatch<?> batch, int i, byte[] key) throws IOException {
    Partition partition = batch.partition(i);
    int record = batch.record(i);
    if (record < 0) { // found by a search, which says the block only
      OrderedSeek seek = OrderedSeek.start(snapshot, KeyRange.all().from(key));
      seek.settle(snapshot.source());
      record = seek.record();
    }
    BitSet records = seen[partition.number()];
    if (records.get(record)) {
      return false;
    }
    records.set(record);
    return true;
  }

  /**
   * Hands out the keys that the version has and the source did not have. Reads only the blocks in
   * which such records lie.
   */
  public void missing(KeySink sink) throws IOException {
    int call = snapshot.calls().enter();
    try {
      for (Partition partition : snapshot.partitions()) {
        missing(partition, seen[partition.number()], sink);
      }
      Overlay overlay = snapshot.overlay();
      ChangeCursor changes = overlay == null ? null : overlay.changes();
      while (changes != null && changes.next()) {
        HashValue128 hash = KeyHash.hash(changes.key());
        if (!changes.isDeleted()
            && !others.contains(hash.getMostSignificantBits(), hash.getLeastSignificantBits())) {
          sink.take(changes.key());
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.explained(e));
    } finally {
      snapshot.calls().left(call);
    }
  }

  private void missing(Partition partition, BitSet records, KeySink sink) throws IOException {
    int count = partition.recordCount();
    try (RecordWalk walk = new RecordWalk(partition, snapshot.scanned(), FieldSelection.ALL)) {
      int last = -2;
      for (int i = records.nextClearBit(0); i < count; i = records.nextClearBit(i + 1)) {
        if (i != last + 1 || !walk.next()) {
          walk.moveTo(i);
        }
        last = i;
        byte[] key = walk.key();
        if (snapshot.findChange(key, KeyHash.hash(key).getMostSignificantBits())
            == Overlay.UNCHANGED) {
          sink.take(key);
        }
      }
    }
  }
}
