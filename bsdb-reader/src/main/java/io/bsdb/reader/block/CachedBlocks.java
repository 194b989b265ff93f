package io.bsdb.reader.block;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.block.Block;
import io.bsdb.format.io.StackRoom;
import io.bsdb.format.io.Thrown;
import io.bsdb.reader.memory.ElasticMemory;
import io.bsdb.reader.metrics.LookupCounters;
import java.io.IOException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A block cache in front of another source, bounded in bytes. Frames are decompressed as they are
 * asked for and kept so, so that the first lookup in a block pays for one frame and later ones for
 * none. Concurrent misses of one block, synchronous and asynchronous, fetch it once.
 */
public final class CachedBlocks implements BlockSource, ElasticMemory.Cache {
  @SuppressWarnings("StaticAssignmentOfThrowable") // there is no memory for another
  private static final OutOfMemoryError NO_MEMORY =
      new OutOfMemoryError("a block could not be loaded, and there was no memory to say why");

  private final BlockSource source;
  private final AsyncCache<Long, CachedBlock> cache;
  private final RecentBlocks recent;
  private final LookupCounters counters;
  private final ElasticMemory memory;
  private final long maxBytes;

  /** Threads within a fetch of their own that complete futures which others wait for. */
  private final Set<Thread> completing = ConcurrentHashMap.newKeySet();

  /**
   * @param maxBytes maximum size of all blocks in the cache
   * @param memory which may hold less of them
   */
  public CachedBlocks(
      BlockSource source, long maxBytes, LookupCounters counters, ElasticMemory memory) {
    this.source = source;
    this.maxBytes = maxBytes;
    this.memory = memory;
    this.counters = counters;
    this.recent = new RecentBlocks(maxBytes / SnapshotFormat.PAGE);
    this.cache =
        Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumWeight(0)
            .weigher((Long id, CachedBlock block) -> block.weight())
            .removalListener(this::removed)
            .buildAsync();
    memory.add(this);
    failOnce();
  }

  /**
   * Has the classes loaded that a failed load needs. When the first one fails there may be too
   * little stack for that, and others would wait for ever for the block.
   */
  private void failOnce() {
    CompletableFuture<CachedBlock> load = new CompletableFuture<>();
    cache.put(-1L, load);
    load.completeExceptionally(new LoadFailure(new IOException()));
  }

  @Override
  public long maxBytes() {
    return maxBytes;
  }

  @Override
  public long hits() {
    return counters.cacheHits();
  }

  @Override
  public void limit(long bytes) {
    cache.synchronous().policy().eviction().orElseThrow().setMaximum(bytes);
  }

  private void removed(@Nullable Long id, @Nullable CachedBlock block, RemovalCause cause) {
    if (block != null) {
      recent.evict(block);
    }
  }

  private static long id(BlockFile file, int number) {
    return (long) file.number() << 32 | number;
  }

  @Override
  public Block fetch(BlockFile file, int number) throws IOException {
    CachedBlock hit = recent.get(id(file, number));
    if (hit == null) {
      hit = find(file, number);
    } else {
      counters.cacheHit();
    }
    return hit;
  }

  private CachedBlock find(BlockFile file, int number) throws IOException {
    try {
      CompletableFuture<CachedBlock> found = find(file, number, mine -> load(file, number, mine));
      if (!found.isDone() && ReadThread.isCurrent()) {
        return load(file, number); // it may be this thread that is to complete the other
      }
      CachedBlock block = found.join();
      if (block == null) {
        throw new OutOfMemoryError(NO_MEMORY.getMessage());
      }
      recent.add(block);
      return block;
    } catch (CancellationException e) {
      Throwable failure = e instanceof LoadFailure ? e : e.getCause(); // newer Java wraps it
      Throwable cause = failure == null ? null : failure.getCause();
      throw Thrown.asIs(Objects.requireNonNullElse(cause, e));
    }
  }

