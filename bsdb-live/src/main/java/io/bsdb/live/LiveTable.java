package io.bsdb.live;

import io.bsdb.format.LentBytes;
import io.bsdb.format.ValueReader;
import io.bsdb.format.io.Closing;
import io.bsdb.format.io.IOSupplier;
import io.bsdb.format.io.StackRoom;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.live.log.DurabilityMark;
import io.bsdb.live.log.GroupCommit;
import io.bsdb.live.log.Log;
import io.bsdb.live.log.LogDirectory;
import io.bsdb.live.log.LogStorage;
import io.bsdb.live.log.Owner;
import io.bsdb.live.log.Reclaimer;
import io.bsdb.live.log.Recovery.Recovered;
import io.bsdb.live.log.Retention;
import io.bsdb.live.log.SegmentSupply;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.reader.snapshot.Calls;
import io.bsdb.table.Table;
import io.bsdb.table.storage.DirectoryTree;
import io.bsdb.table.storage.TableStorage;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Looks up in the log first, then in the base. */
final class LiveTable implements WritableTable {
  private static final byte[] NOTHING = new byte[0];

  /** Full segments of the log after which it is published. */
  static final int PUBLISHED_SEGMENTS = 4;

  /**
   * Place and length of the files, for tests that inject faults.
   *
   * @param publishedSegments full segments of the log after which it is published; {@link
   *     #WHEN_ASKED} to publish it only when asked, not even at close
   * @param markEvery interval at which the log is marked
   */
  record Place(
      Function<Path, LogStorage> log,
      Function<Path, TableStorage> table,
      int maxSegmentLength,
      int publishedSegments,
      Duration markEvery) {
    Place(
        Function<Path, LogStorage> log,
        Function<Path, TableStorage> table,
        int maxSegmentLength,
        int publishedSegments) {
      this(log, table, maxSegmentLength, publishedSegments, Duration.ofSeconds(1));
    }

    static final int WHEN_ASKED = Integer.MAX_VALUE;
    static final Place DISK =
        new Place(
            LogDirectory::new,
            directory -> Table.at(directory).storage(),
            LogDirectory.MAX_SEGMENT_LENGTH,
            PUBLISHED_SEGMENTS);
  }

  private final Path directory;
  private final boolean publishesAtClose;
  private final Owner owner;
  private final TableReader base;
  private final LogIndexes.InUse logIndexes;
  private final Log log;
  private final GroupCommit commit;
  private final DurabilityMark mark;
  private final Reclaimer reclaimer;
  private final SegmentSupply segments;
  private final LogStorage storage;
  private final Publisher publisher;
  private final Maintenance maintenance;
  private final Lookups lookups;
  private final KeyLocks locks = new KeyLocks();
  private final Calls calls;

  LiveTable(
      Path directory,
      Owner owner,
      Table table,
      Lookups lookups,
      Recovered recovered,
      Retention retention,
      WritableOptions options,
      Place place) {
    this.directory = directory;
    this.publishesAtClose = place.publishedSegments() != Place.WHEN_ASKED;
    this.owner = owner;
    this.storage = recovered.storage();
    this.lookups = lookups;
    this.base = lookups.base();
    this.logIndexes = lookups.logIndexes();
    this.calls = lookups.calls();
    this.reclaimer = new Reclaimer(calls);
    this.segments =
        new SegmentSupply(
            recovered, place.maxSegmentLength(), options.durability(), owner::requireInPlace);
    recovered.index().changes().retireTo(reclaimer::retire);
    this.log = new Log(recovered, options.durability(), segments, reclaimer, retention);
    this.commit = new GroupCommit(log);
    this.mark = new DurabilityMark(log, commit, options.durability(), place.markEvery());
    this.publisher =
        new Publisher(directory, table, owner, recovered, lookups, log, commit, reclaimer);
    this.maintenance =
        new Maintenance(
            directory,
            table,
            base,
            log,
            segments,
            publisher,
            (long) place.publishedSegments() * place.maxSegmentLength(),
            options);
  }

  /** Starts all threads; before the first write. */
  void start() {
    segments.start();
    reclaimer.start();
    mark.start();
    maintenance.start();
  }

  static WritableTable open(Path directory, WritableOptions options, Place place)
      throws IOException {
    return step("opening it", directory, () -> TableOpener.open(directory, options, place));
  }

  /**
   * Runs a step that takes locks and opens files, if there is enough stack for what it has to give
   * back. Names what an interrupt has ended, which the exception of the file that it closed does
   * not.
   */
  private static <T> T step(String step, Path directory, IOSupplier<T> body) throws IOException {
    StackRoom.requireForPublication();
    try {
      return body.get();
    } catch (ClosedByInterruptException e) {
      InterruptedIOException named =
          new InterruptedIOException(
              "interrupted while %s: table=%s; what was written to the table is still there, published or in its log; try again"
                  .formatted(step, directory));
      named.initCause(e);
      throw named;
    }
  }

  @Override
  public <T> @Nullable T get(byte[] key, ValueReader<T> reader) throws IOException {
    return lookups.get(key, reader);
  }

  @Override
  public <T> List<@Nullable T> getAll(List<byte[]> keys, ValueReader<T> reader) throws IOException {
    return lookups.getAll(keys, reader);
  }

  @Override
  public void put(byte[] key, byte[] value) throws IOException {
    WriteBatch.requirePut(key, value);
    write(ChangeKind.PUT, key, value);
  }

