package io.bsdb.table;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.UnsupportedVersionException;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.table.storage.TableStorage;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Deletes versions and leftovers of a table; only what has a name that a build gives. */
final class CleanUp {
  private static final String UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";
  private static final Pattern STAGED = Pattern.compile(UUID);
  private static final Pattern NEXT_CURRENT =
      Pattern.compile(SnapshotFormat.CURRENT_FILE + "\\." + UUID + "\\.tmp");

  private static final Pattern SEGMENT = Pattern.compile(UUID + "\\.seg");

  /** A job that is restored may still publish segments that it wrote before. */
  private static final Duration SPARED_SEGMENTS = Duration.ofDays(7);

  private final Table table;
  private final TableStorage storage;
  private final List<String> deleted = new ArrayList<>();

  CleanUp(Table table) {
    this.table = table;
    this.storage = table.storage();
  }

  /** Deletes the oldest complete versions, but not the one in service. */
  List<String> prune(int keep, Duration age) throws IOException {
    if (keep < 1) {
      throw new IllegalArgumentException("versions to keep: expected>=1 actual=" + keep);
    }
    storage.exclusively(
        () -> {
          String current = table.currentVersion();
          List<String> all = table.versions();
          List<String> others = others(all, current);
          int spare = others.size() - Math.max(0, keep - (all.size() - others.size()));
          List<String> old = new ArrayList<>(others.subList(0, Math.max(0, spare)));
          Instant limit = Table.ago(age);
          if (!age.isZero()) {
            if (current != null && wasRolledBack(current, limit)) {
              return;
            }
            while (!old.isEmpty() && !wasReplaced(old.get(old.size() - 1), all, limit)) {
              old.remove(old.size() - 1);
            }
          }
          if (current != null && age.isZero() && !old.isEmpty()) {
            // A version that is just being put in service is complete before CURRENT names it.
            table.requireSolePublisher(table.manifest(current));
          }
          prune(old, age.isZero() ? Instant.MAX : limit);
        });
    return deleted;
  }

  /** Deletes the oldest versions by age, and by the space that only old versions take. */
  List<String> pruneByWeight(Duration age, long bytes) throws IOException {
    storage.exclusively(
        () -> {
          String current = table.currentVersion();
          List<String> all = table.versions();
          List<String> others = others(all, current);
          if (current == null || others.isEmpty()) {
            return;
          }
          Set<String> inService = table.manifest(current).filesToKeep();
          Instant limit = Table.ago(age);
          Map<String, Map<String, Long>> files = new HashMap<>();
          Map<String, Integer> uses = new HashMap<>();
          long weight = 0; // of the files that only others have
          for (String version : others) {
            Map<String, Long> lengths = lengths(version);
            lengths.keySet().removeAll(inService);
            files.put(version, lengths);
            for (Map.Entry<String, Long> file : lengths.entrySet()) {
              weight += uses.merge(file.getKey(), 1, Integer::sum) == 1 ? file.getValue() : 0;
            }
          }
          int replaced = others.size();
          while (replaced > 0 && !wasReplaced(others.get(replaced - 1), all, limit)) {
            replaced--; // one before it counts, though published when the clock was ahead
          }
          List<String> old = new ArrayList<>();
          while (old.size() < replaced || (!others.isEmpty() && weight > bytes)) {
            String oldest = others.remove(0);
            old.add(oldest);
            for (Map.Entry<String, Long> file : files.getOrDefault(oldest, Map.of()).entrySet()) {
              weight -= uses.merge(file.getKey(), -1, Integer::sum) == 0 ? file.getValue() : 0;
            }
          }
          prune(old, Instant.MAX);
        });
    return deleted;
  }

  /**
   * Returns the versions that may be deleted: all but the one in service and the newest. After a
   * rollback these are two, and the number of the newest shows that the next version does not
   * continue it.
   */
  private static List<String> others(List<String> all, @Nullable String current) {
    List<String> others = new ArrayList<>(all.subList(0, Math.max(0, all.size() - 1)));
    others.remove(current);
    return others;
  }

  /** Returns the lengths of a version's files by their paths; none if its manifest is damaged. */
  private Map<String, Long> lengths(String version) throws IOException {
    Map<String, Long> lengths = new HashMap<>();
    try {
      Manifest manifest = table.manifest(version);
      for (PartitionFile file : manifest.partitions()) {
        lengths.put(file.directory(version) + "/" + file.name(), file.length());
      }
      for (SegmentFile file : manifest.changes().segments()) {
        lengths.put(file.path(), file.length());
      }
    } catch (CorruptSnapshotException | UnsupportedVersionException e) {
      // Its age decides.
    }
    return lengths;
  }

  /**
   * Returns whether a version, not the newest, was replaced before a time. Until then it could be
   * found, whenever it was published.
   */
  private boolean wasReplaced(String version, List<String> all, Instant limit) throws IOException {
    return wasPublished(all.get(all.indexOf(version) + 1), limit);
  }

