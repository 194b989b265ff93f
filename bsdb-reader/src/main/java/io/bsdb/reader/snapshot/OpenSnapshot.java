package io.bsdb.reader.snapshot;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.LentBytes;
import io.bsdb.format.index.KeyIndex;
import io.bsdb.format.io.Closing;
import io.bsdb.reader.block.BlockFetch;
import io.bsdb.reader.block.BlockSource;
import io.bsdb.reader.block.ReadAhead;
import io.bsdb.reader.memory.ElasticMemory;
import io.bsdb.reader.memory.SignatureUnit;
import io.bsdb.reader.metrics.ReaderMetrics;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.overlay.ChangeTable;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.reader.overlay.SortedChanges;
import io.bsdb.reader.partition.Partition;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.SegmentFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A snapshot, opened: its partitions and where their blocks are fetched from, which the synchronous
 * and the asynchronous reader share. Safe for many threads.
 */
public final class OpenSnapshot implements Closeable {
  private static final Duration CLOSE_CHECK_INTERVAL = Duration.ofSeconds(1);
  private static final Logger LOG = LoggerFactory.getLogger(OpenSnapshot.class);

  private final SnapshotFiles files;
  private final Path directory;
  private final Manifest manifest;
  private final ReaderOptions options;
  private final Base base;
  private final @Nullable Overlay overlay;
  private volatile @Nullable ChangeTable grown;
  private final Partitioning partitioning;
  private final Calls calls;
  private final Failures failures;
  private final ReaderMetrics metrics;
  private final ElasticMemory.Lookups lookups;

  /** The changes after {@link #historyAfter}, for comparisons of slices; null if none has begun. */
  private @Nullable Overlay history;

  private long historyAfter;

  /** By partition; null until they are counted. */
  private long @Nullable [] changedKeys;

  /** Set once, before this is shared. */
  private DeletedRuns deletedRuns = DeletedRuns.NONE;

  /**
   * Takes over base and changes.
   *
   * @param overlay null if there are no changes
   * @param closed makes what a call after close fails with, of what was closed
   */
  OpenSnapshot(
      SnapshotFiles files,
      Manifest manifest,
      ReaderOptions options,
      Base base,
      @Nullable Overlay overlay,
      Function<String, ? extends RuntimeException> closed) {
    this.files = files;
    this.directory = files.directory();
    this.manifest = manifest;
    this.options = options;
    this.base = base;
    this.overlay = overlay;
    this.failures = new Failures(directory, base, overlay);
    this.partitioning = manifest.partitioning();
    this.calls = new Calls("reader of " + directory, closed);
    this.lookups = calls::awaitLookups;
    options.memory().elastic().add(lookups);
    BlockSource source = base.source();
    this.metrics =
        new ReaderMetrics(
            base.counters(),
            calls::hits,
            calls::misses,
            source::inFlight,
            source::description,
            base::signatureBits,
            options.memory());
  }

  public Path directory() {
    return directory;
  }

  public Manifest manifest() {
    return manifest;
  }

  /**
   * Sets changes of a log, which the next version may have, so that it need not read their records.
   *
   * @param changes to which nothing is added any more; null for none. To be set to null before they
   *     are closed
   */
  public void grown(@Nullable ChangeTable changes) {
    grown = changes;
  }

  @Nullable ChangeTable grown() {
    return grown;
  }

  public ReaderOptions options() {
    return options;
  }

  /** Returns the partitions that are open. */
  public List<Partition> partitions() {
    return base.partitions();
  }

  /** Returns the partition with a number. */
  public Partition partition(int number) {
    Partition partition = base.partition(number);
    if (partition == null) {
      throw new IllegalArgumentException(
          "outside of what this reader has opened: partition=%d share=%s directory=%s"
              .formatted(number, options.share(), directory));
    }
    return partition;
  }

  /**
   * Checks that keys can be looked up by their order.
   *
   * @throws IllegalStateException naming the option that is missing
   */
  public void requireKeyOrder() {
    if (partitioning.order() != RecordOrder.KEY) {
      throw new IllegalStateException(
          "the table is in hash order, which answers no floors, ranges and prefixes: directory=%s; build it with order 'key' (WriterOptions.order, --order key, 'sink.order' = 'key')"
              .formatted(directory));
    }
  }

  public Calls calls() {
    return calls;
  }

  Base base() {
    return base;
  }

  /** Returns the changes over the base; null if there are none. */
  public @Nullable Overlay overlay() {
    return overlay;
  }

  /**
   * Opens segments of this version, such as those of its history, separately; all their changes
   * apply. To be closed.
   *
   * @throws java.nio.file.NoSuchFileException if one is not where the reader reads its files
   */
  public Overlay changesOf(List<SegmentFile> segments) throws IOException {
    int call = calls.enterScan();
    try {
      return Overlay.open(
          segments,
          files::segment,
          RecordOrder.HASH,
          (key, length, high, segment) -> true,
          options,
          new Overlay.Before(overlay, Overlay.Kept.NONE, null));
    } finally {
      calls.left(call);
    }
  }

