package io.bsdb.reader.snapshot;

import io.bsdb.format.block.DecoderPools;
import io.bsdb.format.io.Closing;
import io.bsdb.reader.block.BlockFile;
import io.bsdb.reader.block.BlockSource;
import io.bsdb.reader.block.CachedBlocks;
import io.bsdb.reader.block.DiskBlocks;
import io.bsdb.reader.block.MemoryBlocks;
import io.bsdb.reader.io.DirectFile;
import io.bsdb.reader.io.FileFailure;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.metrics.LookupCounters;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.partition.PartitionOpener;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.Partitioning;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The partition files of a version, opened, and where their blocks are fetched from, with the block
 * cache. Shared by successive versions that differ only in their changes. Safe for many threads.
 */
final class Base {
  private final List<PartitionFile> files;
  private final Partitioning partitioning;
  private final List<Partition> partitions;

  /** By number; null where the partition is outside of the reader's share of the keys. */
  private final @Nullable Partition[] byNumber;

  private final DecoderPools decoders;
  private final LookupCounters counters = new LookupCounters();

  /** By number of the partition: keys that its signatures rejected. */
  private final @Nullable LongAdder[] rejects;

  private final BlockSource uncached;
  private final BlockSource source;
  private int users = 1;
  private boolean ending;

  private Base(
      SnapshotFiles location,
      Manifest manifest,
      ReaderOptions options,
      List<Partition> partitions,
      DecoderPools decoders,
      Function<String, ? extends RuntimeException> closed) {
    this.files = manifest.partitions();
    this.partitioning = manifest.partitioning();
    this.partitions = List.copyOf(partitions);
    this.decoders = decoders;
    this.byNumber = new @Nullable Partition[manifest.partitions().size()];
    for (Partition partition : partitions) {
      byNumber[partition.number()] = partition;
    }
    String name = "reader of " + location.directory();
    this.uncached = openSource(options, name, closed);
    this.source =
        options.blockCacheBytes() > 0
            ? new CachedBlocks(
                uncached, options.blockCacheBytes(), counters, options.memory().elastic())
            : uncached;
    this.rejects = new @Nullable LongAdder[byNumber.length];
    for (Partition partition : partitions) {
      rejects[partition.number()] = counters.signatureRejects(partition.unit());
    }
  }

  private BlockSource openSource(
      ReaderOptions options, String name, Function<String, ? extends RuntimeException> closed) {
    Access access = options.access();
    if (!access.readsFromDisk()) {
      return new MemoryBlocks(access.name());
    }
    List<BlockFile> blockFiles = partitions.stream().map(Partition::blocks).toList();
    return new DiskBlocks(
        access == Access.IO_URING ? DiskBlocks.Queue.RING : DiskBlocks.Queue.POOL,
        access.name(),
        options.queueDepth(),
        blockFiles,
        counters,
        () -> closed.apply(name));
  }

  private static List<UUID> fileIds(List<PartitionFile> files) {
    return files.stream().map(PartitionFile::fileId).toList();
  }

