package io.bsdb.table;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Manifest;
import io.bsdb.format.PartitionFile;
import io.bsdb.format.SnapshotFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A table directory: immutable snapshots below {@code snapshots/}, and {@code CURRENT}, which names
 * the one in service.
 *
 * <p>The files of a build are written where they will stay. A version counts as complete once it
 * has a manifest, which is written last, and is in service once {@code CURRENT}, replaced in one
 * step, names it. So publishing needs neither a rename across directories nor a copy, and a crash
 * at any moment leaves the version in service as it was.
 *
 * <p>Safe for many threads and processes. On the default file system a lock file orders those that
 * change {@code CURRENT}.
 */
public final class Table {
  private static final Pattern VERSION = Pattern.compile("\\d{10}-[0-9a-f]{8}");
  private static final int MAX_CURRENT_LENGTH = 4096;

  private final TableStorage storage;

  private Table(TableStorage storage) {
    this.storage = storage;
  }

  /**
   * The table in a directory of any {@code java.nio.file} provider. The directory need not exist
   * yet.
   */
  public static Table at(Path directory) {
    return new Table(new PathStorage(directory));
  }

  /** The table in some other storage. */
  public static Table of(TableStorage storage) {
    return new Table(storage);
  }

  public TableStorage storage() {
    return storage;
  }

  /**
   * The version in service, or null if nothing has been published.
   *
   * @throws CorruptSnapshotException if {@code CURRENT} does not hold a version's name
   */
  public @Nullable String currentVersion() throws IOException {
    byte[] content;
    try {
      content = storage.read(SnapshotFormat.CURRENT_FILE, MAX_CURRENT_LENGTH);
    } catch (NoSuchFileException e) {
      return null;
    }
    String text = new String(content, StandardCharsets.UTF_8);
    String version = text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    if (!text.endsWith("\n") || !VERSION.matcher(version).matches()) {
      throw new CorruptSnapshotException(
          "CURRENT does not name a version: file=%s/%s content='%s'; roll back to a version of 'bsdb versions'"
              .formatted(storage, SnapshotFormat.CURRENT_FILE, text.strip()));
    }
    return version;
  }

  /** The version in service. */
  public String requireCurrentVersion() throws IOException {
    String version = currentVersion();
    if (version == null) {
      throw new NoSuchFileException(
          storage + "/" + SnapshotFormat.CURRENT_FILE,
          null,
          "no snapshot has been published here; build one, or check the path");
    }
    return version;
  }

  /** All complete versions, oldest first. */
  public List<String> versions() throws IOException {
    List<String> versions = new ArrayList<>();
    for (String name : storage.list(SnapshotFormat.SNAPSHOTS_DIRECTORY)) {
      if (contains(name)) {
        versions.add(name);
      }
    }
    return versions;
  }

  /** Whether {@link #versions} has this one; cheaper where there are many. */
  public boolean contains(String version) throws IOException {
    return VERSION.matcher(version).matches() && isComplete(version);
  }

  private boolean isComplete(String version) throws IOException {
    return storage.list(directory(version)).contains(SnapshotFormat.MANIFEST_FILE);
  }

  private static String directory(String version) {
    return SnapshotFormat.SNAPSHOTS_DIRECTORY + "/" + version;
  }

  /** The manifest of a version. */
  public Manifest manifest(String version) throws IOException {
    if (!VERSION.matcher(version).matches()) {
      throw new IllegalArgumentException(
          "not a version's name: '%s', expected like 0000000001-0a1b2c3d".formatted(version));
    }
    String path = directory(version) + "/" + SnapshotFormat.MANIFEST_FILE;
    Manifest manifest =
        Manifest.decode(storage.read(path, Manifest.MAX_LENGTH), storage + "/" + path);
    if (!manifest.version().equals(version)) {
      throw new CorruptSnapshotException(
          "manifest belongs to another version: file=%s/%s expected=%s actual=%s"
              .formatted(storage, path, version, manifest.version()));
    }
    return manifest;
  }

  /** Begins a build: picks its id and its version. Writes nothing. */
  public Build begin() throws IOException {
    // Before the listing, so that this is in it and the build sorts behind it.
    String parent = currentVersion();
    long sequence = 0;
    for (String name : storage.list(SnapshotFormat.SNAPSHOTS_DIRECTORY)) {
      if (VERSION.matcher(name).matches()) {
        sequence = Math.max(sequence, Long.parseLong(name.substring(0, 10)));
      }
    }
    UUID id = UUID.randomUUID();
    String version =
        String.format(Locale.ROOT, "%010d-%s", sequence + 1, id.toString().substring(0, 8));
    return new Build(id, version, parent);
  }

  /** What {@link #publish} did. */
  public enum Published {
    NOW,
    /** An earlier call for the same build had already put it in service. */
    BEFORE
  }

