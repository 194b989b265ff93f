package io.bsdb.reader;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.ValueReader;
import io.bsdb.format.block.Block;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.index.KeyIndex;
import io.bsdb.format.io.IOSupplier;
import io.bsdb.format.io.Thrown;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.block.BlockFile;
import io.bsdb.reader.block.BlockSource;
import io.bsdb.reader.block.BlockSource.Batching;
import io.bsdb.reader.io.DirectFile;
import io.bsdb.reader.metrics.ReaderMetrics;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.partition.RecordWalk;
import io.bsdb.reader.snapshot.Calls;
import io.bsdb.reader.snapshot.Ended;
import io.bsdb.reader.snapshot.HashedKeys;
import io.bsdb.reader.snapshot.KeyBatch;
import io.bsdb.reader.snapshot.KeyPlace;
import io.bsdb.reader.snapshot.OpenSnapshot;
import io.bsdb.reader.snapshot.SnapshotFiles;
import io.bsdb.reader.snapshot.SnapshotOpener;
import io.bsdb.reader.snapshot.StoredPartition;
import io.bsdb.table.PartitionSource;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.RecordOrder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Looks up in the calling thread. */
final class CallingReader implements SnapshotReader {
  static final SnapshotOpener OPENER = new SnapshotOpener(ClosedReaderException::new);

  private final OpenSnapshot snapshot;
  private final Calls calls;
  private final BlockSource source;
  private final FieldSelection selection;
  private final Ended ended;

  CallingReader(OpenSnapshot snapshot) {
    this(snapshot, FieldSelection.ALL, Ended.of(snapshot.manifest()));
  }

  CallingReader(OpenSnapshot snapshot, FieldSelection selection, Ended ended) {
    this.snapshot = snapshot;
    this.selection = selection;
    this.ended = ended;
    this.calls = snapshot.calls();
    this.source = snapshot.source();
  }

  @Override
  public <T> @Nullable T get(byte[] key, ValueReader<T> reader) throws IOException {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(reader, "reader");
    int call = calls.enter();
    int end = Calls.LEFT;
    try {
      HashValue128 hash = KeyHash.hash(key);
      Object answer =
          lookUp(
              key, hash.getMostSignificantBits(), hash.getLeastSignificantBits(), ended.in(reader));
      end = answer == Ended.ABSENT ? Calls.MISSED : Calls.HIT;
      return answer == Ended.ABSENT ? null : asRead(answer, reader);
    } catch (Throwable e) {
      throw failed(e);
    } finally { // only now: what explains a failure looks at files
      try {
        calls.end(call, end);
      } catch (StackOverflowError e) {
        calls.uncounted[call]++;
      }
    }
  }

  @SuppressWarnings({"unchecked", "unused"}) // the answer is the reader's
  static <T> @Nullable T asRead(@Nullable Object answer, ValueReader<T> reader) {
    return (T) answer;
  }

  @Override
  public <T> @Nullable T find(byte[] key, HashValue128 hash, ValueReader<T> reader)
      throws IOException {
    int call = enterIfElastic();
    try {
      Object answer =
          lookUp(
              key, hash.getMostSignificantBits(), hash.getLeastSignificantBits(), ended.in(reader));
      return answer == Ended.ABSENT ? null : asRead(answer, reader);
    } catch (Throwable e) {
      throw failed(e);
    } finally {
      try {
        leaveIfElastic(call);
      } catch (StackOverflowError e) {
        calls.uncounted[call]++;
      }
    }
  }

  /**
   * Begins a call whose caller keeps files and memory open, except for memory that a budget may
   * replace.
   */
  private int enterIfElastic() {
    return snapshot.options().memory().isLimited() ? calls.enter() : 0;
  }

  private void leaveIfElastic(int call) {
    if (call != 0) {
      calls.left(call);
    }
  }

  /** Takes the words of the hash, so that the JVM need not make an object of it. */
  <T> @Nullable Object lookUp(byte[] key, long high, long low, ValueReader<T> reader)
      throws IOException {
    Partition partition = snapshot.partition(key, high);
    KeyIndex index = partition.index();
    boolean isSearched = index.needsSearch();
    // Before it is known whether the key has changed, so that both reads overlap.
    long indexed = isSearched ? KeyIndex.ABSENT : index.locate(key, high, low);
    long changed = snapshot.findChange(key, high);
    if (changed != Overlay.UNCHANGED) {
      return changed < 0 ? Ended.ABSENT : snapshot.requireOverlay().read(changed, 0, reader);
    }
    long located =
        isSearched
            ? snapshot.locate(partition, key, high, low)
            : snapshot.counted(partition, key, indexed);
    if (located < 0) {
      return Ended.ABSENT;
    }
    BlockFile file = partition.blocks();
    int number = KeyIndex.block(located);
    Block block = source.fetch(file, number).readable(file.decoders(), selection);
    try {
      long found = index.find(block, block.base(number), located, key);
      if (found < 0) {
        snapshot.countOtherKey(partition);
        return Ended.ABSENT;
      }
      return block.lend(found, 0, reader);
    } finally {
      block.release();
    }
  }

