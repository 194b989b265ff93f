package io.bsdb.table.manifest;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The changes that a version has over its partition files.
 *
 * @param segments in the order in which they apply
 * @param lastSegment the greatest number that a segment of the table has had
 * @param streams how far streams have been applied, by their ids
 * @param history what a build may keep that began before changes were folded
 */
public record Changes(
    List<SegmentFile> segments,
    long lastSegment,
    Map<String, StreamProgress> streams,
    History history) {
  /** Maximum number of segments of a version. */
  public static final int MAX_SEGMENTS = 1 << 12;

  /** No changes, and never any. */
  public static final Changes NONE = new Changes(List.of(), 0, Map.of(), History.NONE);

  public Changes {
    segments = List.copyOf(segments);
    streams = Map.copyOf(streams);
  }

  /** Returns the same changes in other segments, none of them new. */
  public Changes in(List<SegmentFile> others, History newHistory) {
    return new Changes(others, lastSegment, streams, newHistory);
  }

  /** Returns the same changes in a line of versions. */
  public Changes of(UUID line) {
    return new Changes(
        segments, lastSegment, streams, new History(line, history.after(), history.segments()));
  }

  /** Returns no changes, but numbers and streams as they are here: what a build begins with. */
  public Changes folded() {
    return new Changes(List.of(), lastSegment, streams, new History(null, lastSegment, List.of()));
  }

  /**
   * Returns the segments with greater numbers than one, folded ones included, in the order in which
   * they apply. A merged segment, or one of a partition that was not folded, may hold earlier
   * changes too: they are applied again, and then those that followed them.
   */
  public List<SegmentFile> after(long segment) {
    return Stream.concat(history.segments().stream(), segments.stream())
        .filter(file -> file.number() > segment)
        .sorted(Comparator.comparingLong(SegmentFile::number))
        .toList();
  }

  /** Returns these changes and then those of new segments, which get the next numbers. */
  public Changes append(List<SegmentFile> added) {
    List<SegmentFile> all = new ArrayList<>(segments);
    long number = lastSegment;
    for (SegmentFile segment : added) {
      number++;
      all.add(segment.numbered(number));
    }
    return new Changes(all, number, streams, history);
  }

  /** Returns the same changes with the progress of a stream. */
  public Changes with(String stream, StreamProgress progress) {
    Map<String, StreamProgress> all = new LinkedHashMap<>(streams);
    all.put(stream, progress);
    return new Changes(segments, lastSegment, all, history);
  }

  /** Returns the same changes without the progress of a stream. */
  public Changes without(String stream) {
    Map<String, StreamProgress> others = new LinkedHashMap<>(streams);
    others.remove(stream);
    return new Changes(segments, lastSegment, others, history);
  }

  /**
   * Returns the time up to which all changes of all streams have been applied, see {@link
   * StreamProgress#sourceTime}; null if that is not known of one of them, or if there is none.
   */
  public @Nullable Instant sourceTime() {
    Instant least = null;
    for (StreamProgress progress : streams.values()) {
      Instant time = progress.sourceTime();
      if (time == null) {
        return null;
      }
      least = least == null || time.isBefore(least) ? time : least;
    }
    return least;
  }

  /** Returns the number of puts and deletes in all segments. */
  public long count() {
    return segments.stream().mapToLong(segment -> segment.puts() + segment.deletes()).sum();
  }

  /** Returns the number of deletes in all segments. */
  public long deletes() {
    return segments.stream().mapToLong(SegmentFile::deletes).sum();
  }

  /** Returns the bytes of all segments. */
  public long length() {
    return segments.stream().mapToLong(SegmentFile::length).sum();
  }
}
