package io.bsdb.table;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Excerpt;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.storage.TableStorage;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
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
 * Changes which version of a table is in service: by a build, by an edit of the version in service,
 * or back to an earlier one. Refuses what would lose another writer's changes. Each step that swaps
 * {@code CURRENT} is made under the table's lock, where its storage has one.
 */
final class Publication {
  private static final long MAX_SEQUENCE = 9_999_999_999L;

  private final Table table;
  private final TableStorage storage;

  Publication(Table table) {
    this.table = table;
    this.storage = table.storage();
  }

  /** Begins a build with a given id. */
  Build begin(UUID id) throws IOException {
    // Before the listing, so that this is in it and the build sorts after it.
    String parent = table.currentVersion();
    String newest = new CurrentFile(table).newest();
    long sequence =
        Math.max(
            newest == null ? 0 : Table.sequence(newest),
            parent == null ? 0 : Table.sequence(parent));
    if (sequence == MAX_SEQUENCE) {
      throw new IOException(
          "no number is left for another version: table=%s newest version=%s; delete it if it is not this table's, else build into a new directory"
              .formatted(storage, newest == null ? parent : newest));
    }
    String version =
        String.format(Locale.ROOT, "%010d-%s", sequence + 1, id.toString().substring(0, 8));
    return new Build(id, version, parent);
  }

  /** See {@link Table#beginAsOf}. */
  Build beginAsOf(String version) throws IOException {
    Manifest manifest = table.manifest(version);
    Build build = begin(UUID.randomUUID());
    return new Build(build.id(), build.version(), build.parent(), AsOf.of(manifest));
  }

  /** See {@link Table#publish}. */
  Table.Published publish(Build build, Manifest manifest) throws IOException {
    Table.requireVersion(build.version());
    byte[] encoded = ManifestFile.encode(storage, build, manifest);
    AtomicBoolean now = new AtomicBoolean();
    // The manifest makes the version complete, so that prune may delete it until CURRENT names it:
    // both are written under one lock.
    storage.exclusively(
        () -> {
          if (published(build) != null) {
            return;
          }
          checkParent(build);
          replacedBy(build);
          checkFiles(manifest);
          putInService(build, encoded);
          now.set(true);
        });
    return now.get() ? Table.Published.NOW : Table.Published.BEFORE;
  }

