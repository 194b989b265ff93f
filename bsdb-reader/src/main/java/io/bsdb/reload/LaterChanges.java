package io.bsdb.reload;

import io.bsdb.compact.Workplace;
import io.bsdb.format.Internal;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.overlay.ChangeCursor;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.table.AsOf;
import io.bsdb.table.Changes;
import io.bsdb.table.History;
import io.bsdb.table.Manifest;
import io.bsdb.table.PartitionFile;
import io.bsdb.table.SegmentFile;
import io.bsdb.table.Table;
import io.bsdb.writer.SegmentFiles;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The changes made to a table after an input was read, which a reload of that input must not undo:
 * keys changed before the comparison begins are left out, and changes made during it are applied
 * again after those of the reload.
 *
 * @hidden
 */
@Internal
public final class LaterChanges implements Closeable {
  private final Table table;
  private final SnapshotReader reader;
  private @Nullable Overlay known;

  private LaterChanges(Table table, SnapshotReader reader, @Nullable Overlay known) {
    this.table = table;
    this.reader = reader;
    this.known = known;
  }

  /**
   * Opens the changes of the version that the input is compared with.
   *
   * @param asOf which changes the input has
   * @throws io.bsdb.table.PublishConflictException if the later changes cannot be identified, or if
   *     some are gone
   */
  public static LaterChanges open(AsOf asOf, Table table, SnapshotReader reader)
      throws IOException {
    List<SegmentFile> segments = asOf.changesIn(reader.manifest(), table);
    return new LaterChanges(table, reader, segments.isEmpty() ? null : reader.changesOf(segments));
  }

  /**
   * Returns a key in unpublished segments that has changed in the table after the point up to which
   * it was read for them. Where segments have been merged since, the key may have changed before
   * that point.
   *
   * @param asOf the point up to which the table was read
   * @param workplace where segments are read
   * @return null if none has changed
   * @throws io.bsdb.table.PublishConflictException if the later changes cannot be identified, or if
   *     some are gone
   */
  public static byte @Nullable [] findAny(
      List<SegmentFile> unpublished,
      AsOf asOf,
      Manifest inService,
      Table table,
      Workplace workplace)
      throws IOException {
    List<SegmentFile> later = asOf.changesIn(inService, table);
    if (later.isEmpty() || unpublished.isEmpty()) {
      return null;
    }
    Changes changes = inService.changes();
    List<PartitionFile> unfolded =
        inService.partitions().stream()
            .map(file -> file.foldedThrough(Math.min(file.foldedThrough(), asOf.segment())))
            .toList();
    Changes added = changes.in(List.of(), History.NONE).append(unpublished);
    try (SnapshotReader since =
            changes(workplace, inService, unfolded, changes.in(later, History.NONE));
        SnapshotReader next = changes(workplace, inService, inService.partitions(), added)) {
      ChangeCursor cursor = Objects.requireNonNull(next.changes()).changes();
      while (cursor.next()) {
        if (contains(since.changes(), cursor.key())) {
          return cursor.key();
        }
      }
    }
    return null;
  }

  private static SnapshotReader changes(
      Workplace workplace, Manifest inService, List<PartitionFile> partitions, Changes changes)
      throws IOException {
    return workplace.changes(inService.with(partitions, inService.sourcePositions(), changes));
  }

  /** Returns whether a key has changed since. */
  public boolean contains(byte[] key) {
    return contains(known, key);
  }

  private static boolean contains(@Nullable Overlay changes, byte[] key) {
    return changes != null
        && changes.find(key, KeyHash.hash(key).getMostSignificantBits()) != Overlay.UNCHANGED;
  }

  /**
   * Writes again the changes that were made since the comparison began to keys that it changes,
   * too.
   *
   * @param own the changes that the comparison found
   * @param files takes what is written
   * @throws io.bsdb.table.PublishConflictException if those changes cannot be identified
   */
  @SuppressWarnings("exports") // an internal type, to this project only
  public void write(Manifest inService, Overlay own, SegmentFiles files) throws IOException {
    List<SegmentFile> segments = AsOf.of(reader.manifest()).changesIn(inService, table);
    if (segments.isEmpty()) {
      return;
    }
    try (Overlay later = reader.changesOf(segments)) {
      ChangeCursor changes = later.changes();
      while (changes.next()) {
        byte[] key = changes.key();
        if (contains(own, key) && changes.isDeleted()) {
          files.delete(key);
        } else if (contains(own, key)) {
          files.put(key, changes.value());
        }
      }
    }
  }

  @Override
  public void close() throws IOException {
    Overlay changes = known;
    known = null;
    if (changes != null) {
      changes.close();
    }
  }
}
