package io.bsdb.reader;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.Manifest;
import io.bsdb.format.hash.KeyHash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Reads in the calling thread. */
final class PartitionedReader implements SnapshotReader {
  private final OpenSnapshot snapshot;
  private final Calls calls;
  private final Records records;

  PartitionedReader(OpenSnapshot snapshot) {
    this.snapshot = snapshot;
    this.calls = snapshot.calls();
    this.records = snapshot.records();
  }

  @Override
  public byte @Nullable [] get(byte[] key) throws IOException {
    Objects.requireNonNull(key, "key");
    int call = calls.enter();
    byte[] value;
    try {
      HashValue128 hash = KeyHash.hash(key);
      Partition partition = snapshot.partition(hash.getMostSignificantBits());
      int rank = snapshot.rank(partition, hash, key);
      value = rank < 0 ? null : records.get(partition, rank, key);
    } catch (Throwable e) {
      throw failed(call, e);
    }
    if (value == null) {
      calls.missed(call);
    } else {
      calls.hit(call);
    }
    return value;
  }

  @Override
  public int get(byte[] key, ByteBuffer target) throws IOException {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(target, "target");
    int call = calls.enter();
    int length;
    try {
      HashValue128 hash = KeyHash.hash(key);
      Partition partition = snapshot.partition(hash.getMostSignificantBits());
      int rank = snapshot.rank(partition, hash, key);
      length = rank < 0 ? NOT_FOUND : records.get(partition, rank, key, target);
    } catch (Throwable e) {
      throw failed(call, e);
    }
    if (length == NOT_FOUND) {
      calls.missed(call);
    } else {
      calls.hit(call);
    }
    return length;
  }

  @Override
  public List<byte @Nullable []> getAll(List<byte[]> keys) throws IOException {
    Keys.requireNonNull(keys);
    BlockReads reads = snapshot.options().access() == Access.IO_URING ? snapshot.reads() : null;
    return reads == null || reads.isReadThread() ? getAllHere(keys) : getAllAtOnce(keys);
  }

  /** Has the disk work at all reads at the same time. */
  private List<byte @Nullable []> getAllAtOnce(List<byte[]> keys) throws IOException {
    try {
      return new QueueingReader(snapshot).getAll(keys).join();
    } catch (CompletionException e) {
      throw Thrown.asIs(Objects.requireNonNullElse(e.getCause(), e));
    }
  }

  private List<byte @Nullable []> getAllHere(List<byte[]> keys) throws IOException {
    int count = keys.size();
    byte[] @Nullable [] values = new byte[count] @Nullable [];
    int call = calls.enter();
    int hits = 0;
    try {
      Partition[] partitions = new Partition[count];
      int[] ranks = new int[count];
      snapshot.locate(keys, partitions, ranks);
      records.getAll(partitions, ranks, keys, values);
      for (byte[] value : values) {
        hits += value == null ? 0 : 1;
      }
    } catch (Throwable e) {
      throw failed(call, e);
    }
    calls.batch(call, hits, count - hits);
    return Arrays.asList(values);
  }

  /** Ends a call that failed; see {@link Thrown#asIs}. */
  private IOException failed(int call, Throwable thrown) {
    Throwable explained = snapshot.explained(thrown);
    snapshot.counters().failures.increment();
    calls.left(call);
    return Thrown.asIs(explained);
  }

  @Override
  public RecordCursor scan() throws IOException {
    return new SnapshotScan(snapshot, snapshot.partitions());
  }

  @Override
  public RecordCursor scan(int partition) throws IOException {
    if (partition < 0 || partition >= partitionCount()) {
      throw new IllegalArgumentException(
          "no such partition: expected 0 to %d, actual %d"
              .formatted(partitionCount() - 1, partition));
    }
    return new SnapshotScan(snapshot, snapshot.partitions(partition, partition + 1));
  }

  @Override
  public int partitionCount() {
    return manifest().partitions().size();
  }

  @Override
  public AsyncSnapshotReader async() {
    return new QueueingReader(snapshot);
  }

  @Override
  public Manifest manifest() {
    return snapshot.manifest();
  }

  @Override
  public ReaderMetrics metrics() {
    return snapshot.metrics();
  }

  @Override
  public void close() throws IOException {
    snapshot.close();
  }
}
