package io.bsdb.table;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Excerpt;
import io.bsdb.format.Internal;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.storage.PathStorage;
import io.bsdb.table.storage.TableStorage;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
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

  /**
   * Returns the version whose place another one took, which may have been deleted meanwhile; null
   * if it was the first. If the manifest that records it is damaged, it is the one with the next
   * lower number.
   */
  public @Nullable String versionBefore(String version) throws IOException {
    try {
      return manifest(version).parent();
    } catch (CorruptSnapshotException e) { // a rollback is its cure
      return versions().stream()
          .filter(each -> each.compareTo(version) < 0)
          .reduce((earlier, later) -> later)
          .orElse(null);
    }
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

  public static String directory(String version) {
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

  public static void requireVersion(String version) {
    if (!Manifest.isVersion(version)) {
      throw new IllegalArgumentException(
          "not a version's name: '%s', expected like 0000000001-0a1b2c3d"
              .formatted(Excerpt.of(version)));
    }
  }

  /**
   * Begins a build: picks its id and its version. Writes nothing. The version sorts after all
   * complete ones; a number that only an incomplete one has may be taken again, for the build's id
   * is part of the name.
   *
   * @hidden
   */
  @Internal
  public Build begin() throws IOException {
    return new Publication(this).begin(UUID.randomUUID());
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
    return new Publication(this).beginAsOf(version);
  }

  public static long sequence(String version) {
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
    return new Publication(this).publish(build, manifest);
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
    return new Publication(this).published(build) != null;
  }

  /** Makes the next version of a table from the one in service. */
  public interface Edit {
    /**
     * Returns the manifest to be put in service; only its partitions, changes and source positions
     * counts. An equal one leaves what is in service as it is.
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
    return new Publication(this).edit(edit);
  }

  /**
   * Does the same for a build, once. May be repeated for the same build.
   *
   * @hidden
   */
  @Internal
  public Manifest edit(Build build, Edit edit) throws IOException {
    return new Publication(this).edit(build, edit);
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
    return new Publication(this).replacedBy(build);
  }

  /**
   * Puts a build in service under the changes that were published since its data was read. May be
   * repeated for the same build.
   *
   * @return the manifest of the version in service
   * @throws PublishConflictException if it is unknown which changes those are, or if some are gone
   * @hidden
   */
  @Internal
  public Manifest publishUnderChanges(Build build, Manifest manifest) throws IOException {
    return new Publication(this).publishUnderChanges(build, manifest);
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
    new Publication(this).requireSolePublisher(inService);
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
    new Publication(this).abort(build);
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
    new Publication(this).rollback(version, stream);
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
    return new Publication(this).endStream(stream);
  }

  /**
   * Deletes the oldest complete versions beyond the newest {@code keep}; never the one in service,
   * nor the newest, which is another one after a {@link #rollback}.
   *
   * @param keep how many to keep, at least 1, the one in service among them
   * @return the versions deleted
   * @throws PublishConflictException if a stream is written into the table, and its storage has no
   *     locks
   * @throws IOException also if one is reached through a symbolic link below the table directory
   */
  public List<String> prune(int keep) throws IOException {
    return prune(keep, Duration.ZERO);
  }

  /**
   * Does the same, but keeps versions that others replaced less than {@code age} ago; for so long
   * after a {@link #rollback} all of them, until another version is published.
   *
   * @param age so that processes which found a version still find its files; without locks, longer
   *     than it takes to put a version in service
   */
  public List<String> prune(int keep, Duration age) throws IOException {
    return new CleanUp(this).prune(keep, age);
  }

  /**
   * Deletes the oldest complete versions, never the one in service nor the newest, that others
   * replaced longer ago than {@code age}, or while the files that only such versions have take more
   * than {@code bytes}.
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
   * changed for {@code age}, and successors of {@code CURRENT} that never took its place. Names
   * that no build gives are left alone.
   *
   * @return what was deleted, relative to the table directory
   * @throws IOException also if something is reached through a symbolic link below the table
   *     directory
   */
  public List<String> sweep(Duration age) throws IOException {
    return new CleanUp(this).sweep(ago(age));
  }

  /**
   * Returns the time that was so long ago, or if there was none the first that there is.
   *
   * @hidden
   */
  @Internal
  public static Instant ago(Duration age) {
    try {
      return Instant.now().minus(age);
    } catch (DateTimeException | ArithmeticException beforeTheFirst) {
      return Instant.MIN;
    }
  }
}
