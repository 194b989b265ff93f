package io.bsdb.reader;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.io.PageBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A block cache before disk or before compressed memory, bounded in bytes. A block enters
 * decompressed, frame by frame as frames are asked for, so that the first lookup in a block pays
 * for one frame and later ones for none. Concurrent misses of one block, synchronous and
 * asynchronous, read it once.
 */
final class CachedRecords implements Records {
  private final @Nullable DiskRecords disk;
  private final AsyncCache<Long, CachedBlock> cache;
  private final RecentBlocks recent;
  private final PageBuffer.Pool buffers = new PageBuffer.Pool();
  private final ReaderMetrics.Counters counters;

  /** Threads within a lookup of their own that complete futures which others wait for. */
  private final Set<Thread> answering = ConcurrentHashMap.newKeySet();

  /**
   * @param disk null if blocks are in memory
   */
  CachedRecords(@Nullable DiskRecords disk, long bytes, ReaderMetrics.Counters counters) {
    this.disk = disk;
    this.counters = counters;
    this.recent = new RecentBlocks(bytes / SnapshotFormat.PAGE);
    this.cache =
        Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumWeight(bytes)
            .weigher((Long id, CachedBlock block) -> block.weight())
            .removalListener(this::removed)
            .buildAsync();
  }

  private void removed(@Nullable Long id, @Nullable CachedBlock block, RemovalCause cause) {
    if (block != null) {
      recent.evict(block);
    }
  }

  private static long id(Partition partition, int block) {
    return (long) partition.number() << 32 | block;
  }

  private CachedBlock block(Partition partition, int block) throws IOException {
    CachedBlock hit = recent.get(id(partition, block));
    if (hit != null) {
      counters.cacheHits.increment();
      return hit;
    }
    try {
      CompletableFuture<CachedBlock> found =
          find(partition, block, mine -> load(partition, block, mine));
      if (!found.isDone() && ReadThread.isCurrent()) {
        return load(partition, block); // it may be this thread that is to complete the other
      }
      recent.add(found.join());
      return found.join();
    } catch (CancellationException e) {
      Throwable failure = e instanceof LoadFailure ? e : e.getCause(); // newer Java wraps it
      Throwable cause = failure == null ? null : failure.getCause();
      throw Thrown.asIs(Objects.requireNonNullElse(cause, e));
    }
  }

  /**
   * A block that is here, or on its way, or else is brought now.
   *
   * @param load brings it: completes the future, now or later
   */
  private CompletableFuture<CachedBlock> find(
      Partition partition, int block, Consumer<CompletableFuture<CachedBlock>> load) {
    Long id = id(partition, block);
    CompletableFuture<CachedBlock> present = cache.getIfPresent(id);
    if (present == null) {
      CompletableFuture<CachedBlock> mine = new CompletableFuture<>();
      present = cache.asMap().putIfAbsent(id, mine);
      if (present == null) {
        counters.cacheMisses.increment();
        try {
          load.accept(mine);
        } catch (Throwable e) { // it was not even begun
          mine.completeExceptionally(new LoadFailure(e));
        }
        return mine;
      }
    }
    counters.cacheHits.increment();
    return present;
  }

  private void load(Partition partition, int block, CompletableFuture<CachedBlock> mine) {
    answering.add(Thread.currentThread());
    try {
      mine.complete(load(partition, block));
    } catch (Throwable e) {
      mine.completeExceptionally(new LoadFailure(e));
    } finally {
      answering.remove(Thread.currentThread());
    }
  }

  @Override
  public boolean isAnswering() {
    return answering.contains(Thread.currentThread());
  }

  /**
   * Why a block could not be loaded. The cache would log another exception, as if nobody saw it.
   */
  static final class LoadFailure extends CancellationException {
    private static final long serialVersionUID = 1L;

    LoadFailure(Throwable cause) {
      super("block could not be loaded: " + cause);
      initCause(cause);
    }
  }

  private CachedBlock load(Partition partition, int block) throws IOException {
    DiskRecords source = disk;
    if (source == null) {
      ByteBuffer chunk = partition.inMemory(block);
      int base = FileMemory.index(partition.offset(block));
      return CachedBlock.inMemory(id(partition, block), partition, chunk, base);
    }
    PageBuffer buffer = buffers.take();
    try {
      int base = source.read(partition, block, buffer);
      return CachedBlock.copyOf(id(partition, block), partition, buffer.buffer(), base);
    } finally {
      buffers.give(buffer);
    }
  }

  /**
   * A block, read in the background unless it is here or on its way already.
   *
   * @return fails with a {@link LoadFailure} if the read does
   */
  CompletableFuture<CachedBlock> later(Partition partition, int block, BlockReads reads) {
    return find(
        partition,
        block,
        mine ->
            reads.read(
                new BlockReads.Request(partition, block) {
                  @Override
                  void completed(ByteBuffer buffer, int base) throws IOException {
                    mine.complete(
                        CachedBlock.copyOf(id(partition, block), partition, buffer, base));
                  }

                  @Override
                  void failed(Throwable cause) {
                    mine.completeExceptionally(new LoadFailure(cause));
                  }
                }));
  }

  @Override
  public byte @Nullable [] get(Partition partition, int rank, byte[] key) throws IOException {
    int block = partition.index().block(rank);
    return block(partition, block).value(partition, block, rank, key);
  }

  @Override
  public int get(Partition partition, int rank, byte[] key, ByteBuffer target) throws IOException {
    int block = partition.index().block(rank);
    return block(partition, block).value(partition, block, rank, key, target);
  }

  @Override
  public void getAll(
      Partition[] partitions, int[] ranks, List<byte[]> keys, byte[] @Nullable [] values)
      throws IOException {
    for (BlockGroups.Group group : BlockGroups.of(partitions, ranks)) {
      CachedBlock cached = block(group.partition(), group.block());
      for (int i : group.keys()) {
        values[i] = cached.value(group.partition(), group.block(), ranks[i], keys.get(i));
      }
    }
  }

  @Override
  public void close() {
    cache.synchronous().invalidateAll();
  }
}
