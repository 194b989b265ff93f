package io.bsdb.live;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.format.segment.SegmentWriter;
import io.bsdb.live.Recovery.Recovered;
import io.bsdb.reader.Calls;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.table.Table;
import io.bsdb.writer.DeltaWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks up in the log first, then in the base. */
final class LiveTable implements WritableTable {
  private static final Logger LOGGER = LoggerFactory.getLogger(LiveTable.class);
  private static final Duration LOOKUPS_END_WITHIN = Duration.ofSeconds(1);
  private static final byte[] NOTHING = new byte[0];

  private final Owner owner;
  private final @Nullable SnapshotReader base;
  private final LogIndex index;
  private final Log log;
  private final GroupCommit commit;
  private final Calls calls;

  private LiveTable(
      Path directory,
      Owner owner,
      @Nullable SnapshotReader base,
      LogIndex index,
      LogStorage storage,
      Recovered recovered,
      Durability durability,
      int segmentLength) {
    this.owner = owner;
    this.base = base;
    this.index = index;
    this.calls = new Calls("writable table " + directory);
    long number = recovered.parts().get(recovered.parts().size() - 1).segment().number();
    Segments segments =
        new Segments(
            storage,
            segmentLength,
            number,
            recovered.prepared(),
            () -> calls.awaitEnd(LOOKUPS_END_WITHIN));
    index.retireTo(segments::retire);
    this.log = new Log(storage, index, durability, recovered, segments);
    this.commit = new GroupCommit(log);
    segments.start(this::markIdle);
  }

  static WritableTable open(
      Path table, WritableOptions options, Function<Path, LogStorage> storages, int segmentLength)
      throws IOException {
    Files.createDirectories(table);
    List<Closeable> opened = new ArrayList<>();
    try {
      Owner owner = Owner.acquire(table);
      opened.add(owner);
      SnapshotReader base = null;
      if (Table.at(table).currentVersion() != null) {
        base = SnapshotReader.open(table, options.reader());
        opened.add(base);
        DeltaWriter.requireKeys(base.manifest(), Table.at(table));
      }
      LogIndex index = new LogIndex();
      opened.add(index);
      LogStorage storage = storages.apply(table.resolve(SnapshotFormat.LOG_DIRECTORY));
      Recovered recovered = new Recovery(storage, index, segmentLength).run();
      return new LiveTable(
          table, owner, base, index, storage, recovered, options.durability(), segmentLength);
    } catch (IOException | RuntimeException | Error e) {
      for (int i = opened.size() - 1; i >= 0; i--) {
        try {
          opened.get(i).close();
        } catch (IOException suppressed) {
          e.addSuppressed(suppressed);
        }
      }
      throw e;
    }
  }

  @Override
  public byte @Nullable [] get(byte[] key) throws IOException {
    int call = calls.enter();
    try {
      long found = index.find(key);
      if (found >= 0) {
        return index.copy(found);
      }
      return found == Overlay.DELETED || base == null ? null : base.get(key);
    } finally {
      calls.left(call);
    }
  }

  @Override
  public int get(byte[] key, ByteBuffer target) throws IOException {
    int call = calls.enter();
    try {
      long found = index.find(key);
      if (found >= 0) {
        return copy(found, target);
      }
      return found == Overlay.DELETED || base == null ? NOT_FOUND : base.get(key, target);
    } finally {
      calls.left(call);
    }
  }

  private int copy(long found, ByteBuffer target) {
    long place = index.value(found);
    int length = (int) place;
    if (length > target.remaining()) {
      throw new BufferOverflowException();
    }
    target.put(target.position(), index.segmentOf(found).bytes(), (int) (place >>> 32), length);
    target.position(target.position() + length);
    return length;
  }

  @Override
  public List<byte @Nullable []> getAll(List<byte[]> keys) throws IOException {
    int call = calls.enter();
    try {
      byte[][] values = new byte[keys.size()][];
      List<byte[]> unchanged = new ArrayList<>();
      int[] places = new int[keys.size()];
      for (int i = 0; i < values.length; i++) {
        byte[] key = keys.get(i);
        long found = index.find(key);
        if (found >= 0) {
          values[i] = index.copy(found);
        } else if (found == Overlay.UNCHANGED && base != null) {
          places[unchanged.size()] = i;
          unchanged.add(key);
        }
      }
      if (base != null && !unchanged.isEmpty()) {
        List<byte @Nullable []> found = base.getAll(unchanged);
        for (int i = 0; i < found.size(); i++) {
          values[places[i]] = found.get(i);
        }
      }
      return Arrays.asList(values);
    } finally {
      calls.left(call);
    }
  }

  @Override
  public void put(byte[] key, byte[] value) throws IOException {
    SegmentWriter.requireKeyLength(key.length);
    SegmentWriter.requireValueLength(value.length);
    commit.add(ChangeKind.PUT, key, value);
  }

  @Override
  public void delete(byte[] key) throws IOException {
    SegmentWriter.requireKeyLength(key.length);
    commit.add(ChangeKind.DELETE, key, NOTHING);
  }

  @Override
  public void write(WriteBatch batch) throws IOException {
    if (batch.size() > 0) {
      commit.addAll(batch.records());
    }
  }

  @Override
  public void sync() throws IOException {
    commit.force();
  }

  /** Has the log say how far it is durable, so that later damage is told from a torn end. */
  private void markIdle() {
    try {
      if (log.isUsable()) {
        commit.mark();
      }
    } catch (IOException e) {
      // Whoever writes next fails by the same cause: it is not lost.
      LOGGER.warn("the log could not be marked", e);
    }
  }

  @Override
  public WritableStats stats() {
    int call = calls.enter();
    try {
      return log.stats();
    } finally {
      calls.left(call);
    }
  }

  @Override
  public void close() throws IOException {
    if (!calls.close()) {
      return;
    }
    IOException failure = null;
    try {
      if (log.isUsable()) {
        commit.force();
        commit.mark();
        commit.force();
      }
    } catch (IOException e) {
      failure = e;
    }
    commit.close();
    while (!calls.awaitEnd(LOOKUPS_END_WITHIN)) {
      Thread.onSpinWait();
    }
    for (Closeable part : parts()) {
      try {
        part.close();
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private List<Closeable> parts() {
    return base == null ? List.of(log, index, owner) : List.of(log, index, base, owner);
  }
}