  /**
   * Opens the partition files of a version, after their memory has been claimed.
   *
   * @param previous shares the files that both versions have, and passes on the bits of its
   *     signatures; may be null
   * @param closed makes what a call after close fails with, of what was closed
   */
  static Base open(
      SnapshotFiles location,
      Manifest manifest,
      ReaderOptions options,
      DirectFile.Opener sources,
      @Nullable Base previous,
      Function<String, ? extends RuntimeException> closed)
      throws IOException {
    Partitioning partitioning = manifest.partitioning();
    List<Partition> opened = new ArrayList<>();
    List<PartitionFile> absent = new ArrayList<>();
    DecoderPools pools = new DecoderPools();
    MemoryBudget.Claim claim = null;
    try {
      for (PartitionFile file : manifest.partitions()) {
        if (location.needs(file.partition(), partitioning, options)) {
          Partition shared = previous == null ? null : previous.share(file);
          if (shared == null) {
            absent.add(file);
          } else {
            opened.add(shared);
          }
        }
      }
      long[] bytes = new long[absent.size()];
      for (int i = 0; i < bytes.length; i++) {
        PartitionFile file = absent.get(i);
        bytes[i] = PartitionOpener.memory(location.partition(file), file, options);
      }
      claim =
          options
              .memory()
              .claim(
                  LongStream.of(bytes).sum(),
                  "table=%s version=%s".formatted(location.table(), manifest.version()),
                  "use access mapped");
      List<Partition> added = new ArrayList<>();
      for (int i = 0; i < bytes.length; i++) {
        PartitionFile file = absent.get(i);
        Partition partition =
            PartitionOpener.open(location.partition(file), file, manifest, options, sources, pools);
        partition.own(claim.split(bytes[i]));
        opened.add(partition);
        added.add(partition);
      }
      SignatureUnits.add(added, partitioning, options.memory().elastic(), previous);
      opened.sort(Comparator.comparingInt(Partition::number));
      return new Base(location, manifest, options, opened, pools, closed);
    } catch (IOException | RuntimeException | Error e) {
      Closing.after(e, () -> Closing.all(opened));
      pools.close();
      if (claim != null) {
        claim.close();
      }
      if (e instanceof IOException failure) {
        throw FileFailure.advised(failure, "each partition file stays open");
      }
      throw e;
    }
  }

  /** Returns the open partition of a file, for another user; null if there is none. */
  private @Nullable Partition share(PartitionFile file) {
    int number = file.partition();
    Partition partition = number < byNumber.length ? byNumber[number] : null;
    return partition != null
            && files.get(number).fileId().equals(file.fileId())
            && Objects.equals(files.get(number).lowerBound(), file.lowerBound())
            && partition.share()
        ? partition
        : null;
  }

  /** Returns whether these are the files that are to be opened of a version, too. */
  boolean isOf(SnapshotFiles location, Manifest manifest, ReaderOptions options) {
    return fileIds(files).equals(fileIds(manifest.partitions()))
        && IntStream.range(0, byNumber.length)
            .allMatch(
                number ->
                    location.needs(number, partitioning, options) == (byNumber[number] != null));
  }

  /** Adds a user; returns false if the last one is leaving. */
  synchronized boolean share() {
    if (ending) {
      return false;
    }
    users++;
    return true;
  }

  /**
   * Ends what the only user left has queued; does nothing while there are others. To be called
   * before the user waits for its calls.
   */
  void beginRelease() {
    synchronized (this) {
      if (users > 1) {
        return;
      }
      ending = true;
    }
    source.close();
  }

  /** Ends a use that has no call in flight; the last one closes everything. */
  void release() throws IOException {
    synchronized (this) {
      users--;
      if (users > 0) {
        return;
      }
      ending = true;
    }
    source.close(); // again, unless there were other users when this one began to leave
    counters.end();
    try {
      Closing.all(partitions);
    } finally {
      decoders.close();
    }
  }

  Partitioning partitioning() {
    return partitioning;
  }

  /** Returns the partitions that are open. */
  List<Partition> partitions() {
    return partitions;
  }

  /** Returns the partition with a number; null if it is outside of the share. */
  @Nullable Partition partition(int number) {
    return byNumber[number];
  }

  /** Returns where lookups fetch blocks from. */
  BlockSource source() {
    return source;
  }

  /** Returns where scans fetch blocks from: past the cache, which is for what is used again. */
  BlockSource uncached() {
    return uncached;
  }

  /** Returns how many bits of each signature are in memory, on average over the keys. */
  double signatureBits() {
    double keys = 0;
    double bits = 0;
    for (Partition partition : partitions) {
      keys += partition.recordCount();
      bits += (double) partition.recordCount() * partition.signatureBits();
    }
    return keys == 0 ? 0 : bits / keys;
  }

  /** Counts a key that the signatures of a partition rejected. */
  void signatureReject(Partition partition) {
    Objects.requireNonNull(rejects[partition.number()]).increment();
  }

  LookupCounters counters() {
    return counters;
  }

  void requireWholeFiles() throws IOException {
    for (Partition partition : partitions) {
      FileMemory memory = partition.blocks().memory();
      memory.requireWhole(memory.length());
    }
  }
}
