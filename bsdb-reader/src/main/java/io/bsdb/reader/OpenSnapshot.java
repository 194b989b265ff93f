package io.bsdb.reader;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Manifest;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.hash.KeyHash;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A snapshot, opened: its partitions, and the ways to bring their records, which the synchronous
 * and the asynchronous reader share. Safe for many threads.
 */
final class OpenSnapshot implements Closeable {
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final Logger LOG = LoggerFactory.getLogger(OpenSnapshot.class);

  private final Path directory;
  private final Manifest manifest;
  private final ReaderOptions options;
  private final List<Partition> partitions;
  private final FrameDecoder.Pools decoders;

  /** By number; null where the partition is outside of the reader's share of the keys. */
  private final @Nullable Partition[] byNumber;

  private final Calls calls;
  private final ReaderMetrics.Counters counters = new ReaderMetrics.Counters();
  private final Records records;
  private final ReaderMetrics metrics;
  private volatile @Nullable BlockReads reads;

  OpenSnapshot(
      Path directory,
      Manifest manifest,
      ReaderOptions options,
      List<Partition> partitions,
      FrameDecoder.Pools decoders) {
    this.directory = directory;
    this.manifest = manifest;
    this.options = options;
    this.partitions = List.copyOf(partitions);
    this.decoders = decoders;
    this.byNumber = new @Nullable Partition[manifest.partitions().size()];
    for (Partition partition : partitions) {
      byNumber[partition.number()] = partition;
    }
    this.calls = new Calls("reader of " + directory);
    this.records = Records.of(options, counters);
    this.metrics = new ReaderMetrics(calls, counters, this::readsInFlight, this::effectiveAccess);
  }

  Path directory() {
    return directory;
  }

  Manifest manifest() {
    return manifest;
  }

  ReaderOptions options() {
    return options;
  }

  /** Those that are open. */
  List<Partition> partitions() {
    return partitions;
  }

  /** Those with these numbers. */
  List<Partition> partitions(int first, int end) {
    List<Partition> selected = new ArrayList<>();
    for (int number = first; number < end; number++) {
      selected.add(partition(number));
    }
    return selected;
  }

  private Partition partition(int number) {
    Partition partition = byNumber[number];
    if (partition == null) {
      throw new IllegalArgumentException(
          "outside of what this reader has opened: partition=%d share=%s directory=%s"
              .formatted(number, options.share(), directory));
    }
    return partition;
  }

  Calls calls() {
    return calls;
  }

  /** Brings records in the calling thread. */
  Records records() {
    return records;
  }

  ReaderMetrics metrics() {
    return metrics;
  }

  /** Reads blocks in the background; begun when first asked for. Null if there is no need to. */
  @Nullable BlockReads reads() {
    BlockReads begun = reads;
    return begun != null || !options.access().readsFromDisk() ? begun : beginReads();
  }

  private synchronized BlockReads beginReads() {
    BlockReads begun = reads;
    if (begun == null) {
      if (calls.isClosed()) {
        throw calls.closedException();
      }
      begun =
          options.access() == Access.IO_URING
              ? UringReads.openOrFallBack(this)
              : new PooledReads(this, Access.DIRECT.name());
      reads = begun;
    }
    return begun;
  }

  private long readsInFlight() {
    BlockReads begun = reads;
    return begun == null ? 0 : begun.inFlight();
  }

  private String effectiveAccess() {
    BlockReads begun = reads;
    return begun == null ? options.access().name() : begun.description();
  }

  ReaderMetrics.Counters counters() {
    return counters;
  }

  /** The partition of a key with this hash. */
  Partition partition(long high) {
    return partition(SnapshotFormat.partition(high, byNumber.length));
  }

  /** The rank of a key in its partition, or −1 if it can be told already that it is absent. */
  int rank(Partition partition, HashValue128 hash, byte[] key) {
    return rank(partition, hash.getMostSignificantBits(), hash.getLeastSignificantBits(), key);
  }