  /** Returns whether a version was published before a time. */
  private boolean wasPublished(String version, Instant limit) throws IOException {
    String manifest = Table.directory(version) + "/" + SnapshotFormat.MANIFEST_FILE;
    return storage.lastModified(manifest).isBefore(limit);
  }

  /**
   * Returns whether a version from before a time was put in service after it. Which one was in
   * service until then is unknown.
   */
  private boolean wasRolledBack(String current, Instant limit) throws IOException {
    return wasPublished(current, limit)
        && !storage.lastModified(SnapshotFormat.CURRENT_FILE).isBefore(limit);
  }

  /** Returns the files that the manifests of complete versions name. */
  private Set<String> filesInUse() throws IOException {
    Set<String> files = new HashSet<>();
    for (String version : table.versions()) {
      files.addAll(table.manifest(version).filesToKeep());
    }
    return files;
  }

  /** Returns whether a complete version has files in a directory, or may have, if it is damaged. */
  boolean isInUse(String directory) throws IOException {
    try {
      return isAmong(filesInUse(), directory);
    } catch (CorruptSnapshotException | UnsupportedVersionException unknown) {
      return true;
    }
  }

  private static boolean isAmong(Set<String> files, String directory) {
    return files.stream().anyMatch(file -> file.startsWith(directory + "/"));
  }

  /**
   * Deletes versions.
   *
   * @param limit versions replaced after this time are kept; which version replaced them is read
   *     from manifests, since after a rollback or a killed publication it is not the next number
   */
  private void prune(List<String> versions, Instant limit) throws IOException {
    if (versions.isEmpty()) {
      return;
    }
    List<String> old = new ArrayList<>(versions);
    Set<String> inUse = new HashSet<>();
    for (String version : table.versions()) {
      if (!versions.contains(version)) {
        Manifest manifest = table.manifest(version);
        inUse.addAll(manifest.filesToKeep());
        String before = manifest.parent();
        if (before != null && old.contains(before) && !wasPublished(version, limit)) {
          old.remove(before);
          inUse.addAll(table.manifest(before).filesToKeep());
        }
      }
    }
    storage.syncDirectory(""); // CURRENT may name another version, and not durably
    // Versions share files. So all manifests go first, durably: wherever this ends, a version that
    // still counts as complete has its files.
    Map<String, Set<String>> files = new LinkedHashMap<>();
    for (String version : old) {
      files.put(version, filesOf(version));
      storage.delete(Table.directory(version) + "/" + SnapshotFormat.MANIFEST_FILE);
      deleted.add(version);
    }
    for (String version : old) {
      storage.syncDirectory(Table.directory(version));
    }
    for (Map.Entry<String, Set<String>> version : files.entrySet()) {
      deleteFiles(version.getKey(), version.getValue(), inUse);
    }
  }

  private Set<String> filesOf(String version) throws IOException {
    try {
      return new LinkedHashSet<>(table.manifest(version).filesToKeep());
    } catch (CorruptSnapshotException | UnsupportedVersionException e) {
      // Its own directory goes all the same; a segment that only it names is left to sweep.
      return new LinkedHashSet<>();
    }
  }

  /** Deletes those files of a version without a manifest that no other version has. */
  private void deleteFiles(String version, Set<String> files, Set<String> inUse)
      throws IOException {
    String directory = Table.directory(version);
    files.removeAll(inUse);
    for (String file : files) {
      if (!file.startsWith(directory + "/")) {
        storage.delete(file);
        deleteIfEmpty(file.substring(0, file.lastIndexOf('/')));
      }
    }
    if (!isAmong(inUse, directory)) {
      storage.delete(directory);
      return;
    }
    for (String name : storage.list(directory)) {
      if (!inUse.contains(directory + "/" + name)) {
        storage.delete(directory + "/" + name);
      }
    }
  }

  private void deleteIfEmpty(String directory) throws IOException {
    if (!directory.equals(SnapshotFormat.DATA_DIRECTORY) && storage.list(directory).isEmpty()) {
      storage.delete(directory);
    }
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
          Set<String> inUse = filesInUse();
          for (String name : storage.list(SnapshotFormat.SNAPSHOTS_DIRECTORY)) {
            String directory = Table.directory(name);
            if (Manifest.isVersion(name)
                && !name.equals(current)
                && !table.isComplete(name)
                && !isAmong(inUse, directory)) {
              sweep(directory, limit);
            }
          }
          Instant segmentLimit =
              table.isOwned() ? limit : min(limit, Instant.now().minus(SPARED_SEGMENTS));
          for (String name : storage.list(SnapshotFormat.DATA_DIRECTORY)) {
            String file = SnapshotFormat.DATA_DIRECTORY + "/" + name;
            if (SEGMENT.matcher(name).matches() && !inUse.contains(file)) {
              sweep(file, segmentLimit);
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

  private static Instant min(Instant a, Instant b) {
    return a.isBefore(b) ? a : b;
  }
}
