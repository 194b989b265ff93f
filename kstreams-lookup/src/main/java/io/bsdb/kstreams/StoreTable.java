package io.bsdb.kstreams;

import io.bsdb.live.Durability;
import io.bsdb.live.WritableOptions;
import io.bsdb.live.WritableTable;
import io.bsdb.table.Manifest;
import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.streams.errors.StreamsException;
import org.jspecify.annotations.Nullable;

/**
 * The table of a store, in the application's state directory.
 *
 * @param positions that it was opened with
 */
record StoreTable(Path directory, WritableTable table, TopicPositions positions) {
  /** Suffix that no store's name has. */
  private static final String UNFINISHED = "~";

  /**
   * Opens the table of a store, and begins it with the base if there is none yet.
   *
   * @throws StreamsException if one of the two does not fit the topic
   */
  static StoreTable open(String store, Path base, Path directory, Admin admin)
      throws IOException, TimeoutException, InterruptedException {
    if (Table.at(directory).currentVersion() == null) {
      begin(store, base, directory, admin);
    }
    WritableTable table =
        WritableTable.open(directory, WritableOptions.defaults().withDurability(Durability.OS));
    try {
      return new StoreTable(
          directory,
          table,
          requireFit(
              table.sourcePositions(),
              null,
              admin,
              "the store does not fit its topic: store=%s directory=%s".formatted(store, directory),
              "delete the directory, so that the store begins with its base again"));
    } catch (Throwable e) {
      try {
        table.close();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  long approximateRecords() throws IOException {
    Table files = Table.at(directory);
    return files.manifest(files.requireCurrentVersion()).recordCount()
        + table.stats().changedKeys()
        + table.stats().publishedKeys();
  }

  /** Copies the base's version in service, such that the directory is there once it is complete. */
  private static void begin(String store, Path base, Path directory, Admin admin)
      throws IOException, TimeoutException, InterruptedException {
    Path unfinished = directory.resolveSibling(directory.getFileName() + UNFINISHED);
    delete(directory);
    Table table = Table.at(base);
    boolean complete = false;
    while (!complete) {
      String version = table.requireCurrentVersion();
      try {
        Manifest manifest = table.manifest(version);
        requireFit(
            manifest.sourcePositions(),
            manifest.createdAt(),
            admin,
            "the store cannot begin with this base: store=%s base=%s version=%s"
                .formatted(store, base, version),
            "build the base anew, with the topic's positions from before its source is read");
        delete(unfinished);
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

  private static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /**
   * Checks that the topic has all that came after a table's positions.
   *
   * @param builtAt when the table was built; null if the topic's deletes were applied since
   */
  private static TopicPositions requireFit(
      Map<String, String> sourcePositions,
      @Nullable Instant builtAt,
      Admin admin,
      String what,
      String remedy)
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
      if (misfit == null && builtAt != null) {
        misfit = misfit(builtAt, TopicState.deletesKept(admin, positions.topic()));
      }
    } catch (ExecutionException e) {
      throw new StreamsException(
          "%s: the cluster does not describe the topic: %s; check that it has it and permits to describe it, else %s"
              .formatted(where, e.getMessage(), remedy),
          e);
    }
    if (misfit != null) {
      throw new StreamsException(where + ": " + misfit + "; " + remedy);
    }
    return positions;
  }

  private static @Nullable String misfit(Instant builtAt, @Nullable Duration deletesKept) {
    Duration age = Duration.between(builtAt, Instant.now());
    return deletesKept == null || age.compareTo(deletesKept) < 0
        ? null
        : "it is older than the topic keeps deletes, so deleted keys could come back: built=%s age=%d ms delete.retention.ms=%d"
            .formatted(builtAt, age.toMillis(), deletesKept.toMillis());
  }
}
