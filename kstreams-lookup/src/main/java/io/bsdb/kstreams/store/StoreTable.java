package io.bsdb.kstreams.store;

import io.bsdb.format.io.Closing;
import io.bsdb.live.Durability;
import io.bsdb.live.WritableOptions;
import io.bsdb.live.WritableStats;
import io.bsdb.live.WritableTable;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.storage.DirectoryTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.streams.errors.StreamsException;
import org.jspecify.annotations.Nullable;

/**
 * The table of a store, in the application's state directory.
 *
 * @param positions that it was opened with
 * @param lastInService version that was in service when somebody last looked
 */
record StoreTable(
    Path directory,
    WritableTable table,
    TopicPositions positions,
    AtomicReference<@Nullable Manifest> lastInService) {
  /** Suffix that no store's name has. */
  private static final String UNFINISHED = "~";

  /**
   * Opens the table of a store, and begins it with the base if there is none yet.
   *
   * @throws StreamsException if one of the two does not fit the topic
   */
  static StoreTable open(String store, Path base, Path directory, Admin admin)
      throws IOException, TimeoutException, InterruptedException {
    boolean begins = Table.at(directory).currentVersion() == null;
    if (begins) {
      begin(store, base, directory, admin);
    }
    WritableTable table = null;
    try {
      table =
          WritableTable.open(directory, WritableOptions.defaults().withDurability(Durability.OS));
      return new StoreTable(
          directory,
          table,
          requireFit(
              table.sourcePositions(),
              false,
              admin,
              "the store does not fit its topic: store=%s directory=%s".formatted(store, directory),
              "delete the directory, so that the store begins with its base again"),
          new AtomicReference<>());
    } catch (Throwable e) {
      if (table != null) {
        Closing.after(e, table);
      }
      if (begins) { // else a base that is mended would not be looked at
        Closing.after(e, () -> DirectoryTree.delete(directory));
      }
      throw e;
    }
  }

  /** Returns the version in service. */
  Manifest inService() throws IOException {
    Table files = Table.at(directory);
    String version = files.requireCurrentVersion();
    Manifest known = lastInService.get();
    if (known == null || !known.version().equals(version)) {
      known = files.manifest(version);
      lastInService.set(known);
    }
    return known;
  }

  /** Returns the number of records of the partition files, or of changes if these are more. */
  long approximateRecords() throws IOException {
    WritableStats.Memory changed = table.stats().memory();
    return Math.max(inService().recordCount(), changed.logKeys() + changed.publishedKeys());
  }

  /** Copies the base's version in service, such that the directory is there once it is complete. */
  private static void begin(String store, Path base, Path directory, Admin admin)
      throws IOException, TimeoutException, InterruptedException {
    Path unfinished = directory.resolveSibling(directory.getFileName() + UNFINISHED);
    DirectoryTree.delete(directory);
    Table table = Table.at(base);
    boolean complete = false;
    while (!complete) {
      String version = table.requireCurrentVersion();
      try {
        Manifest manifest = table.manifest(version);
        String what =
            "the store cannot begin with this base: store=%s base=%s version=%s"
                .formatted(store, base, version);
        requireFit(
            manifest.sourcePositions(),
            true,
            admin,
            what,
            "build the base again with SnapshotStores.readTopic, or with the SnapshotStores.endPositions from before its source is read");
        if (manifest.order() == RecordOrder.KEY || manifest.hasKeysOmitted()) {
          throw new StreamsException(
              "%s: it is %s, and so cannot be changed row by row; build it in hash order, with its keys"
                  .formatted(what, manifest.hasKeysOmitted() ? "approximate" : "in key order"));
        }
        DirectoryTree.delete(unfinished);
        WritableTable.copy(base, unfinished);
        complete = true;
      } catch (IOException e) {
        if (version.equals(table.requireCurrentVersion())) {
          throw e;
        }
        // Else it was replaced and deleted meanwhile.
      }
    }
    Files.move(unfinished, directory, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Checks that the topic has all that came after a table's positions.
   *
   * @param isBase whether deletes that came after the positions may have been forgotten
   */
  private static TopicPositions requireFit(
      Map<String, String> sourcePositions, boolean isBase, Admin admin, String what, String remedy)
      throws TimeoutException, InterruptedException {
    TopicPositions positions;
    try {
      positions = TopicPositions.of(sourcePositions);
    } catch (IllegalArgumentException e) {
      throw new StreamsException(what + ": " + e.getMessage() + "; " + remedy, e);
    }
    String where = what + " topic=" + positions.topic();
    String misfit;
    try {
      misfit = TopicState.of(admin, positions.topic()).misfit(positions);
      if (misfit == null && isBase) {
        misfit = positions.forgotten(TopicState.deletesKept(admin, positions.topic()));
      }
    } catch (ExecutionException e) {
      throw new StreamsException(where + ": " + e.getMessage() + "; else " + remedy, e);
    }
    if (misfit != null) {
      throw new StreamsException(where + ": " + misfit + "; " + remedy);
    }
    return positions;
  }
}
