package io.bsdb.table;

import java.util.List;

/**
 * The changes that a version has over its partition files.
 *
 * @param segments in the order in which they apply
 * @param lastSegment the greatest number that a segment of the table has had
 */
public record Changes(List<SegmentFile> segments, long lastSegment) {
  /** No changes, and never any. */
  public static final Changes NONE = new Changes(List.of(), 0);

  public Changes {
    segments = List.copyOf(segments);
  }

  /** Returns the number of puts and deletes in all segments. */
  public long count() {
    return segments.stream().mapToLong(segment -> segment.puts() + segment.deletes()).sum();
  }

  /** Returns the bytes of all segments. */
  public long length() {
    return segments.stream().mapToLong(SegmentFile::length).sum();
  }
}
