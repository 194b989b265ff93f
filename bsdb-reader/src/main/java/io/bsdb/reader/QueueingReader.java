package io.bsdb.reader;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.Manifest;
import io.bsdb.format.hash.KeyHash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Answers with futures: hashes in the calling thread, reads through {@link BlockReads}, finishes in
 * its threads.
 */
final class QueueingReader implements AsyncSnapshotReader {
  private final OpenSnapshot snapshot;
  private final Calls calls;
  private final Records records;
  private final @Nullable CachedRecords cache;
  private final @Nullable BlockReads reads;

  QueueingReader(OpenSnapshot snapshot) {
    this.snapshot = snapshot;
    this.calls = snapshot.calls();
    this.records = snapshot.records();
    this.cache = records instanceof CachedRecords cached ? cached : null;
    this.reads = snapshot.reads();
  }

  /** A block that has been brought. */
  private interface Block {
    /** The value of {@code key} if it is the one with this rank, or null. */
    byte @Nullable [] value(int rank, byte[] key) throws IOException;
  }

  /** What is done with a block: one of the two, once. */
  private interface BlockUse {
    void accept(Block block) throws IOException;

    void failed(Throwable cause);
  }

  private void read(BlockReads source, Partition partition, int number, BlockUse use) {
    CachedRecords before = cache;
    if (before == null) {
      source.read(new UncachedRead(partition, number, use));
      return;
    }
    var unused =
        before
            .later(partition, number, source)
            .whenComplete(
                (cached, failure) -> {
                  try {
                    if (failure instanceof CachedRecords.LoadFailure
                        && failure.getCause() != null) {
                      throw failure.getCause();
                    }
                    if (failure != null) {
                      throw failure;
                    }
                    use.accept((rank, key) -> cached.value(partition, number, rank, key));
                  } catch (Throwable e) {
                    use.failed(e);
                  }
                });
  }

  private static final class UncachedRead extends BlockReads.Request {
    private final BlockUse use;

    UncachedRead(Partition partition, int block, BlockUse use) {
      super(partition, block);
      this.use = use;
    }

    @Override
    void completed(ByteBuffer buffer, int base) throws IOException {
      use.accept((rank, key) -> partition.value(buffer, base, rank, block, key));
    }

    @Override
    void failed(Throwable cause) {
      use.failed(cause);
    }
  }

  @Override
  public CompletableFuture<byte @Nullable []> get(byte[] key) {
    Objects.requireNonNull(key, "key");
    int call = calls.enter();
    CompletableFuture<byte @Nullable []> future = new CompletableFuture<>();
    try {
      HashValue128 hash = KeyHash.hash(key);
      Partition partition = snapshot.partition(hash.getMostSignificantBits());
      int rank = snapshot.rank(partition, hash, key);
      if (rank < 0 || reads == null) {
        finish(future, call, rank < 0 ? null : records.get(partition, rank, key));
      } else {
        read(reads, partition, partition.index().block(rank), new Single(rank, key, call, future));
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
    Throwable explained = snapshot.explained(cause);
    snapshot.counters().failures.increment();
    calls.left(call);
    future.completeExceptionally(explained);
  }

  private final class Single implements BlockUse {
    private final int rank;
    private final byte[] key;
    private final int call;
    private final CompletableFuture<byte @Nullable []> future;

    Single(int rank, byte[] key, int call, CompletableFuture<byte @Nullable []> future) {
      this.rank = rank;
      this.key = key;
      this.call = call;
      this.future = future;
    }

    @Override
    public void accept(Block block) throws IOException {
      finish(future, call, block.value(rank, key));
    }

    @Override
    public void failed(Throwable cause) {
      fail(future, call, cause);
    }
  }

  @Override
  public CompletableFuture<List<byte @Nullable []>> getAll(List<byte[]> keys) {
    Keys.requireNonNull(keys);
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
        records.getAll(partitions, ranks, ofBatch, batch.values);
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
        QueueingReader.this.read(blockReads, group.partition(), group.block(), new Share(group));
      }
      done();
    }

    /** The part of the batch that lies in one block. */
    private final class Share implements BlockUse {
      private final BlockGroups.Group group;

      Share(BlockGroups.Group group) {
        this.group = group;
      }

      @Override
      public void accept(Block block) throws IOException {
        for (int i : group.keys()) {
          values[i] = block.value(ranks[i], keys.get(i));
        }
        done();
      }

      @Override
      public void failed(Throwable cause) {
        failure = cause;
        done();
      }
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
    return snapshot.metrics();
  }

  @Override
  public void close() throws IOException {
    snapshot.close();
  }
}
