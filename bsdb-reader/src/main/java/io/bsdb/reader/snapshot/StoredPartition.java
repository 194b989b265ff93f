package io.bsdb.reader.snapshot;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.io.Thrown;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.overlay.ChangeCursor;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.partition.RecordWalk;
import io.bsdb.table.PartitionSource;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The records of a partition in hash order; those that have changed are read from their segments.
 * Records are read twice: their keys here, and all of them by the build of the new partition.
 */
public final class StoredPartition implements PartitionSource {
  private static final int STEP = 64 << 10;

  private final OpenSnapshot snapshot;
  private final Partition partition;
  private final Progress progress;
  private final long changes;
  private int pending;

  public StoredPartition(OpenSnapshot snapshot, int number, Progress progress) {
    this.snapshot = snapshot;
    this.partition = snapshot.partition(number);
    this.progress = progress;
    this.changes = snapshot.changedKeys(number);
  }

  @Override
  public int partition() {
    return partition.number();
  }

  @Override
  public long maxRecords() {
    return partition.recordCount() + changes;
  }

  private long baseBytes() {
    return partition.blocks().properties().keyBytes()
        + partition.blocks().properties().valueBytes();
  }

  @Override
  public long bytes() {
    Overlay overlay = snapshot.overlay();
    return baseBytes() + (overlay == null ? 0 : changes * overlay.averageLength());
  }

  @Override
  public long copiedBytes() {
    return partition.blocks().staysInMemory() ? 0 : baseBytes();
  }

  @Override
  public boolean isWanted() {
    return !progress.isStopped();
  }

  @Override
  public void read(Target target) throws IOException {
    int call = snapshot.calls().enterScan();
    try {
      readBase(target);
      readChanges(target);
      pass(STEP);
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.failures().explained(e));
    } finally {
      snapshot.calls().left(call);
    }
  }

  private void readBase(Target target) throws IOException {
    try (RecordWalk walk = new RecordWalk(partition, snapshot.uncached(), FieldSelection.ALL)) {
      while (walk.next()) {
        byte[] key = walk.key();
        HashValue128 hash = KeyHash.hash(key);
        if (snapshot.findChange(key, hash.getMostSignificantBits()) == Overlay.UNCHANGED) {
          pass(
              walk.read(
                  target, key, hash.getMostSignificantBits(), hash.getLeastSignificantBits()));
        }
      }
    }
  }

  private void readChanges(Target target) throws IOException {
    Overlay overlay = snapshot.overlay();
    if (overlay == null) {
      return;
    }
    int number = partition.number();
    ChangeCursor cursor = overlay.cursor(snapshot.partitioning(), each -> each == number);
    while (cursor.next()) {
      HashValue128 hash = KeyHash.hash(cursor.key());
      long key = cursor.keyPlace();
      int valueLength = (int) cursor.valuePlace();
      target.lend(
          cursor.segment(),
          (int) (key >>> 32),
          (int) key,
          valueLength,
          hash.getMostSignificantBits(),
          hash.getLeastSignificantBits());
      pass((int) key + valueLength);
    }
  }

  private void pass(int bytes) throws IOException {
    pending += bytes;
    if (pending >= STEP) {
      progress.pass(pending);
      pending = 0;
    }
  }

  @Override
  public void requireReadable(@Nullable InternalError failure) throws IOException {
    if (failure != null) {
      throw Thrown.asIs(snapshot.failures().explained(failure));
    }
    snapshot.failures().requireReadable();
  }
}
