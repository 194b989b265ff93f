package io.bsdb.reader;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.block.BlockReader;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.io.PageBuffer;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A block cache before disk or before compressed memory, bounded in bytes. A block enters
 * decompressed, frame by frame as frames are asked for, so that the first lookup in a block pays
 * for one frame and later ones for none. Concurrent misses of one block, synchronous and
 * asynchronous, read it once.
 */
final class CachedRecords implements Records {
  private static final int ENTRY_OVERHEAD = 160;

  /** Frames are passed between threads: what is in one must be seen before the reference to it. */
  private static final VarHandle FRAMES = MethodHandles.arrayElementVarHandle(byte[][].class);

  private final @Nullable DiskRecords disk;
  private final AsyncCache<Long, CachedBlock> cache;
  private final PageBuffer.Pool buffers = new PageBuffer.Pool();
  private final ReaderMetrics.Counters counters;

  /**
   * @param disk null if blocks are in memory
   */
  CachedRecords(@Nullable DiskRecords disk, long bytes, ReaderMetrics.Counters counters) {
    this.disk = disk;
    this.counters = counters;
    this.cache =
        Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumWeight(bytes)
            .weigher((Long id, CachedBlock block) -> block.weight())
            .buildAsync();
  }

  /**
   * A block in the cache: its bytes as they lie in the file, or its frames, decompressed when first
   * asked for.
   */
  static final class CachedBlock {
    private final ByteBuffer block;
    private final byte[] @Nullable [] frames;
    private final int plainLength;

    private CachedBlock(ByteBuffer block, int frameCount, int plainLength) {
      this.block = block;
      this.frames = frameCount == 0 ? new byte[0][] : new byte[frameCount] @Nullable [];
      this.plainLength = plainLength;
    }

    private int weight() {
      long most = ENTRY_OVERHEAD + block.capacity() + frames.length * (plainLength + 16L);
      return (int) Math.min(most, Integer.MAX_VALUE);
    }
  }

  private static Long id(Partition partition, int block) {
    return (long) partition.number() << 32 | block;
  }

  private CachedBlock block(Partition partition, int block) throws IOException {
    try {
      return find(partition, block, mine -> load(partition, block, mine)).join();
    } catch (LoadFailure e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      if (e.getCause() instanceof Error failure) {
        throw failure;
      }
      throw e;
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
        load.accept(mine);
        return mine;
      }
    }
    counters.cacheHits.increment();
    return present;
  }

  private void load(Partition partition, int block, CompletableFuture<CachedBlock> mine) {
    try {
      mine.complete(load(partition, block));
    } catch (Throwable e) {
      mine.completeExceptionally(new LoadFailure(e));
    }
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
      return copy(partition, chunk, FileMemory.index(partition.offset(block)));
    }
    PageBuffer buffer = buffers.take();
    try {
      int base = source.read(partition, block, buffer);
      return copy(partition, buffer.buffer(), base);
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
                    mine.complete(copy(partition, buffer, base));
                  }

                  @Override
                  void failed(Throwable cause) {
                    mine.completeExceptionally(new LoadFailure(cause));
                  }
                }));
  }

  private static CachedBlock copy(Partition partition, ByteBuffer source, int base)
      throws CorruptSnapshotException {
    int length = BlockReader.bodyLength(source, base) + SnapshotFormat.BLOCK_HEADER_LENGTH;
    if (!partition.hasFrames()) {
      ByteBuffer copy = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
      copy.put(0, source, base, length);
      return new CachedBlock(copy, 0, 0);
    }
    ByteBuffer copy = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
    copy.put(0, source, base, length);
    return new CachedBlock(
        copy,
        BlockReader.frameCount(source, base),
        partition.blocks().framePlainLength(source, base));
  }

  /** The body of a frame, decompressed now if nobody asked for it before. */
  private static byte[] frame(Partition partition, CachedBlock cached, int record)
      throws CorruptSnapshotException {
    int frame = BlockReader.frameOf(cached.block, 0, record);
    byte[] body = (byte[]) FRAMES.getAcquire(cached.frames, frame);
    if (body != null) {
      return body;
    }
    FrameDecoder decoder = partition.decoders().take();
    try {
      int length = partition.decode(decoder, cached.block, 0, record);
      body = new byte[length];
      decoder.plain().get(0, body);
      FRAMES.setRelease(cached.frames, frame, body);
      return body;
    } finally {
      partition.decoders().give(decoder);
    }
  }

  private static long findInFrame(
      Partition partition, CachedBlock cached, ByteBuffer body, int record, byte[] key)
      throws CorruptSnapshotException {
    return partition.findInBody(
        body,
        0,
        body.capacity(),
        BlockReader.frameRecordCount(cached.block, 0, record),
        BlockReader.indexInFrame(cached.block, 0, record),
        key);
  }

  private static ByteBuffer wrap(byte[] body) {
    return ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public byte @Nullable [] get(Partition partition, int rank, byte[] key) throws IOException {
    int block = partition.index().block(rank);
    return get(partition, block(partition, block), block, rank, key);
  }

  /** The value of {@code key} if it is the one with this rank, or null; from its block. */
  static byte @Nullable [] get(
      Partition partition, CachedBlock cached, int block, int rank, byte[] key) throws IOException {
    if (!partition.hasFrames()) {
      return partition.value(cached.block, 0, rank, block, key);
    }
    int record = rank - BlockReader.firstRank(cached.block, 0);
    ByteBuffer body = wrap(frame(partition, cached, record));
    return Partition.copy(body, findInFrame(partition, cached, body, record, key));
  }

  @Override
  public int get(Partition partition, int rank, byte[] key, ByteBuffer target) throws IOException {
    int block = partition.index().block(rank);
    CachedBlock cached = block(partition, block);
    if (!partition.hasFrames()) {
      return partition.value(cached.block, 0, rank, block, key, target);
    }
    int record = rank - BlockReader.firstRank(cached.block, 0);
    ByteBuffer body = wrap(frame(partition, cached, record));
    return Partition.copy(body, findInFrame(partition, cached, body, record, key), target);
  }

  @Override
  public void getAll(
      Partition[] partitions, int[] ranks, List<byte[]> keys, byte[] @Nullable [] values)
      throws IOException {
    for (BlockGroups.Group group : BlockGroups.of(partitions, ranks)) {
      CachedBlock cached = block(group.partition(), group.block());
      for (int i : group.keys()) {
        values[i] = get(group.partition(), cached, group.block(), ranks[i], keys.get(i));
      }
    }
  }

  @Override
  public void close() {
    cache.synchronous().invalidateAll();
  }
}
