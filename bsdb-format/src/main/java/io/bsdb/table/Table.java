package io.bsdb.table;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Excerpt;
import io.bsdb.format.Internal;
import io.bsdb.format.SnapshotFormat;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
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
  private static final long MAX_SEQUENCE = 9_999_999_999L;

  private final TableStorage storage;
  private final boolean owned;

  private Table(TableStorage storage, boolean owned) {
    this.storage = storage;
    this.owned = owned;
  }

  /**
   * Returns the table in a directory of any {@code java.nio.file} provider. The directory need not
   * exist yet.
   */
  public static Table at(Path directory) {
    return new Table(new PathStorage(directory), false);
  }

  /**
   * Returns the table in some other storage.
   *
   * @hidden
   */
  @Internal
  public static Table of(TableStorage storage) {
    return new Table(storage, false);
  }

  /**
   * Returns the table in some storage for the process that owns it as a writable table: the only
   * one that publishes.
   *
   * @hidden
   */
  @Internal
  public static Table ofOwner(TableStorage storage) {
    return new Table(storage, true);
  }

  /** Returns whether nobody else writes segments. */
  boolean isOwned() {
    return owned;
  }

  /**
   * Returns where its files lie.
   *
   * @hidden
   */
  @Internal
  public TableStorage storage() {
    return storage;
  }

  /**
   * Returns the version in service, or null if nothing has been published.
   *
   * @throws CorruptSnapshotException if {@code CURRENT} does not hold a version's name
   * @throws NoSuchFileException if it is missing, or names a version that is not there, but the
   *     table has complete versions; {@link #rollback} puts one of them in service
   */
  public @Nullable String currentVersion() throws IOException {
    return currentVersion(null);
  }

  /**
   * Returns the version in service; cheaper if it is one that was found before.
   *
   * @param known which is not looked for again; may be null
   * @hidden
   */
  @Internal
  public @Nullable String currentVersion(@Nullable String known) throws IOException {
    return new CurrentFile(this).inService(known);
  }

  /** Returns the version in service. */
  public String requireCurrentVersion() throws IOException {
    return requireCurrentVersion(null);
  }

  /**
   * Returns the version in service; cheaper if it is one that was found before.
   *
   * @param known which is not looked for again; may be null
   * @hidden
   */
  @Internal
  public String requireCurrentVersion(@Nullable String known) throws IOException {
    String version = currentVersion(known);
    if (version == null) {
      throw new CurrentFile(this).nothingPublished();
    }
    return version;
  }

  /** Returns all complete versions, oldest first. */
  public List<String> versions() throws IOException {
    List<String> versions = new ArrayList<>();
    for (String name : storage.list(SnapshotFormat.SNAPSHOTS_DIRECTORY)) {
      if (contains(name)) {
        versions.add(name);
      }
    }
    return versions;
  }

  /** Returns whether {@link #versions} has this one; cheaper where there are many. */
  public boolean contains(String version) throws IOException {
    return Manifest.isVersion(version) && isComplete(version);
  }

  boolean isComplete(String version) throws IOException {
    return storage.list(directory(version)).contains(SnapshotFormat.MANIFEST_FILE);
  }

  static String directory(String version) {
    return SnapshotFormat.SNAPSHOTS_DIRECTORY + "/" + version;
  }

  /**
   * Returns the manifest of a version.
   *
   * @throws NoSuchFileException if there is no such complete version
   */
  public Manifest manifest(String version) throws IOException {
    requireVersion(version);
    return ManifestFile.read(storage, directory(version), version);
  }

  /** Returns the manifest of a snapshot, in a directory of whatever name. */
  public static Manifest manifestIn(Path snapshot) throws IOException {
    return ManifestFile.read(new PathStorage(snapshot), "", null);
  }

  private static void requireVersion(String version) {
    if (!Manifest.isVersion(version)) {
      throw new IllegalArgumentException(
          "not a version's name: '%s', expected like 0000000001-0a1b2c3d"
              .formatted(Excerpt.of(version)));
    }
  }

  /**
   * Begins a build: picks its id and its version. Writes nothing. The version sorts behind all
   * complete ones; a number that only an incomplete one has may be taken again, for the build's id
   * is part of the name.
   *
   * @hidden
   */
  @Internal
  public Build begin() throws IOException {
    return begin(UUID.randomUUID());
  }

  /**
   * Begins a build that keeps the changes published after a version, at or before which its data is
   * read.
   *
   * @throws NoSuchFileException if there is no such complete version
   * @hidden
   */
  @Internal
  public Build beginAsOf(String version) throws IOException {
    Manifest manifest = manifest(version);
    Build build = begin();
    return new Build(
        build.id(),
        build.version(),
        build.parent(),
        new AsOf(version, manifest.line(), manifest.changes().lastSegment()));
  }

  /** Begins a build with a given id. */
  Build begin(UUID id) throws IOException {
    // Before the listing, so that this is in it and the build sorts behind it.
    String parent = currentVersion();
    String newest = new CurrentFile(this).newest();
    long sequence =
        Math.max(newest == null ? 0 : sequence(newest), parent == null ? 0 : sequence(parent));
    if (sequence == MAX_SEQUENCE) {
      throw new IOException(
          "no number is left for another version: table=%s newest version=%s; delete it if it is not this table's, else build into a new directory"
              .formatted(storage, newest == null ? parent : newest));
    }
    String version =
        String.format(Locale.ROOT, "%010d-%s", sequence + 1, id.toString().substring(0, 8));
    return new Build(id, version, parent);
  }

  static long sequence(String version) {
    return Long.parseLong(version.substring(0, 10));
  }

  /**
   * Outcome of {@link #publish}.
   *
   * @hidden
   */
  @Internal
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
   * @throws IllegalArgumentException if a reader would refuse the manifest
   * @throws NoSuchFileException if a file of the manifest is not there
   * @throws PublishConflictException if another version was put in service since the build began,
   *     or if a stream is written into the table
   * @hidden
   */
  @Internal
  public Published publish(Build build, Manifest manifest) throws IOException {
    requireVersion(build.version());
    byte[] encoded = ManifestFile.encode(storage, build, manifest);
    AtomicBoolean now = new AtomicBoolean();
    // The manifest makes the version complete, so that prune may delete it until CURRENT names it:
    // both are written under one lock.
    storage.exclusively(
        () -> {
          if (wasPublished(build)) {
            return;
          }
          checkParent(build);
          replacedBy(build);
          checkFiles(manifest);
          putInService(build, encoded);
          now.set(true);
        });
    return now.get() ? Published.NOW : Published.BEFORE;
  }

  /**
   * Returns whether a build was put in service, even if later ones have taken its place since.
   * After a rollback, only what led to the version in service counts.
   *
   * @throws CorruptSnapshotException if a version names a parent that is not older than itself
   * @hidden
   */
  @Internal
  public boolean wasPublished(Build build) throws IOException {
    return published(build) != null;
  }

  /** Returns the version of a build that {@link #wasPublished}, else null. */
  @Nullable String published(Build build) throws IOException {
    String version = currentVersion();
    while (version != null && !version.equals(build.parent())) {
      if (version.equals(build.version())) {
        return version;
      }
      Manifest manifest;
      try {
        manifest = manifest(version);
      } catch (NoSuchFileException pruned) {
        return null;
      }
      if (manifest.snapshotId().equals(build.id())) {
        return version;
      }
      String parent = manifest.parent();
      if (parent != null && parent.compareTo(version) >= 0) {
        throw new CorruptSnapshotException(
            "a version cannot follow one that is not older: file=%s/%s/%s parent=%s; roll back to a version of 'bsdb versions', and delete this one"
                .formatted(storage, directory(version), SnapshotFormat.MANIFEST_FILE, parent));
      }
      version = parent;
    }
    return null;
  }

  /** Makes the next version of a table from the one in service. */
  public interface Edit {
    /**
     * Returns the manifest to be put in service; only what it says of partitions, changes and
     * source positions counts. An equal one leaves what is in service as it is.
     *
     * @throws PublishConflictException if the version in service does not have what the edit needs
     */
    Manifest apply(Manifest inService) throws IOException;
  }

  /**
   * Puts a version in service that is made from the one in service, whichever that is by then: for
   * changes that do not depend on all of it.
   *
   * @return the manifest of the version that is in service then
   * @throws NoSuchFileException if the table has no version, or a file that is named is not there
   * @throws PublishConflictException as the edit does
   * @throws IOException also if the version would have more segments than {@link
   *     Changes#MAX_SEGMENTS}
   */
  public Manifest edit(Edit edit) throws IOException {
    List<Manifest> published = new ArrayList<>();
    storage.exclusively(
        () -> {
          String current = requireCurrentVersion();
          Manifest before = manifest(current);
          Manifest wanted = edit.apply(before);
          if (wanted.equals(before)) {
            published.add(before);
            return;
          }
          HistoryRule.check(before, wanted);
          Build build = begin();
          // After a rollback, numbers of segments stand for others than before.
          boolean follows = sequence(build.version()) == sequence(current) + 1;
          Manifest content =
              before.with(
                  wanted.partitions().stream().map(file -> file.in(current)).toList(),
                  wanted.sourcePositions(),
                  wanted.changes().of(follows ? before.line() : build.id()));
          published.add(putInService(build, content));
        });
    return published.get(0);
  }

  /** Refuses others than the owner of a writable table, whose log lies over this version. */
  private void requireNoOwner() throws IOException {
    if (!owned && storage.list(SnapshotFormat.LOG_DIRECTORY).contains(SnapshotFormat.OWNER_FILE)) {
      throw new PublishConflictException(
          "a writable table cannot be published into: file=%s/%s/%s; write changes in the process that owns it, or publish into another table"
              .formatted(storage, SnapshotFormat.LOG_DIRECTORY, SnapshotFormat.OWNER_FILE));
    }
  }

  /** Puts what a manifest says in service as a version of its own; under the lock. */
  Manifest putInService(Build build, Manifest content) throws IOException {
    Manifest manifest =
        new Manifest(
            build.id(),
            build.version(),
            build.parent(),
            Instant.now().truncatedTo(ChronoUnit.MILLIS),
            content.schema(),
            content.options(),
            content.partitions(),
            content.properties(),
            content.sourcePositions(),
            content.changes());
    checkSegments(manifest);
    checkFiles(manifest);
    putInService(build, ManifestFile.encode(storage, build, manifest));
    return manifest;
  }

  /**
   * Returns what a build takes over that replaces all changes: their numbers.
   *
   * @throws PublishConflictException if a stream is written into the table: the build would lose
   *     what the stream changed since its data was read
   * @hidden
   */
  @Internal
  public Changes replacedBy(Build build) throws IOException {
    String parent = build.parent();
    if (parent == null) {
      return Changes.NONE;
    }
    Changes replaced;
    try {
      replaced = manifest(parent).changes();
    } catch (CorruptSnapshotException | NoSuchFileException damaged) {
      return Changes.NONE; // building anew is its cure
    }
    if (!replaced.streams().isEmpty()) {
      throw new PublishConflictException(
          "a table into which a stream is written cannot be replaced by a build that does not say which changes it has: table=%s version=%s streams=%s; name the version from which on changes are to be kept (--keep-changes-after, 'sink.keep-changes-after'), or change single rows by a delta"
              .formatted(storage, parent, replaced.streams().keySet()));
    }
    return replaced.lastSegment() == 0 ? Changes.NONE : replaced.folded();
  }

  /**
   * Puts a build in service under the changes that were published since its data was read. May be
   * repeated for the same build.
   *
   * @return the manifest of the version in service
   * @throws PublishConflictException if it cannot be told which changes those are, or if some are
   *     gone
   * @hidden
   */
  @Internal
  public Manifest publishUnderChanges(Build build, Manifest manifest) throws IOException {
    List<Manifest> inService = new ArrayList<>();
    storage.exclusively(
        () -> {
          String before = published(build);
          inService.add(
              before == null ? new Rebuild(this, build, manifest).publish() : manifest(before));
        });
    return inService.get(0);
  }

  /**
   * Refuses what only the stream's committer may do where there are no locks: another process that
   * publishes at the same time would undo what the committer has just put in service, and one that
   * prunes would delete it.
   *
   * @throws PublishConflictException if a stream is written into the table, and its storage has no
   *     locks
   * @hidden
   */
  @Internal
  public void requireSolePublisher(Manifest inService) throws PublishConflictException {
    if (!storage.hasLocks() && !inService.changes().streams().isEmpty()) {
      throw new PublishConflictException(
          "this storage has no locks: only the job that streams into the table may change it: table=%s version=%s streams=%s; nothing was changed; when that job has stopped for good, end its stream, for example by CALL sys.end_stream('database.table', '%s'), and try again; to roll back, name the stream"
              .formatted(
                  storage,
                  inService.version(),
                  inService.changes().streams().keySet(),
                  inService.changes().streams().keySet().iterator().next()));
    }
  }

  /** Returns the version in service, or if that is damaged the one that is to take its place. */
  private Manifest inServiceOr(String successor) throws IOException {
    try {
      return manifest(requireCurrentVersion());
    } catch (CorruptSnapshotException | NoSuchFileException damaged) {
      CurrentFile current = new CurrentFile(this);
      String newest = current.isDamaged() ? current.newest() : null;
      return manifest(newest == null ? successor : newest);
    }
  }

  /** Writes a manifest and swaps {@code CURRENT}; under the lock. */
  private void putInService(Build build, byte[] encoded) throws IOException {
    requireNoOwner();
    CurrentFile current = new CurrentFile(this);
    boolean first = current.newest() == null;
    if (first) {
      current.set(build.version());
    }
    boolean complete = isComplete(build.version());
    String manifest = build.directory() + "/" + SnapshotFormat.MANIFEST_FILE;
    if (!complete) {
      storage.replace(manifest, encoded);
    }
    storage.syncDirectory(build.directory());
    storage.syncDirectory(SnapshotFormat.SNAPSHOTS_DIRECTORY);
    Rivals rivals = new Rivals(this, build);
    if (!storage.hasLocks()) {
      try {
        rivals.requireNone();
      } catch (IOException e) {
        if (!complete) {
          storage.delete(manifest); // one that was complete before may have been in service
        }
        current.takeBack(build.version());
        throw e;
      }
    }
    if (!first) {
      current.set(build.version());
    }
    if (!storage.hasLocks()) {
      rivals.requireInService();
    }
  }

  private void checkParent(Build build) throws IOException {
    String current = currentVersion();
    if (!Objects.equals(current, build.parent())) {
      throw new PublishConflictException(
          "another build published first: table=%s in service when this build began=%s in service now=%s; nothing was replaced, run this build again"
              .formatted(storage, build.parent() == null ? "none" : build.parent(), current));
    }
  }

  /**
   * Refuses more segments than readers accept: nobody could open the version, not even to compact
   * it.
   */
  private void checkSegments(Manifest manifest) throws IOException {
    int count = manifest.changes().segments().size();
    if (count > Changes.MAX_SEGMENTS) {
      throw new IOException(
          "too many segments: table=%s expected<=%d actual=%d; nothing was published, compact the table"
              .formatted(storage, Changes.MAX_SEGMENTS, count));
    }
  }

  private void checkFiles(Manifest manifest) throws IOException {
    Map<String, Set<String>> present = new HashMap<>();
    for (String path : manifest.filesToKeep()) {
      int slash = path.lastIndexOf('/');
      String directory = path.substring(0, slash);
      if (!present.containsKey(directory)) {
        present.put(directory, new HashSet<>(storage.list(directory)));
      }
      if (!present.get(directory).contains(path.substring(slash + 1))) {
        throw new NoSuchFileException(
            storage + "/" + path,
            null,
            "a file of this version is gone, perhaps swept as left behind; nothing was published,"
                + " run this build again");
      }
    }
  }

  /**
   * Deletes all that an unpublished build has written. A complete version stays: it may have been
   * in service, or another process may just be putting it there. So do files that a version of
   * another name has, as a publication that failed may be in service all the same.
   *
   * @hidden
   */
  @Internal
  public void abort(Build build) throws IOException {
    // Who was interrupted tidies up nevertheless.
    boolean interrupted = Thread.interrupted();
    try {
      if (storage.list(SnapshotFormat.SNAPSHOTS_DIRECTORY).contains(build.version())) {
        storage.exclusively(
            () -> {
              if (!isComplete(build.version()) && !new CleanUp(this).isInUse(build.directory())) {
                storage.delete(build.directory());
              }
            });
      }
      storage.delete(build.stagingDirectory());
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Puts an earlier or later complete version in service. Where {@code CURRENT} is damaged, the
   * newest one may be put in service whoever writes the table: its log or stream goes on from
   * there.
   *
   * @throws IllegalArgumentException if there is no such version
   * @throws PublishConflictException if a stream is recorded in the table, and its storage has no
   *     locks
   */
  public void rollback(String version) throws IOException {
    rollback(version, null);
  }

  /**
   * Does the same for a table into whose storage without locks a stream is written. The job of that
   * stream must have stopped, and goes on from a checkpoint that is not newer than the version.
   *
   * @param stream the name under which the table records it; null for none
   * @throws IllegalArgumentException if there is no such version, or no such stream
   * @throws PublishConflictException if another stream is recorded, and the storage has no locks
   */
  public void rollback(String version, @Nullable String stream) throws IOException {
    storage.exclusively(
        () -> {
          if (!contains(version)) {
            throw new IllegalArgumentException(
                "no such version: %s; the table %s has %s".formatted(version, storage, versions()));
          }
          CurrentFile current = new CurrentFile(this);
          boolean mends = version.equals(current.newest()) && current.isDamaged();
          if (!mends) {
            requireNoOwner();
          }
          if (!mends && (stream != null || !storage.hasLocks())) {
            Manifest inService = inServiceOr(version);
            requireSolePublisher(
                stream == null
                    ? inService
                    : inService.with(
                        inService.partitions(),
                        inService.sourcePositions(),
                        without(stream, inService)));
          }
          current.set(version);
        });
  }

  /**
   * Forgets a stream, after its job has stopped for good: puts a version in service that has the
   * same rows and does not record the stream. A job that still writes the stream fails at its next
   * checkpoint. Afterwards the table can be changed as one into which no stream was written, and a
   * job that reads its sources from their start can begin the stream again.
   *
   * @return the manifest of the version that is in service then
   * @throws IllegalArgumentException if the table does not record such a stream
   */
  public Manifest endStream(String stream) throws IOException {
    return edit(
        inService ->
            inService.with(
                inService.partitions(), inService.sourcePositions(), without(stream, inService)));
  }

  private Changes without(String stream, Manifest inService) {
    Changes changes = inService.changes();
    if (!changes.streams().containsKey(stream)) {
      throw new IllegalArgumentException(
          "no such stream: '%s'; the table %s records %s"
              .formatted(Excerpt.of(stream), storage, new TreeSet<>(changes.streams().keySet())));
    }
    return changes.without(stream);
  }

  /**
   * Deletes the oldest complete versions beyond the newest {@code keep}; never the one in service.
   *
   * @param keep how many to keep, at least 1, the one in service among them
   * @return the versions deleted
   * @throws PublishConflictException if a stream is written into the table, and its storage has no
   *     locks
   * @throws IOException also if one lies behind a symbolic link below the table directory
   */
  public List<String> prune(int keep) throws IOException {
    return prune(keep, Duration.ZERO);
  }

  /**
   * Returns the same, but spares versions that were published less than {@code age} ago.
   *
   * @param age so that processes which found a version still find its files; without locks, longer
   *     than it takes to put a version in service
   */
  public List<String> prune(int keep, Duration age) throws IOException {
    return new CleanUp(this).prune(keep, age);
  }

  /**
   * Deletes the oldest complete versions, never the one in service, that were published longer ago
   * than {@code age}, or while the files that only such versions have take more than {@code bytes}.
   *
   * @return the versions deleted
   * @hidden
   */
  @Internal
  public List<String> pruneByWeight(Duration age, long bytes) throws IOException {
    return new CleanUp(this).pruneByWeight(age, bytes);
  }

  /**
   * Deletes what dead builds left behind: staging directories, incomplete versions in which nothing
   * changed for {@code age}, and successors of {@code CURRENT} that never took its place. What has
   * another name than a build gives stays.
   *
   * @return what was deleted, relative to the table directory
   * @throws IOException also if something lies behind a symbolic link below the table directory
   */
  public List<String> sweep(Duration age) throws IOException {
    return new CleanUp(this).sweep(Instant.now().minus(age));
  }
}