  /**
   * Puts a build in service: writes its manifest unless it has one, then swaps {@code CURRENT}. May
   * be repeated for the same build. One that was published and then rolled back looks like one that
   * was killed before the swap: it is put in service again, unless there is another version in the
   * place of the one before it.
   *
   * @throws NoSuchFileException if a file of the manifest is not there
   * @throws PublishConflictException if another version was put in service since the build began
   */
  public Published publish(Build build, Manifest manifest) throws IOException {
    AtomicBoolean now = new AtomicBoolean();
    // The manifest makes the version complete, so that prune may delete it until CURRENT names it:
    // both are written under one lock.
    storage.exclusively(
        () -> {
          if (wasPublished(build)) {
            return;
          }
          checkParent(build);
          checkFiles(build, manifest);
          if (!isComplete(build.version())) {
            storage.replace(
                build.directory() + "/" + SnapshotFormat.MANIFEST_FILE, manifest.encode());
          }
          storage.syncDirectory(build.directory());
          storage.syncDirectory(SnapshotFormat.SNAPSHOTS_DIRECTORY);
          setCurrent(build.version());
          now.set(true);
        });
    if (!now.get()) {
      return Published.BEFORE;
    }
    storage.delete(build.stagingDirectory());
    return Published.NOW;
  }

  /**
   * Whether a build was put in service, be it that later ones have taken its place since. After a
   * rollback, only what led to the version in service counts.
   */
  public boolean wasPublished(Build build) throws IOException {
    String version = currentVersion();
    while (version != null && !version.equals(build.parent())) {
      if (version.equals(build.version())) {
        return true;
      }
      try {
        version = manifest(version).parent();
      } catch (NoSuchFileException pruned) {
        return false;
      }
    }
    return false;
  }

  private void checkParent(Build build) throws IOException {
    String current = currentVersion();
    if (!Objects.equals(current, build.parent())) {
      throw new PublishConflictException(
          "another build published first: table=%s in service when this build began=%s in service now=%s; nothing was replaced, run this build again"
              .formatted(storage, build.parent() == null ? "none" : build.parent(), current));
    }
  }

  private void checkFiles(Build build, Manifest manifest) throws IOException {
    Set<String> present = new HashSet<>(storage.list(build.directory()));
    for (PartitionFile file : manifest.partitions()) {
      if (!present.contains(file.name())) {
        throw new NoSuchFileException(
            storage + "/" + build.directory() + "/" + file.name(),
            null,
            "a partition file is gone, perhaps swept as left behind; nothing was published, run"
                + " this build again");
      }
    }
  }

  private void setCurrent(String version) throws IOException {
    storage.replace(SnapshotFormat.CURRENT_FILE, (version + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /** Deletes all that an unpublished build has written. */
  public void abort(Build build) throws IOException {
    if (!wasPublished(build)) {
      storage.delete(build.directory());
    }
    storage.delete(build.stagingDirectory());
  }

  /**
   * Puts an earlier or later complete version in service.
   *
   * @throws IllegalArgumentException if there is no such version
   */
  public void rollback(String version) throws IOException {
    storage.exclusively(
        () -> {
          if (!contains(version)) {
            throw new IllegalArgumentException(
                "no such version: %s; the table %s has %s".formatted(version, storage, versions()));
          }
          setCurrent(version);
        });
  }

  /**
   * Deletes the oldest complete versions beyond the newest {@code keep}; never the one in service.
   *
   * @param keep how many to keep, at least 1, the one in service among them
   * @return the versions deleted
   */
  public List<String> prune(int keep) throws IOException {
    if (keep < 1) {
      throw new IllegalArgumentException("versions to keep: expected>=1 actual=" + keep);
    }
    List<String> deleted = new ArrayList<>();
    storage.exclusively(
        () -> {
          String current = currentVersion();
          List<String> others = new ArrayList<>(versions());
          others.remove(current);
          int spare = others.size() - (current == null ? keep : keep - 1);
          for (String version : others.subList(0, Math.max(0, spare))) {
            storage.delete(directory(version) + "/" + SnapshotFormat.MANIFEST_FILE);
            storage.delete(directory(version));
            deleted.add(version);
          }
        });
    return deleted;
  }

  /**
   * Deletes what dead builds left behind: staging directories, incomplete versions in which nothing
   * changed for {@code age}, and successors of {@code CURRENT} that never took its place. What is
   * not named like a version stays.
   *
   * @return what was deleted, relative to the table directory
   */
  public List<String> sweep(Duration age) throws IOException {
    Instant limit = Instant.now().minus(age);
    List<String> deleted = new ArrayList<>();
    for (String name : storage.list(SnapshotFormat.STAGING_DIRECTORY)) {
      sweep(SnapshotFormat.STAGING_DIRECTORY + "/" + name, limit, deleted);
    }
    for (String name : storage.list("")) {
      if (name.startsWith(SnapshotFormat.CURRENT_FILE + ".") && name.endsWith(".tmp")) {
        sweep(name, limit, deleted);
      }
    }
    // A build that is about to be published is either swept before, and refused, or complete.
    storage.exclusively(
        () -> {
          String current = currentVersion();
          for (String name : storage.list(SnapshotFormat.SNAPSHOTS_DIRECTORY)) {
            if (VERSION.matcher(name).matches() && !name.equals(current) && !isComplete(name)) {
              sweep(directory(name), limit, deleted);
            }
          }
        });
    return deleted;
  }

  private void sweep(String path, Instant limit, List<String> deleted) throws IOException {
    if (storage.lastModified(path).isBefore(limit)) {
      storage.delete(path);
      deleted.add(path);
    }
  }
}
