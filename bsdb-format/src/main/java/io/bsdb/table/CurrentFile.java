package io.bsdb.table;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Excerpt;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.storage.TableStorage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * {@code CURRENT}: the file that names the version in service.
 *
 * <p>A table with complete versions is never taken for one without: if {@code CURRENT} is missing,
 * damaged or names a version that is not there, that is damage, for readers and writers alike,
 * until a rollback puts a version in service. Therefore the first version of a table is put in
 * service before it is complete; a crash in between leaves a name and no complete version, which
 * counts as nothing published. All later versions are complete first.
 */
final class CurrentFile {
  private static final int MAX_LENGTH = 4096;

  /** Number of the first version of a table. */
  private static final long FIRST = 1;

  private final Table table;
  private final TableStorage storage;

  CurrentFile(Table table) {
    this.table = table;
    this.storage = table.storage();
  }

  /**
   * Returns the version in service, or null if nothing has been published.
   *
   * @param known a version that was found before, and need not be looked for again; may be null
   */
  @Nullable String inService(@Nullable String known) throws IOException {
    while (true) {
      String version = named();
      if (version != null && (version.equals(known) || table.isComplete(version))) {
        return version;
      }
      String newest = newest();
      if (newest != null && newest.equals(version)) {
        return version; // completed meanwhile
      }
      if (Objects.equals(version, named())) { // else another one was put in service meanwhile
        if (newest == null && (version == null || Table.sequence(version) == FIRST)) {
          return null;
        }
        String reason =
            version == null
                ? "CURRENT is missing, but the table has versions"
                : "CURRENT names a version that is not there: version=" + version;
        throw new NoSuchFileException(toString(), null, reason + "; " + advice());
      }
    }
  }

  /** Returns the failure that reports that nothing has been published. */
  NoSuchFileException nothingPublished() throws IOException {
    String first = named();
    return first == null
        ? new NoSuchFileException(
            toString(), null, "no snapshot has been published here; build one, or check the path")
        : new NoSuchFileException(
            "%s/%s/%s".formatted(storage, Table.directory(first), SnapshotFormat.MANIFEST_FILE),
            null,
            "the manifest of the table's first version is missing, as if its build was killed; build the table again, or restore it from a copy");
  }

  /** Returns whether there are complete versions, none of them in service. */
  boolean isDamaged() throws IOException {
    try {
      inService(null);
      return false;
    } catch (CorruptSnapshotException | NoSuchFileException e) {
      return true;
    }
  }

  private @Nullable String named() throws IOException {
    byte[] content;
    try {
      content = storage.read(SnapshotFormat.CURRENT_FILE, MAX_LENGTH);
    } catch (NoSuchFileException e) {
      return null;
    } catch (CorruptSnapshotException e) {
      throw new CorruptSnapshotException(e.getMessage() + "; " + advice(), e);
    }
    String text = new String(content, StandardCharsets.UTF_8);
    String version = text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    if (!text.endsWith("\n") || !Manifest.isVersion(version)) {
      throw new CorruptSnapshotException(
          "CURRENT does not name a version: file=%s expected=a version and a line feed actual='%s'; %s"
              .formatted(this, Excerpt.of(text), advice()));
    }
    return version;
  }

  private String advice() throws IOException {
    String newest = newest();
    if (newest == null) {
      return "no version is complete: restore the table from a copy, or delete CURRENT to begin with an empty table";
    }
    return storage.hasLocks()
        ? "put the newest version in service: bsdb rollback --table %s %s"
            .formatted(Excerpt.shellWord(storage), newest)
        : "put the newest version in service: CALL sys.rollback_to('<database>.<table>', '%s')"
            .formatted(newest);
  }

  /** Returns the complete version whose name is last, or null if there is none. */
  @Nullable String newest() throws IOException {
    List<String> names = storage.list(SnapshotFormat.SNAPSHOTS_DIRECTORY);
    for (int i = names.size() - 1; i >= 0; i--) {
      if (table.contains(names.get(i))) {
        return names.get(i);
      }
    }
    return null;
  }

  void set(String version) throws IOException {
    storage.replace(SnapshotFormat.CURRENT_FILE, (version + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /** Names no longer a first version that gave way to a rival, but the rival. */
  void takeBack(String version) throws IOException {
    String newest = newest();
    if (newest != null && version.equals(named())) {
      set(newest);
    }
  }

  @Override
  public String toString() {
    return storage + "/" + SnapshotFormat.CURRENT_FILE;
  }
}