  /**
   * Opens all changes after a segment, those that have been folded since included. To be closed;
   * the last ones stay open with this, so that comparisons of further slices share them.
   *
   * @throws java.nio.file.NoSuchFileException as {@link #changesOf}
   */
  public synchronized Overlay history(long after) throws IOException {
    int call = calls.enterScan();
    try {
      Overlay last = history;
      if (last == null || historyAfter != after) {
        history = changesOf(manifest.changes().after(after));
        historyAfter = after;
        if (last != null) {
          last.close();
        }
      }
      return Objects.requireNonNull(history).share();
    } finally {
      calls.left(call);
    }
  }

  /** Returns the changes over the base by key; null if there are none, and in hash order. */
  public @Nullable SortedChanges sortedChanges() {
    Overlay changes = overlay;
    return changes == null ? null : changes.sorted();
  }

  /** Finds long runs of deleted records, before this is shared. */
  void findDeletedRuns(DeletedRuns known) {
    deletedRuns = DeletedRuns.of(this, known);
  }

  DeletedRuns deletedRuns() {
    return deletedRuns;
  }

  /** Skips a run of deleted records, as {@link DeletedRuns#skip} does. */
  public int skipDeleted(int partition, int record, boolean backward) {
    return deletedRuns.skip(partition, record, backward);
  }

  /** Returns where lookups fetch blocks from. */
  public BlockSource source() {
    return base.source();
  }

  /** Returns where single blocks are fetched from that no lookup will ask for again. */
  public BlockSource uncached() {
    return base.uncached();
  }

  /** Returns where a scan of one thread fetches blocks from: past the block cache. */
  public BlockFetch scanned() {
    return ahead(base.uncached());
  }

  /** Returns where a walk of one thread through neighbouring blocks fetches them from. */
  public BlockFetch sequential() {
    return ahead(base.source());
  }

  private BlockFetch ahead(BlockSource source) {
    return options.access().readsFromDisk() ? new ReadAhead(source, base.counters()) : source;
  }

  public ReaderMetrics metrics() {
    return metrics;
  }

  /** Returns what explains failures to callers. */
  public Failures failures() {
    return failures;
  }

  /**
   * Returns the partition of a key.
   *
   * @param high upper word of its hash
   */
  public Partition partition(byte[] key, long high) {
    return partition(partitioning.partition(key, high));
  }

  /** Finds the newest change of a key, as {@link ChangeTable#find} does. */
  public long findChange(byte[] key, long high) {
    Overlay changes = overlay;
    return changes == null ? Overlay.UNCHANGED : changes.table().find(key, high);
  }

  /**
   * Returns the number of changed keys of a partition. Those of all partitions are counted once. In
   * hash order only.
   */
  synchronized long changedKeys(int partition) {
    Overlay changes = overlay;
    if (changes == null) {
      return 0;
    }
    long[] counts = changedKeys;
    if (counts == null) {
      int call = calls.enterScan();
      try {
        counts = changes.changedKeys(partitioning);
      } finally {
        calls.left(call);
      }
      changedKeys = counts;
    }
    return counts[partition];
  }

  /** Returns the changes over the base; there must be some. */
  public Overlay requireOverlay() {
    Overlay changes = overlay;
    if (changes == null) {
      throw new IllegalStateException("no changes");
    }
    return changes;
  }

  public Partitioning partitioning() {
    return partitioning;
  }

  /**
   * Locates a key in its partition, as {@link KeyIndex#locate} does. In key order without a perfect
   * hash that may read blocks.
   */
  public long locate(Partition partition, byte[] key, long high, long low) throws IOException {
    return partition.index().needsSearch()
        ? OrderedSeek.locate(this, partition, key)
        : counted(partition, key, partition.index().locate(key, high, low));
  }

  /**
   * Counts a key that signatures reject.
   *
   * @param located where an index has located it
   * @return the same
   */
  public long counted(Partition partition, byte[] key, long located) {
    if (located < 0 && key.length > 0 && partition.recordCount() > 0) {
      base.signatureReject(partition);
    }
    return located;
  }

  /** Counts a record that was looked at, and has another key. */
  public void countOtherKey(Partition partition) {
    if (options.access().readsFromDisk()) {
      base.counters().falsePositive();
      SignatureUnit unit = partition.unit();
      if (unit != null) {
        unit.absentKey();
      }
    }
  }

  /**
   * Refuses further calls, fails the requests that wait, waits for the calls in flight and releases
   * everything. Idempotent.
   *
   * @throws CorruptSnapshotException if a call does not end and a mapped file was shortened, which
   *     may be why; nothing is released then
   */
  @Override
  public void close() throws IOException {
    if (!calls.close()) {
      return;
    }
    if (source().isCallbackThread() || LentBytes.isLending()) {
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
      LOG.error("closing {} failed", directory, e);
    }
  }

  private void release() throws IOException {
    base.beginRelease();
    while (!calls.awaitEnd(CLOSE_CHECK_INTERVAL)) {
      // Java may raise the error of a shortened file so that a call never ends: it stays mapped.
      failures.requireWholeFiles();
    }
    options.memory().elastic().remove(lookups);
    Closing.all(
        Stream.<@Nullable Closeable>of(history, overlay, base::release)
            .filter(Objects::nonNull)
            .toList());
  }
}