  @Override
  public <T> List<@Nullable T> getAll(List<byte[]> keys, ValueReader<T> reader) throws IOException {
    HashedKeys<T> hashed = new HashedKeys<>(keys, reader);
    if (isBatchedByRequests()) {
      findAll(hashed);
      return hashed.answers();
    }
    int call = calls.enter();
    try {
      findAll(hashed);
      calls.found(call, hashed);
      return hashed.answers();
    } finally {
      try {
        calls.end(call, Calls.LEFT);
      } catch (StackOverflowError e) {
        calls.uncounted[call]++;
      }
    }
  }

  @Override
  public void findAll(HashedKeys<?> keys) throws IOException {
    int call = enterIfElastic();
    try {
      if (isBatchedByRequests()) {
        HashedKeys<byte[]> copies = keys.copying();
        var unused = new FutureReader(snapshot, selection, ended).getAll(copies).join();
        keys.answerFrom(copies);
      } else {
        KeyBatch.locate(snapshot, keys, selection, ended).fetch();
      }
    } catch (CompletionException e) { // explained and counted already
      throw Thrown.asIs(Objects.requireNonNullElse(e.getCause(), e));
    } catch (Throwable e) {
      throw failed(e);
    } finally {
      try {
        leaveIfElastic(call);
      } catch (StackOverflowError e) {
        calls.uncounted[call]++;
      }
    }
  }

  /** Returns whether a batch is a call of the asynchronous sibling, which counts it. */
  private boolean isBatchedByRequests() {
    return source.batching() == Batching.TOGETHER && !source.isCallbackThread();
  }

  /** Counts a failure and returns its exception; see {@link Thrown#asIs}. */
  private IOException failed(Throwable thrown) {
    return Thrown.asIs(snapshot.failures().counted(thrown));
  }

  @Override
  public OrderedReader ordered() {
    snapshot.requireKeyOrder();
    return new CallingOrderedReader(snapshot, ended);
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
    return new OrderedScan(snapshot, range, snapshot.scanned(), selection, ended);
  }

  @Override
  public PartitionSource source(int partition, PartitionSource.Progress progress) {
    return new StoredPartition(snapshot, partition, progress);
  }

  @Override
  public OpenSnapshot snapshot() {
    return snapshot;
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
      long high = hash.getMostSignificantBits();
      Partition partition = snapshot.partition(key, high);
      long located = snapshot.locate(partition, key, high, hash.getLeastSignificantBits());
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
          snapshot.findChange(key, high) != Overlay.UNCHANGED);
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
      long high = KeyHash.hash(key).getMostSignificantBits();
      boolean hidden = ended == Ended.HIDDEN && Boolean.TRUE.equals(walk.value(Ended.TEST));
      return hidden || snapshot.findChange(key, high) != Overlay.UNCHANGED
          ? null
          : new KeyValue(key, walk.value());
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.failures().explained(e));
    } finally {
      calls.left(call);
    }
  }

  @Override
  public int partitionCount() {
    return manifest().partitions().size();
  }

  @Override
  public SnapshotReader next(Path table, Manifest manifest, ReaderOptions options)
      throws IOException {
    return next(() -> OPENER.openVersion(table, manifest, options, snapshot));
  }

  @Override
  public SnapshotReader nextFiles(Path directory, Manifest manifest, ReaderOptions options)
      throws IOException {
    return next(
        () ->
            OPENER.open(
                new SnapshotFiles(directory, true),
                manifest,
                options,
                DirectFile::openSource,
                snapshot));
  }

  /** Opens what shares files and memory with this, which is not closed meanwhile. */
  private SnapshotReader next(IOSupplier<OpenSnapshot> opening) throws IOException {
    int call = calls.enterScan();
    try {
      return new CallingReader(opening.get());
    } finally {
      calls.left(call);
    }
  }

  @Override
  public SnapshotReader selecting(FieldSelection fields) {
    return new CallingReader(snapshot, fields, ended);
  }

  @Override
  public SnapshotReader allVersions() {
    return ended == Ended.SHOWN ? this : new CallingReader(snapshot, selection, Ended.SHOWN);
  }

  @Override
  public AsyncSnapshotReader async() {
    return new FutureReader(snapshot, selection, ended);
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