  private int rank(Partition partition, long high, long low, byte[] key) {
    if (key.length == 0 || key.length > SnapshotFormat.MAX_KEY_LENGTH) {
      return -1;
    }
    int rank = partition.rank(high, low);
    if (rank < 0 && partition.properties().recordCount() > 0) {
      counters.signatureRejects.increment();
    }
    return rank;
  }

  /**
   * Partitions and ranks of many keys. A loop that does little else than read has the cache misses
   * of many keys under way at once.
   */
  void locate(List<byte[]> keys, Partition[] ofKeys, int[] ranks) {
    long[] high = new long[ranks.length];
    long[] low = new long[ranks.length];
    int touched = 0;
    for (int i = 0; i < ranks.length; i++) {
      HashValue128 hash = KeyHash.hash(keys.get(i));
      high[i] = hash.getMostSignificantBits();
      low[i] = hash.getLeastSignificantBits();
      ofKeys[i] = partition(high[i]);
    }
    for (int i = 0; i < ranks.length; i++) {
      touched += ofKeys[i].touchHash(high[i], low[i]);
    }
    MemoryRecords.keep(touched);
    for (int i = 0; i < ranks.length; i++) {
      ranks[i] = rank(ofKeys[i], high[i], low[i], keys.get(i));
    }
  }

  /**
   * What the caller is to see of a failure: an access outside of a buffer is damage, and so is one
   * to a part of a mapped file that somebody has cut off; to one that the system cannot read, it is
   * an exception of I/O.
   *
   * <p>Reads no mapped memory. What Java has still to raise of accesses before, it raises here, not
   * in the caller's code.
   */
  Throwable explained(Throwable thrown) {
    InternalError late = MappedFault.late();
    if (late != null && late != thrown) {
      late.addSuppressed(thrown);
    }
    Throwable failure = late == null ? thrown : late;
    if (!(failure instanceof IndexOutOfBoundsException || failure instanceof InternalError)) {
      return failure;
    }
    try {
      requireWholeFiles();
    } catch (CorruptSnapshotException e) {
      e.initCause(failure);
      return e;
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
    return failure instanceof InternalError fault
        ? MappedFault.explained(fault, "directory=" + directory)
        : damaged((IndexOutOfBoundsException) failure);
  }

  private void requireWholeFiles() throws IOException {
    for (Partition partition : partitions) {
      partition.file().requireWhole(partition.file().length());
    }
  }

  /** What an access outside of a buffer means, after all checks at open. */
  private CorruptSnapshotException damaged(IndexOutOfBoundsException e) {
    return new CorruptSnapshotException(
        "snapshot points outside of its own bytes: directory=%s %s"
            .formatted(directory, e.getMessage()),
        e);
  }

  /**
   * Refuses further calls, fails the reads that wait, waits for the calls under way and releases
   * everything. Idempotent.
   *
   * @throws CorruptSnapshotException if a call does not end and a mapped file was shortened, which
   *     may be why; nothing is released then
   */
  @Override
  public void close() throws IOException {
    BlockReads begun;
    synchronized (this) {
      if (!calls.close()) {
        return;
      }
      begun = reads;
    }
    if (begun != null && (begun.isReadThread() || records.isAnswering())) {
      // Waiting here for what only this thread can complete would be for ever.
      Thread closer = new Thread(() -> releaseLater(begun), "bsdb-close");
      closer.setDaemon(true);
      closer.start();
    } else {
      release(begun);
    }
  }

  private void releaseLater(BlockReads begun) {
    try {
      release(begun);
    } catch (IOException e) {
      LOG.error("closing {} failed", directory, e);
    }
  }

  private void release(@Nullable BlockReads begun) throws IOException {
    if (begun != null) {
      begun.close();
    }
    while (!calls.awaitEnd(PATIENCE)) {
      // Java may raise the error of a shortened file so that a call never ends: it stays mapped.
      requireWholeFiles();
    }
    records.close();
    decoders.close();
    closeAll(partitions);
  }

  static void closeAll(List<Partition> partitions) throws IOException {
    IOException failure = null;
    for (Partition partition : partitions) {
      try {
        partition.close();
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