  @Override
  public void delete(byte[] key) throws IOException {
    WriteBatch.requireKey(key);
    write(ChangeKind.DELETE, key, NOTHING);
  }

  private void write(ChangeKind kind, byte[] key, byte[] value) throws IOException {
    StackRoom.requireForWrite(); // else other writers wait for ever for a group or a key's lock
    maintenance.admit(key.length + value.length);
    StampedLock lock = locks.of(key);
    long stamp = lock.readLock();
    try {
      commit.add(kind, key, value);
    } finally {
      lock.unlockRead(stamp);
    }
  }

  @Override
  public void write(WriteBatch batch) throws IOException {
    if (batch.size() > 0) {
      StackRoom.requireForWrite();
      maintenance.admit(batch.records().length());
      long[] stamps = locks.shareAll(batch.locks());
      try {
        commit.addAll(batch.records());
      } finally {
        locks.unlockAll(batch.locks(), stamps);
      }
    }
  }

  @Override
  public boolean compareAndSet(byte[] key, byte @Nullable [] expected, byte @Nullable [] value)
      throws IOException {
    if (value == null) {
      WriteBatch.requireKey(key);
    } else {
      WriteBatch.requirePut(key, value);
    }
    StackRoom.requireForWrite();
    maintenance.admit(key.length + (value == null ? 0 : value.length));
    StampedLock lock = locks.of(key);
    long stamp = lock.writeLock();
    try {
      if (!Arrays.equals(lookups.get(key), expected)) {
        return false;
      }
      if (value != null) {
        commit.add(ChangeKind.PUT, key, value);
      } else if (expected != null) {
        commit.add(ChangeKind.DELETE, key, NOTHING);
      }
      return true;
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  @Override
  public Map<String, String> sourcePositions() {
    StackRoom.require();
    int call = calls.enter();
    try {
      LogIndexes changed = logIndexes.get(); // before the version, which gets what leaves the log
      return changed.over(base.isEmpty() ? Map.of() : base.manifest().sourcePositions());
    } finally {
      calls.left(call);
    }
  }

  @Override
  public void sync() throws IOException {
    StackRoom.requireForWrite();
    commit.force();
  }

  @Override
  public void publish() throws IOException {
    LentBytes.requireLendsNothing("table " + directory);
    step(
        "publishing",
        directory,
        () -> {
          maintenance.publish();
          return true;
        });
  }

  @Override
  public void compact() throws IOException {
    LentBytes.requireLendsNothing("table " + directory);
    step(
        "folding",
        directory,
        () -> {
          maintenance.compact();
          return true;
        });
  }

  @Override
  public void pauseCompaction() {
    maintenance.pause();
  }

  @Override
  public void resumeCompaction() {
    maintenance.resume();
  }

  @Override
  public RecordCursor cursor() throws IOException {
    owner.requireInPlace();
    return step(
        "opening a cursor", directory, () -> LiveCursor.open(base, log, owner.id(), commit, calls));
  }

  @Override
  public LogPosition checkpoint(Path target) throws IOException {
    LentBytes.requireLendsNothing("table " + directory);
    return step("copying it", directory, () -> maintenance.copyTo(target));
  }

  @Override
  public WritableStats stats() throws IOException {
    StackRoom.require();
    int call = calls.enter();
    try {
      LogIndexes changed = logIndexes.get();
      SnapshotReader version = base.unleased();
      Overlay published = version == null ? null : version.changes();
      return new WritableStats(
          new WritableStats.Writes(log.changes(), log.groups(), log.syncs()),
          new WritableStats.Memory(
              changed.keys(),
              maintenance.changedKeys(),
              changed.indexBytes() + (published == null ? 0 : published.indexBytes())),
          new WritableStats.Disk(
              log.segmentCount(),
              log.length(),
              maintenance.changeBytes(),
              maintenance.baseBytes(),
              DirectoryTree.length(directory)),
          new WritableStats.Upkeep(
              publisher.publications(),
              maintenance.folds(),
              maintenance.load(),
              maintenance.failure()));
    } finally {
      calls.left(call);
    }
  }

  @Override
  public void close() throws IOException {
    LentBytes.requireLendsNothing("table " + directory);
    StackRoom.requireForPublication();
    List<Closeable> parts = parts(); // all memory first: a close that has begun closes everything
    List<Closeable> steps =
        List.of(mark, this::publishRest, this::finishLog, () -> Closing.all(parts));
    if (!calls.close()) {
      return;
    }
    boolean interrupted = Thread.interrupted(); // which would keep it from publishing
    try {
      Closing.all(steps);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Ends all threads, and closes everything. Writes nothing. */
  void release() throws IOException {
    Closing.all(parts());
  }

  /** Returns what is to be closed, in this order. */
  private List<Closeable> parts() {
    return List.of(
        mark,
        maintenance,
        commit,
        calls::awaitEnd,
        reclaimer,
        log,
        () -> logIndexes.get().close(),
        base,
        owner);
  }

  private void publishRest() throws IOException {
    if (publishesAtClose) {
      publisher.publishRest();
    }
  }

  /** Makes all changes durable, and records where they end. */
  private void finishLog() throws IOException {
    publisher.closing(
        () -> {
          commit.force();
          commit.exclusively(
              () -> {
                owner.requireInPlace();
                log.mark();
                log.recordedEnd(owner.id()).write(storage);
              });
        });
  }
}