  /**
   * Returns a block that is here or in flight, or else loads it.
   *
   * @param load completes the future, now or later
   */
  private CompletableFuture<CachedBlock> find(
      BlockFile file, int number, Consumer<CompletableFuture<CachedBlock>> load) {
    Long id = id(file, number);
    CompletableFuture<CachedBlock> present = cache.getIfPresent(id);
    if (present != null && hasFailed(present)) { // the cache may not have heard of it
      cache.asMap().remove(id, present);
      present = null;
    }
    if (present == null) {
      StackRoom.require(); // else others wait for ever for what this thread cannot complete
      CompletableFuture<CachedBlock> mine = new CompletableFuture<>();
      try {
        present = cache.asMap().putIfAbsent(id, mine);
      } catch (RuntimeException | Error e) { // no memory, or none to log that; it may be there
        fail(mine, e);
        throw e;
      }
      if (present == null) {
        counters.cacheMiss();
        try {
          load.accept(mine);
        } catch (Throwable e) { // it was not even begun
          fail(mine, e);
        }
        return mine;
      }
    }
    counters.cacheHit();
    return present;
  }

  private static boolean hasFailed(CompletableFuture<CachedBlock> load) {
    return load.isDone() && (load.isCompletedExceptionally() || load.join() == null);
  }

  private void load(BlockFile file, int number, CompletableFuture<CachedBlock> mine) {
    boolean outermost = completing.add(Thread.currentThread()); // a stage may look up, too
    try {
      mine.complete(load(file, number));
    } catch (Throwable e) {
      fail(mine, e);
    } finally {
      if (outermost) {
        completing.remove(Thread.currentThread());
      }
    }
  }

  /**
   * Fails a load for all who wait for it. Where there is no memory for that, they find no block
   * instead: it must not be that they wait for ever.
   */
  private static void fail(CompletableFuture<CachedBlock> load, Throwable cause) {
    try {
      load.completeExceptionally(new LoadFailure(cause));
    } catch (OutOfMemoryError e) { // or one who waits had none
      ReadThread.complete(load, null, null);
    }
  }

  private CachedBlock load(BlockFile file, int number) throws IOException {
    Block block = source.fetch(file, number);
    try {
      return cached(file, number, block);
    } finally {
      block.release();
    }
  }

  private CachedBlock cached(BlockFile file, int number, Block block) throws IOException {
    return source.batching() == Batching.IN_PLACE
        ? CachedBlock.inMemory(id(file, number), file, block)
        : CachedBlock.copyOf(id(file, number), file, block);
  }

  /**
   * Says why a block could not be loaded. The cache logs any other exception, as if nobody saw it.
   */
  private static final class LoadFailure extends CancellationException {
    private static final long serialVersionUID = 1L;

    LoadFailure(Throwable cause) {
      super("block could not be loaded: " + cause);
      initCause(cause);
    }
  }

  @Override
  public void fetch(BlockRequest request) {
    BlockFile file = request.file;
    int number = request.number;
    CompletableFuture<CachedBlock> found =
        find(file, number, mine -> source.fetch(new Load(file, number, mine)));
    if (found.isDone() && !found.isCompletedExceptionally()) {
      complete(request, found.join(), null);
    } else {
      // Not whenComplete: that passes on a failure, which takes memory, after the request is
      // answered.
      var unused =
          found.handle(
              (block, failure) -> {
                complete(request, block, failure);
                return null;
              });
    }
  }

  /** Loads a block into the cache. */
  private final class Load extends BlockRequest {
    private final CompletableFuture<CachedBlock> target;

    Load(BlockFile file, int number, CompletableFuture<CachedBlock> target) {
      super(file, number);
      this.target = target;
    }

    @Override
    protected void fetched(Block block, int base) throws IOException {
      target.complete(cached(file, number, block));
    }

    @Override
    protected void failed(Throwable cause) {
      fail(target, cause);
    }
  }

  private void complete(
      BlockRequest request, @Nullable CachedBlock cached, @Nullable Throwable failure) {
    if (cached != null) {
      request.complete(cached);
      return;
    }
    Throwable cause =
        failure instanceof LoadFailure && failure.getCause() != null ? failure.getCause() : failure;
    request.failed(cause == null ? NO_MEMORY : cause);
  }

  @Override
  public Batching batching() {
    return source.batching() == Batching.TOGETHER ? Batching.TOGETHER : Batching.IN_TURN;
  }

  @Override
  public boolean isCallbackThread() {
    return ReadThread.isCurrent() || completing.contains(Thread.currentThread());
  }

  @Override
  public long inFlight() {
    return source.inFlight();
  }

  @Override
  public String description() {
    return source.description();
  }

  @Override
  public void close() {
    source.close();
    cache.synchronous().invalidateAll();
    memory.remove(this);
  }
}
