package io.bsdb.table.manifest;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Folded segments that a version keeps, so that a build whose data was read before the fold can
 * take its place and lose no change.
 *
 * @param line of versions, within which numbers of segments say what a version contains: another
 *     one after each build and each rollback; null for the snapshot id of the version itself
 * @param after the number of the last segment that is neither applied nor kept; 0 if there is none
 * @param segments that are kept, by number; all have greater numbers than that
 */
public record History(@Nullable UUID line, long after, List<SegmentFile> segments) {
  /** Maximum number of segments that are kept. */
  public static final int MAX_SEGMENTS = 1 << 10;

  /** Nothing was folded. */
  public static final History NONE = new History(null, 0, List.of());

  public History {
    segments = List.copyOf(segments);
  }
}
