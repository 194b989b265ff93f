package io.bsdb.reload;

import io.bsdb.compact.Workplace;
import io.bsdb.format.Internal;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.overlay.ChangeCursor;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.table.AsOf;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.History;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.writer.SegmentFiles;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The changes made to a table after an input was read: what is published from that input must not
 * undo them. Where segments have been merged since, earlier changes may be among them. Used by one
 * thread.
 *
 * @hidden
 */
@Internal
public final class LaterChanges implements Closeable {
  private final Manifest inService;
  private final Workplace workplace;
  private final @Nullable SnapshotReader since;

  private LaterChanges(Manifest inService, Workplace workplace, @Nullable SnapshotReader since) {
    this.inService = inService;
    this.workplace = workplace;
    this.since = since;
  }

  /**
   * Opens the changes that a version has.
   *
   * @param asOf the point up to which the table was read
   * @param workplace where segments are read; not closed
   * @throws io.bsdb.table.PublishConflictException if the later changes cannot be identified, or if
   *     some are gone
   */
  public static LaterChanges open(AsOf asOf, Manifest inService, Table table, Workplace workplace)
      throws IOException {
    List<SegmentFile> later = asOf.changesIn(inService, table);
    if (later.isEmpty()) {
      return new LaterChanges(inService, workplace, null);
    }
    List<PartitionFile> unfolded =
        inService.partitions().stream()
            .map(file -> file.foldedThrough(Math.min(file.foldedThrough(), asOf.segment())))
            .toList();
    Changes changes = inService.changes().in(later, History.NONE);
    return new LaterChanges(
        inService,
        workplace,
        workplace.changes(inService.with(unfolded, inService.sourcePositions(), changes)));
  }

  /** Returns whether a key has changed since. */
  public boolean contains(byte[] key) {
    return since != null && contains(since.changes(), key);
  }

  private static boolean contains(@Nullable Overlay changes, byte[] key) {
    return changes != null
        && changes.table().find(key, KeyHash.hash(key).getMostSignificantBits())
            != Overlay.UNCHANGED;
  }

  /**
   * Returns a key in unpublished segments that has changed in the table since; null if none has.
   */
  public byte @Nullable [] findAny(List<SegmentFile> unpublished) throws IOException {
    if (since == null || unpublished.isEmpty()) {
      return null;
    }
    try (SnapshotReader own = open(unpublished)) {
      ChangeCursor changes = Objects.requireNonNull(own.changes()).changes();
      while (changes.next()) {
        if (contains(changes.key())) {
          return changes.key();
        }
      }
    }
    return null;
  }

  /**
   * Writes again those of these changes whose keys unpublished segments change, too; to be applied
   * after those segments.
   */
  public void repeat(List<SegmentFile> unpublished, SegmentFiles files) throws IOException {
    if (since == null || unpublished.isEmpty()) {
      return;
    }
    try (SnapshotReader own = open(unpublished)) {
      ChangeCursor changes = Objects.requireNonNull(since.changes()).changes();
      while (changes.next()) {
        byte[] key = changes.key();
        if (contains(own.changes(), key) && changes.isDeleted()) {
          files.delete(key);
        } else if (contains(own.changes(), key)) {
          files.put(key, changes.value());
        }
      }
    }
  }

  private SnapshotReader open(List<SegmentFile> unpublished) throws IOException {
    Changes own = inService.changes().in(List.of(), History.NONE).append(unpublished);
    return workplace.changes(
        inService.with(inService.partitions(), inService.sourcePositions(), own));
  }

  @Override
  public void close() throws IOException {
    if (since != null) {
      since.close();
    }
  }
}