  /** Returns the version of a build that {@link Table#wasPublished}, else null. */
  @Nullable String published(Build build) throws IOException {
    String version = table.currentVersion();
    while (version != null && !version.equals(build.parent())) {
      if (version.equals(build.version())) {
        return version;
      }
      Manifest manifest;
      try {
        manifest = table.manifest(version);
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
                .formatted(
                    storage, Table.directory(version), SnapshotFormat.MANIFEST_FILE, parent));
      }
      version = parent;
    }
    return null;
  }

  /** See {@link Table#edit(Table.Edit)}. */
  Manifest edit(Table.Edit edit) throws IOException {
    List<Manifest> published = new ArrayList<>();
    storage.exclusively(() -> published.add(edit(UUID.randomUUID(), edit)));
    return published.get(0);
  }

  /** See {@link Table#edit(Build, Table.Edit)}. */
  Manifest edit(Build build, Table.Edit edit) throws IOException {
    List<Manifest> published = new ArrayList<>();
    storage.exclusively(
        () -> {
          String before = published(build);
          published.add(before == null ? edit(build.id(), edit) : table.manifest(before));
        });
    return published.get(0);
  }

  /** Edits; under the lock. */
  private Manifest edit(UUID id, Table.Edit edit) throws IOException {
    String current = table.requireCurrentVersion();
    Manifest before = table.manifest(current);
    Manifest wanted = edit.apply(before);
    if (wanted.equals(before)) {
      return before;
    }
    HistoryRule.check(before, wanted);
    Build build = begin(id);
    // After a rollback, numbers of segments stand for others than before.
    boolean follows = Table.sequence(build.version()) == Table.sequence(current) + 1;
    Manifest content =
        before
            .with(
                wanted.partitions().stream().map(file -> file.in(current)).toList(),
                wanted.sourcePositions(),
                wanted.changes().of(follows ? before.line() : build.id()))
            .with(wanted.validity());
    return putInService(build, content);
  }

  /** See {@link Table#publishUnderChanges}. */
  Manifest publishUnderChanges(Build build, Manifest manifest) throws IOException {
    List<Manifest> inService = new ArrayList<>();
    storage.exclusively(
        () -> {
          String before = published(build);
          inService.add(
              before == null
                  ? Rebuild.publish(table, this, build, manifest)
                  : table.manifest(before));
        });
    return inService.get(0);
  }

  /** Refuses others than the owner of a writable table, whose log lies over this version. */
  private void requireNoOwner() throws IOException {
    if (!table.isOwned()
        && storage.list(SnapshotFormat.LOG_DIRECTORY).contains(SnapshotFormat.OWNER_FILE)) {
      throw new PublishConflictException(
          "a writable table cannot be published into: file=%1$s/%2$s/%3$s; write changes in the process that owns it, or publish into another table; if that process has ended for good (a table in key order never has one), and 'bsdb log verify' finds puts or deletes, open and close it once as a writable table, which publishes them; then delete the directory %1$s/%2$s"
              .formatted(storage, SnapshotFormat.LOG_DIRECTORY, SnapshotFormat.OWNER_FILE));
    }
  }

  /** Puts the content of a manifest in service as a version of its own; under the lock. */
  Manifest putInService(Build build, Manifest content) throws IOException {
    Manifest manifest =
        new Manifest(
            build.identity(),
            content.schema(),
            content.options(),
            content.partitions(),
            content.properties(),
            content.sourcePositions(),
            content.changes(),
            content.validity());
    checkSegments(manifest);
    checkFiles(manifest);
    putInService(build, ManifestFile.encode(storage, build, manifest));
    return manifest;
  }

  /** See {@link Table#replacedBy}. */
  Changes replacedBy(Build build) throws IOException {
    String parent = build.parent();
    if (parent == null) {
      return Changes.NONE;
    }
    Changes replaced;
    try {
      replaced = table.manifest(parent).changes();
    } catch (CorruptSnapshotException | NoSuchFileException damaged) {
      return Changes.NONE; // a new build is its cure
    }
    if (!replaced.streams().isEmpty()) {
      requireNoOwner();
      throw new PublishConflictException(
          "a table into which a stream is written cannot be replaced by a build that does not say which changes it has: table=%s version=%s streams=%s; name the version from which on changes are to be kept (--keep-changes-after, 'sink.keep-changes-after'), or change single rows by a delta; if what writes it has ended for good, end the stream: bsdb end-stream --table %s %s"
              .formatted(
                  storage,
                  parent,
                  replaced.streams().keySet(),
                  Excerpt.shellWord(storage),
                  Excerpt.shellWord(replaced.streams().keySet().iterator().next())));
    }
    return replaced.lastSegment() == 0 ? Changes.NONE : replaced.folded();
  }

  /** See {@link Table#requireSolePublisher}. */
  void requireSolePublisher(Manifest inService) throws PublishConflictException {
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
      return table.manifest(table.requireCurrentVersion());
    } catch (CorruptSnapshotException | NoSuchFileException damaged) {
      CurrentFile current = new CurrentFile(table);
      String newest = current.isDamaged() ? current.newest() : null;
      return table.manifest(newest == null ? successor : newest);
    }
  }

  /** Writes a manifest and swaps {@code CURRENT}; under the lock. */
  private void putInService(Build build, byte[] encoded) throws IOException {
    CurrentFile current = new CurrentFile(table);
    boolean first = current.newest() == null;
    if (first) {
      current.set(build.version());
    }
    boolean complete = table.isComplete(build.version());
    try {
      if (!complete) {
        storage.replace(manifest(build), encoded);
      }
      storage.syncDirectory(build.directory());
      storage.syncDirectory(SnapshotFormat.SNAPSHOTS_DIRECTORY);
      Rivals rivals = new Rivals(table, build);
      if (!storage.hasLocks()) {
        try {
          rivals.requireNone();
        } catch (IOException e) {
          if (!complete) { // else it may have been in service
            storage.delete(manifest(build));
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
    } catch (IOException | RuntimeException | Error e) {
      if (!complete && storage.hasLocks()) {
        withdraw(build, e);
      }
      throw e;
    }
  }

  private static String manifest(Build build) {
    return build.directory() + "/" + SnapshotFormat.MANIFEST_FILE;
  }

  /**
   * Deletes the manifest of a version that failed to come into service; under the lock, without
   * which {@code CURRENT} might still come to name it. A complete version that is newer than the
   * one in service looks as if the table had been rolled back from it.
   */
  private void withdraw(Build build, Throwable failure) {
    boolean interrupted = Thread.interrupted(); // which may be the failure
    try {
      if (!build.version().equals(table.currentVersion())) {
        storage.delete(manifest(build));
        if (storage.list(build.directory()).isEmpty()) { // of an edit
          storage.delete(build.directory());
        }
        if (new CurrentFile(table).newest() == null) { // the first version, named while incomplete
          storage.delete(SnapshotFormat.CURRENT_FILE);
        }
      }
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void checkParent(Build build) throws IOException {
    String current = table.currentVersion();
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
    requireNoOwner(); // an owner deletes what others have left unpublished
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
            "a file of this version is gone, perhaps swept as left behind; nothing was published, run"
                + " this again; if the same file is missing then, the version in service has lost"
                + " it: build the table from all rows");
      }
    }
  }

  /** See {@link Table#abort}. */
  void abort(Build build) throws IOException {
    // Who was interrupted tidies up nevertheless.
    boolean interrupted = Thread.interrupted();
    try {
      if (storage.list(SnapshotFormat.SNAPSHOTS_DIRECTORY).contains(build.version())) {
        storage.exclusively(
            () -> {
              if (!table.isComplete(build.version())
                  && !new CleanUp(table).isInUse(build.directory())) {
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

  /** See {@link Table#rollback(String, String)}. */
  void rollback(String version, @Nullable String stream) throws IOException {
    storage.exclusively(
        () -> {
          if (!table.contains(version)) {
            throw new IllegalArgumentException(
                "no such version: %s; the table %s has %s"
                    .formatted(version, storage, table.versions()));
          }
          CurrentFile current = new CurrentFile(table);
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

  /** See {@link Table#endStream}. */
  Manifest endStream(String stream) throws IOException {
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
}
