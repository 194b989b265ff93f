package io.bsdb.live;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.UnsupportedVersionException;
import io.bsdb.format.io.Closing;
import io.bsdb.live.LiveTable.Place;
import io.bsdb.live.log.Followers;
import io.bsdb.live.log.LogIndex;
import io.bsdb.live.log.LogStorage;
import io.bsdb.live.log.Owner;
import io.bsdb.live.log.Recovery;
import io.bsdb.live.log.Recovery.Recovered;
import io.bsdb.live.log.Retention;
import io.bsdb.reader.ClosedReaderException;
import io.bsdb.reader.follow.OnMissing;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.WarmUp;
import io.bsdb.reader.snapshot.Calls;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.storage.PathStorage;
import io.bsdb.writer.DeltaWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Opens writable tables: locks them, recovers their logs, and closes what it opened if a step
 * fails.
 */
final class TableOpener {
  private TableOpener() {}

  static WritableTable open(Path directory, WritableOptions options, Place place)
      throws IOException {
    PathStorage.createDurably(directory);
    requireWritable(Table.at(directory)); // before it is owned: others may go on to write it
    List<Closeable> opened = new ArrayList<>();
    try {
      Owner owner = Owner.acquire(directory);
      opened.add(0, owner);
      Table table = Table.ofOwner(place.table().apply(directory));
      sweep(table);
      Calls calls = new Calls("writable table " + directory, ClosedReaderException::new);
      TableReader base =
          TableReader.builder(directory)
              .usedBy(calls)
              .options(readerOptions(options.reader()))
              .refreshEvery(Duration.ZERO)
              .onMissing(OnMissing.EMPTY)
              .open();
      opened.add(0, base);
      requireWritable(table);
      LogIndex index = new LogIndex();
      opened.add(0, index);
      LogStorage storage = place.log().apply(directory.resolve(SnapshotFormat.LOG_DIRECTORY));
      Recovered recovered =
          new Recovery(
                  storage,
                  index,
                  place.maxSegmentLength(),
                  options.durability(),
                  owner.id(),
                  owner.published())
              .run();
      opened.add(0, recovered);
      table.storage().syncDirectory(""); // CURRENT may not be durable, and decides what follows
      Retention retention =
          new Retention(
              storage,
              new Followers(directory.resolve(SnapshotFormat.LOG_DIRECTORY)),
              (long) Retention.SEGMENTS * place.maxSegmentLength(),
              recovered.old());
      retention.trim();
      LogIndexes.InUse logIndexes = new LogIndexes.InUse(new LogIndexes(recovered.index(), null));
      Lookups lookups = new Lookups(base, logIndexes, calls);
      LiveTable live =
          new LiveTable(directory, owner, table, lookups, recovered, retention, options, place);
      opened.clear();
      opened.add(live::release);
      live.start();
      return live;
    } catch (IOException | RuntimeException | Error e) {
      Closing.after(e, () -> Closing.all(opened));
      throw e;
    }
  }

  /** Deletes leftovers, unless a version is damaged, which may have them. */
  private static void sweep(Table table) throws IOException {
    try {
      table.sweep(Duration.ZERO);
    } catch (CorruptSnapshotException | UnsupportedVersionException e) {
      // If it is in service, it is refused next. An old one is pruned by its age.
    }
  }

  /** Does not warm up new partition files, so that folds follow each other without a pause. */
  private static ReaderOptions readerOptions(ReaderOptions options) {
    return options.warmUp() == WarmUp.REFRESH ? options.withWarmUp(WarmUp.NEVER) : options;
  }

  /** Refuses a version that cannot be written over. */
  private static void requireWritable(Table table) throws IOException {
    String version = table.currentVersion();
    if (version == null) {
      return;
    }
    Manifest manifest = table.manifest(version);
    DeltaWriter.requireKeys(manifest, table);
    if (manifest.order() == RecordOrder.KEY) {
      throw new IllegalArgumentException(
          "a table in key order cannot be opened as a writable table: table=%s version=%s; publish deltas into it ('bsdb apply', DeltaWriter), or build it with order 'hash'"
              .formatted(table.storage(), manifest.version()));
    }
  }
}
