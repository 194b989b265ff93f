package io.bsdb.table;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The changes that a version has over its partition files.
 *
 * @param segments in the order in which they apply
 * @param lastSegment the greatest number that a segment of the table has had
 * @param streams how far streams have been applied, by their ids
 */
public record Changes(
    List<SegmentFile> segments, long lastSegment, Map<String, StreamProgress> streams) {
  /** Most segments of a version. */
  public static final int MAX_SEGMENTS = 1 << 12;

  /** No changes, and never any. */
  public static final Changes NONE = new Changes(List.of(), 0, Map.of());

  public Changes {
    segments = List.copyOf(segments);
    streams = Map.copyOf(streams);
  }

  /** Returns the same changes in other segments, none of them new. */
  public Changes in(List<SegmentFile> others) {
    return new Changes(others, lastSegment, streams);
  }

  /** Returns these changes and then those of new segments, which get the next numbers. */
  public Changes append(List<SegmentFile> added) {
    List<SegmentFile> all = new ArrayList<>(segments);
    long number = lastSegment;
    for (SegmentFile segment : added) {
      number++;
      all.add(segment.numbered(number));
    }
    return new Changes(all, number, streams);
  }

  /** Returns the same changes with the progress of a stream. */
  public Changes with(String stream, StreamProgress progress) {
    Map<String, StreamProgress> all = new LinkedHashMap<>(streams);
    all.put(stream, progress);
    return new Changes(segments, lastSegment, all);
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
