package io.bsdb.reader;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.block.Block;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.index.KeyIndex;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.block.BlockFile;
import io.bsdb.reader.block.BlockSource;
import io.bsdb.reader.block.BlockSource.Batching;
import io.bsdb.reader.io.DirectFile;
import io.bsdb.reader.io.Thrown;
import io.bsdb.reader.metrics.ReaderMetrics;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.overlay.ChangeTable;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.partition.RecordWalk;
import io.bsdb.table.Manifest;
import io.bsdb.table.PartitionSource;
import io.bsdb.table.Partitioning;
import io.bsdb.table.RecordOrder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Looks up in the calling thread. */
final class CallingReader implements SnapshotReader {
  /** Result of a lookup whose value is in the caller's buffer. */
  private static final byte[] COPIED = new byte[0];

  private final OpenSnapshot snapshot;
  private final Calls calls;
  private final BlockSource source;
  private final FieldSelection selection;

  CallingReader(OpenSnapshot snapshot) {
    this(snapshot, FieldSelection.ALL);
  }

  private CallingReader(OpenSnapshot snapshot, FieldSelection selection) {
    this.snapshot = snapshot;
    this.selection = selection;
    this.calls = snapshot.calls();
    this.source = snapshot.source();
  }

  @Override
  public byte @Nullable [] get(byte[] key) throws IOException {
    Objects.requireNonNull(key, "key");
    return count(key, null);
  }

  @Override
  public int get(byte[] key, ByteBuffer target) throws IOException {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(target, "target");
    int start = target.position();
    return count(key, target) == null ? NOT_FOUND : target.position() - start;
  }

