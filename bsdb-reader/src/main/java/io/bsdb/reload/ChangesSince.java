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
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.SegmentFile;
import io.bsdb.table.Table;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The keys that changed in a table after a version. Where segments have been merged since, it may
 * have keys that changed before, too. Used by one thread.
 *
 * @hidden
 */
@Internal
public final class ChangesSince implements Closeable {
  private final Manifest inService;
  private final Workplace workplace;
  private final @Nullable SnapshotReader since;

  private ChangesSince(Manifest inService, Workplace workplace, @Nullable SnapshotReader since) {
    this.inService = inService;
    this.workplace = workplace;
    this.since = since;
  }

  /**
   * Opens the changes between two versions.
   *
   * @param inService the later version
   * @param workplace where segments are read; not closed
   * @throws PublishConflictException if the table was rebuilt or rolled back in between, or changes
   *     are gone, so that it cannot be known what changed
   */
  public static ChangesSince open(
      AsOf version, Manifest inService, Table table, Workplace workplace) throws IOException {
    List<SegmentFile> segments = version.changesIn(inService, table);
    return new ChangesSince(
        inService,
        workplace,
        segments.isEmpty()
            ? null
            : workplace.changes(
                inService.with(
                    inService.partitions().stream()
                        .map(
                            file ->
                                file.foldedThrough(
                                    Math.min(file.foldedThrough(), version.segment())))
                        .toList(),
                    inService.sourcePositions(),
                    inService.changes().in(segments, History.NONE))));
  }

  /**
   * Returns a key that segments change which are yet to be published, and that changed; or null.
   */
  public byte @Nullable [] findAny(List<SegmentFile> unpublished) throws IOException {
    SnapshotReader changed = since;
    if (changed == null || unpublished.isEmpty()) {
      return null;
    }
    Overlay overlay = Objects.requireNonNull(changed.changes());
    Changes own = inService.changes().in(List.of(), History.NONE).append(unpublished);
    try (SnapshotReader added =
        workplace.changes(
            inService.with(inService.partitions(), inService.sourcePositions(), own))) {
      ChangeCursor cursor = Objects.requireNonNull(added.changes()).changes();
      while (cursor.next()) {
        byte[] key = cursor.key();
        if (overlay.find(key, KeyHash.hash(key).getMostSignificantBits()) != Overlay.UNCHANGED) {
          return key;
        }
      }
    }
    return null;
  }

  @Override
  public void close() throws IOException {
    if (since != null) {
      since.close();
    }
  }
}
