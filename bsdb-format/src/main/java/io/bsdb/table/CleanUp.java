package io.bsdb.table;

import io.bsdb.format.SnapshotFormat;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Deletes versions and leftovers of a table; only what has a name that a build gives. */
final class CleanUp {
  private static final String UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";
  private static final Pattern STAGED = Pattern.compile(UUID);
  private static final Pattern NEXT_CURRENT =
      Pattern.compile(SnapshotFormat.CURRENT_FILE + "\\." + UUID + "\\.tmp");

  private final Table table;
  private final TableStorage storage;
  private final List<String> deleted = new ArrayList<>();

  CleanUp(Table table) {
    this.table = table;
    this.storage = table.storage();
  }

  /** Deletes the oldest complete versions, but not the one in service. */
  List<String> prune(int keep) throws IOException {
    if (keep < 1) {
      throw new IllegalArgumentException("versions to keep: expected>=1 actual=" + keep);
    }
    storage.exclusively(
        () -> {
          String current = table.currentVersion();
          List<String> others = new ArrayList<>(table.versions());
          others.remove(current);
          int spare = others.size() - (current == null ? keep : keep - 1);
          for (String version : others.subList(0, Math.max(0, spare))) {
            String directory = Table.directory(version);
            storage.delete(directory + "/" + SnapshotFormat.MANIFEST_FILE);
            storage.delete(directory);
            deleted.add(version);
          }
        });
    return deleted;
  }

  /** Deletes what dead builds left behind, unless it was changed since {@code limit}. */
  List<String> sweep(Instant limit) throws IOException {
    for (String name : storage.list(SnapshotFormat.STAGING_DIRECTORY)) {
      if (STAGED.matcher(name).matches()) {
        sweep(SnapshotFormat.STAGING_DIRECTORY + "/" + name, limit);
      }
    }
    for (String name : storage.list("")) {
      if (NEXT_CURRENT.matcher(name).matches()) {
        sweep(name, limit);
      }
    }
    // A build that is about to be published is either swept before, and refused, or complete.
    storage.exclusively(
        () -> {
          String current = table.currentVersion();
          for (String name : storage.list(SnapshotFormat.SNAPSHOTS_DIRECTORY)) {
            if (Manifest.isVersion(name) && !name.equals(current) && !table.isComplete(name)) {
              sweep(Table.directory(name), limit);
            }
          }
        });
    return deleted;
  }

  private void sweep(String path, Instant limit) throws IOException {
    if (storage.lastModified(path).isBefore(limit)) {
      storage.delete(path);
      deleted.add(path);
    }
  }
}