  private byte @Nullable [] count(byte[] key, @Nullable ByteBuffer target) throws IOException {
    int call = calls.enter();
    byte[] value;
    try {
      value = lookUp(key, KeyHash.hash(key), target);
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
  public byte @Nullable [] find(byte[] key, HashValue128 hash, @Nullable ByteBuffer target)
      throws IOException {
    int call = enterIfElastic();
    try {
      return lookUp(key, hash, target);
    } catch (Throwable e) {
      throw failed(e);
    } finally {
      leaveIfElastic(call);
    }
  }

  /** Begins a call whose caller keeps files and memory, but for what a memory budget replaces. */
  private int enterIfElastic() {
    return snapshot.options().memory().isLimited() ? calls.enter() : 0;
  }

  private void leaveIfElastic(int call) {
    if (call != 0) {
      calls.left(call);
    }
  }

  private byte @Nullable [] lookUp(byte[] key, HashValue128 hash, @Nullable ByteBuffer target)
      throws IOException {
    Partition partition = snapshot.partition(key, hash.getMostSignificantBits());
    long changed = snapshot.findChange(key, hash);
    if (changed != Overlay.UNCHANGED) {
      return changed < 0 ? null : snapshot.requireOverlay().copy(changed, target);
    }
    long located = locate(partition, key, hash);
    if (located < 0) {
      return null;
    }
    BlockFile file = partition.blocks();
    int number = KeyIndex.block(located);
    Block block = source.fetch(file, number).readable(file.decoders(), selection);
    try {
      long found = partition.index().find(block, block.base(number), located, key);
      if (found < 0) {
        snapshot.countOtherKey(partition);
        return null;
      }
      return copy(block, found, target);
    } finally {
      block.release();
    }
  }

  private static byte[] copy(Block block, long found, @Nullable ByteBuffer target) {
    if (target == null) {
      return block.copy(found);
    }
    var unused = block.copy(found, target);
    return COPIED;
  }

  private long locate(Partition partition, byte[] key, HashValue128 hash) throws IOException {
    return snapshot.locate(
        partition, key, hash.getMostSignificantBits(), hash.getLeastSignificantBits());
  }

  @Override
  public List<byte @Nullable []> getAll(List<byte[]> keys) throws IOException {
    HashedKeys hashed = new HashedKeys(keys);
    if (isBatchedByRequests()) {
      findAll(hashed);
      return hashed.values();
    }
    int call = calls.enter();
    try {
      findAll(hashed);
    } catch (Throwable e) {
      calls.left(call);
      throw Thrown.asIs(e);
    }
    calls.batch(call, hashed);
    return hashed.values();
  }

  @Override
  public void findAll(HashedKeys keys) throws IOException {
    int call = enterIfElastic();
    try {
      if (isBatchedByRequests()) {
        var unused = new FutureReader(snapshot, selection).getAll(keys).join();
      } else {
        KeyBatch.locate(snapshot, keys, selection).fetch();
      }
    } catch (CompletionException e) { // explained and counted already
      throw Thrown.asIs(Objects.requireNonNullElse(e.getCause(), e));
    } catch (Throwable e) {
      throw failed(e);
    } finally {
      leaveIfElastic(call);
    }
  }

  /** Returns whether a batch is a call of the asynchronous sibling, which counts it. */
  private boolean isBatchedByRequests() {
    return source.batching() == Batching.TOGETHER && !source.isCallbackThread();
  }

  /** Ends a call that failed; see {@link Thrown#asIs}. */
  private IOException failed(int call, Throwable thrown) {
    try {
      return failed(thrown);
    } finally {
      calls.left(call); // only now: what explains a failure looks at files
    }
  }

  /** Counts a failure and returns its exception; see {@link Thrown#asIs}. */
  private IOException failed(Throwable thrown) {
    Throwable explained = snapshot.explained(thrown);
    snapshot.counters().failure();
    return Thrown.asIs(explained);
  }

  @Override
  public OrderedReader ordered() {
    snapshot.requireKeyOrder();
    return new CallingOrderedReader(snapshot);
  }

  @Override
  public RecordCursor scan() throws IOException {
    return snapshot.partitioning().order() == RecordOrder.KEY
        ? scan(KeyRange.all())
        : new SnapshotScan(snapshot, snapshot.partitions(), selection);
  }

  @Override
  public RecordCursor scan(int partition) throws IOException {
    if (partition < 0 || partition >= partitionCount()) {
      throw new IllegalArgumentException(
          "no such partition: expected 0 to %d, actual %d"
              .formatted(partitionCount() - 1, partition));
    }
    Partitioning partitioning = snapshot.partitioning();
    if (partitioning.order() == RecordOrder.HASH) {
      return new SnapshotScan(snapshot, List.of(snapshot.partition(partition)), selection);
    }
    KeyRange range = KeyRange.all().from(partitioning.lowerBound(partition));
    return scan(
        partition + 1 == partitioning.count()
            ? range
            : range.before(partitioning.lowerBound(partition + 1)));
  }

  private RecordCursor scan(KeyRange range) {
    return new OrderedScan(snapshot, range, snapshot.scanned(), selection);
  }

  @Override
  public PartitionSource source(int partition, PartitionSource.Progress progress) {
    return new StoredPartition(snapshot, snapshot.partition(partition), progress);
  }

  @Override
  public RecordComparison comparison() {
    return new RecordComparison(snapshot);
  }

  @Override
  public void grown(@Nullable ChangeTable changes) {
    snapshot.grown(changes);
  }

  @Override
  public @Nullable Overlay changes() {
    return snapshot.overlay();
  }

  @Override
  public KeyPlace place(byte[] key) throws IOException {
    int call = calls.enter();
    try {
      HashValue128 hash = KeyHash.hash(key);
      Partition partition = snapshot.partition(key, hash.getMostSignificantBits());
      long located = locate(partition, key, hash);
      boolean absent = located == KeyIndex.ABSENT;
      BlockFile file = partition.blocks();
      int block = absent ? -1 : KeyIndex.block(located);
      return new KeyPlace(
          partition.number(),
          file.path(),
          absent ? -1 : partition.index().record(located),
          block,
          absent ? -1 : file.offset(block),
          file.properties().signatureBits(),
          snapshot.findChange(key, hash) != Overlay.UNCHANGED);
    } finally {
      calls.left(call);
    }
  }

  @Override
  public @Nullable KeyValue record(int partition, int number) throws IOException {
    int call = calls.enter();
    try (RecordWalk walk =
        new RecordWalk(snapshot.partition(partition), snapshot.uncached(), selection)) {
      walk.moveTo(number);
      byte[] key = walk.key();
      return snapshot.findChange(key, KeyHash.hash(key)) == Overlay.UNCHANGED
          ? new KeyValue(key, walk.value())
          : null;
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.explained(e));
    } finally {
      calls.left(call);
    }
  }

  @Override
  public int partitionCount() {
    return manifest().partitions().size();
  }

  @Override
  public SnapshotReader next(Path table, String version, ReaderOptions options) throws IOException {
    return new CallingReader(SnapshotOpener.openVersion(table, version, options, snapshot));
  }

  @Override
  public SnapshotReader nextFiles(Path directory, Manifest manifest, ReaderOptions options)
      throws IOException {
    return new CallingReader(
        SnapshotOpener.open(
            new SnapshotFiles(directory, true),
            manifest,
            options,
            DirectFile::openSource,
            snapshot));
  }

  @Override
  public SnapshotReader selecting(FieldSelection fields) {
    return new CallingReader(snapshot, fields);
  }

  @Override
  public AsyncSnapshotReader async() {
    return new FutureReader(snapshot, selection);
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
