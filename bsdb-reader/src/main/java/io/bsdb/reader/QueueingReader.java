package io.bsdb.reader;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.Manifest;
import io.bsdb.format.hash.KeyHash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers with futures: hashes in the calling thread, reads through {@link BlockReads}, finishes in
 * its threads.
 */
final class QueueingReader implements AsyncSnapshotReader {
  private static final Logger LOG = LoggerFactory.getLogger(QueueingReader.class);

  private final OpenSnapshot snapshot;
  private final Calls calls;
  private final @Nullable BlockReads reads;
  private final Records memory = new MemoryRecords();
  private final ReaderMetrics metrics;

  private QueueingReader(OpenSnapshot snapshot, @Nullable BlockReads reads) {
    this.snapshot = snapshot;
    this.calls = snapshot.calls();
    this.reads = reads;
    this.metrics =
        new ReaderMetrics(
            calls,
            snapshot.counters(),
            () -> reads == null ? 0 : reads.inFlight(),
            reads == null ? snapshot.options().access().name() : reads.description());
  }

  static AsyncSnapshotReader of(OpenSnapshot snapshot) throws IOException {
    try {
      return new QueueingReader(snapshot, reads(snapshot));
    } catch (RuntimeException | Error e) {
      snapshot.close();
      throw e;
    }
  }

  private static @Nullable BlockReads reads(OpenSnapshot snapshot) {
    return switch (snapshot.options().access()) {
      case MAPPED, RESIDENT -> null;
      case DIRECT -> new PooledReads(snapshot, Access.DIRECT.name());
      case IO_URING -> UringReads.openOrFallBack(snapshot);
    };
  }

  @Override
  public CompletableFuture<byte @Nullable []> get(byte[] key) {
    int call = calls.enter();
    CompletableFuture<byte @Nullable []> future = new CompletableFuture<>();
    try {
      HashValue128 hash = KeyHash.hash(key);
      Partition partition = snapshot.partition(hash.getMostSignificantBits());
      int rank = snapshot.rank(partition, hash, key);
      if (rank < 0 || reads == null) {
        finish(future, call, rank < 0 ? null : memory.get(partition, rank, key));
      } else {
        reads.read(new SingleRead(partition, rank, key, call, future));
      }
    } catch (IOException | RuntimeException | Error e) {
      fail(future, call, e);
    }
    return future;
  }

  private void finish(
      CompletableFuture<byte @Nullable []> future, int call, byte @Nullable [] value) {
    if (value == null) {
      calls.missed(call);
    } else {
      calls.hit(call);
    }
    future.complete(value);
  }

  private void fail(CompletableFuture<?> future, int call, Throwable cause) {
    snapshot.counters().failures.increment();
    calls.left(call);
    future.completeExceptionally(translated(cause));
  }

  private Throwable translated(Throwable cause) {
    return cause instanceof IndexOutOfBoundsException outside ? snapshot.damaged(outside) : cause;
  }

  private final class SingleRead extends BlockReads.Request {
    private final int rank;
    private final byte[] key;
    private final int call;
    private final CompletableFuture<byte @Nullable []> future;

    SingleRead(
        Partition partition,
        int rank,
        byte[] key,
        int call,
        CompletableFuture<byte @Nullable []> future) {
      super(partition, partition.index().block(rank));
      this.rank = rank;
      this.key = key;
      this.call = call;
      this.future = future;
    }

    @Override
    void completed(ByteBuffer buffer, int base) throws IOException {
      finish(future, call, partition.value(buffer, base, rank, block, key));
    }

    @Override
    void failed(Throwable cause) {
      fail(future, call, cause);
    }
  }

  @Override
  public CompletableFuture<List<byte @Nullable []>> getAll(List<byte[]> keys) {
    List<byte[]> ofBatch = List.copyOf(keys);
    int count = ofBatch.size();
    int call = calls.enter();
    CompletableFuture<List<byte @Nullable []>> future = new CompletableFuture<>();
    try {
      Partition[] partitions = new Partition[count];
      int[] ranks = new int[count];
      snapshot.locate(ofBatch, partitions, ranks);
      Batch batch = new Batch(ofBatch, ranks, call, future);
      if (reads == null) {
        memory.getAll(partitions, ranks, ofBatch, batch.values);
        batch.finish();
      } else {
        batch.read(reads, BlockGroups.of(partitions, ranks));
      }
    } catch (IOException | RuntimeException | Error e) {
      fail(future, call, e);
    }
    return future;
  }

  /** The state of one {@link #getAll}: finished when its last block is. */
  private final class Batch {
    private final List<byte[]> keys;
    private final int[] ranks;
    private final int call;
    private final CompletableFuture<List<byte @Nullable []>> future;
    private final byte[] @Nullable [] values;
    private final AtomicInteger pending = new AtomicInteger(1);
    private volatile @Nullable Throwable failure;

    Batch(
        List<byte[]> keys,
        int[] ranks,
        int call,
        CompletableFuture<List<byte @Nullable []>> future) {
      this.keys = keys;
      this.ranks = ranks;
      this.call = call;
      this.future = future;
      this.values = new byte[keys.size()] @Nullable [];
    }

    void read(BlockReads blockReads, Iterable<BlockGroups.Group> groups) {
      List<BlockGroups.Group> all = new ArrayList<>();
      groups.forEach(all::add);
      pending.addAndGet(all.size());
      for (BlockGroups.Group group : all) {
        blockReads.read(
            new BlockReads.Request(group.partition(), group.block()) {
              @Override
              void completed(ByteBuffer buffer, int base) throws IOException {
                for (int i : group.keys()) {
                  values[i] = partition.value(buffer, base, ranks[i], block, keys.get(i));
                }
                done();
              }

              @Override
              void failed(Throwable cause) {
                failure = cause;
                done();
              }
            });
      }
      done();
    }

    private void done() {
      if (pending.decrementAndGet() == 0) {
        Throwable cause = failure;
        if (cause == null) {
          finish();
        } else {
          fail(future, call, cause);
        }
      }
    }

    void finish() {
      int hits = 0;
      for (byte[] value : values) {
        hits += value == null ? 0 : 1;
      }
      calls.batch(call, hits, values.length - hits);
      future.complete(Arrays.asList(values));
    }
  }

  @Override
  public Manifest manifest() {
    return snapshot.manifest();
  }

  @Override
  public ReaderMetrics metrics() {
    return metrics;
  }

  @Override
  public void close() throws IOException {
    if (!calls.close()) {
      return;
    }
    if (reads != null && reads.isReadThread()) {
      // Waiting here for what only this thread can complete would be for ever.
      Thread closer = new Thread(this::releaseLater, "bsdb-close");
      closer.setDaemon(true);
      closer.start();
    } else {
      release();
    }
  }

  private void releaseLater() {
    try {
      release();
    } catch (IOException e) {
      LOG.error("closing {} failed", snapshot.directory(), e);
    }
  }

  private void release() throws IOException {
    if (reads != null) {
      reads.close();
    }
    calls.awaitEnd();
    snapshot.close();
  }
}
