package io.bsdb.live;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.io.Closing;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.History;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.table.storage.DirectoryTree;
import io.bsdb.table.storage.PathStorage;
import io.bsdb.table.storage.TableStorage;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Copies the version in service into a new table. */
final class TableCopy {
  private TableCopy() {}

  /** Does the same as {@link #makeUnlocked}, while no version is pruned or replaced. */
  static void make(Table table, Path directory, Path target) throws IOException {
    table.storage().exclusively(() -> makeUnlocked(table, directory, target));
  }

  /**
   * Links or copies all files of the version in service, and writes {@code CURRENT} last. A
   * directory without it is not complete.
   */
  static void makeUnlocked(Table table, Path directory, Path target) throws IOException {
    if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileAlreadyExistsException(
          target.toString(), null, "a copy needs a directory that does not exist");
    }
    PathStorage.createDurably(target);
    try {
      String version = table.currentVersion();
      if (version != null) {
        copy(table.manifest(version), directory, target);
      }
    } catch (IOException | RuntimeException | Error e) {
      Closing.after(e, () -> DirectoryTree.delete(target));
      throw e;
    }
  }

  private static void copy(Manifest manifest, Path directory, Path target) throws IOException {
    Set<String> directories = new HashSet<>();
    for (String file : manifest.files()) {
      String parent = file.substring(0, file.lastIndexOf('/'));
      if (directories.add(parent)) {
        Files.createDirectories(target.resolve(parent));
      }
      linkOrCopy(directory.resolve(file), target.resolve(file));
    }
    TableStorage storage = Table.at(target).storage();
    String home = SnapshotFormat.SNAPSHOTS_DIRECTORY + "/" + manifest.version();
    storage.replace(home + "/" + SnapshotFormat.MANIFEST_FILE, ofItsOwn(manifest).encode());
    directories.add(home);
    directories.add(SnapshotFormat.SNAPSHOTS_DIRECTORY);
    for (String made : directories) {
      storage.syncDirectory(made);
    }
    storage.replace(
        SnapshotFormat.CURRENT_FILE, (manifest.version() + "\n").getBytes(StandardCharsets.UTF_8));
  }

  private static void linkOrCopy(Path file, Path copy) throws IOException {
    try {
      Files.createLink(copy, file);
    } catch (IOException | UnsupportedOperationException e) {
      Files.copy(file, copy);
      try (FileChannel channel = FileChannel.open(copy, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
    }
  }

  /** Returns the manifest without the progress of the log, which the copy does not have. */
  private static Manifest ofItsOwn(Manifest manifest) {
    Changes changes = manifest.changes();
    List<SegmentFile> folded = changes.history().segments();
    long after =
        folded.isEmpty() ? changes.history().after() : folded.get(folded.size() - 1).number();
    return manifest.with(
        manifest.partitions(),
        manifest.sourcePositions(),
        new Changes(
            changes.segments(),
            changes.lastSegment(),
            Map.of(),
            new History(changes.history().line(), after, List.of())));
  }
}
