package io.bsdb.compact;

import io.bsdb.format.Internal;
import io.bsdb.format.segment.SegmentWriter;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.overlay.ChangeCursor;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.table.Manifest;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.RecordOrder;
import io.bsdb.table.SegmentFile;
import io.bsdb.table.Table;
import io.bsdb.writer.SegmentFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Merges the newest segments of a table into one, wherever the table lies: it copies them, and
 * nothing else. Answers before and after are the same. Used by one thread.
 *
 * <p>From the newest one on, a segment is merged if it is no longer than all newer ones together.
 * So each change is rewritten a number of times that grows with the logarithm of their bytes, and
 * few segments are left. Of a partition that has been folded meanwhile, changes may apply once
 * more. That changes no answer, as each key's newest change is among them.
 *
 * @hidden
 */
@Internal
public final class SegmentMerger {
  /** Segments up to here count as equally long. */
  private static final long SHORT = 1 << 20;

  private final Table table;
  private final Path temporary;

  /**
   * @param temporary an empty local directory for copies; emptied again after each use
   */
  public SegmentMerger(Table table, Path temporary) {
    this.table = table;
    this.temporary = temporary;
  }

  /**
   * Merges segments of the version in service if there are more than a number.
   *
   * @return how many became one; 0 if none did
   * @throws PublishConflictException if they were compacted or replaced meanwhile; nothing was
   *     changed then
   */
  public int run(int maxSegments) throws IOException {
    List<SegmentFile> segments = table.manifest(table.requireCurrentVersion()).changes().segments();
    List<SegmentFile> newest = newest(segments);
    if (segments.size() <= maxSegments || newest.size() < 2) {
      return 0;
    }
    try (SegmentFiles merged = new SegmentFiles(table.storage())) {
      merge(newest, merged);
      List<SegmentFile> files = merged.finish();
      table.edit(inService -> edit(inService, newest, files));
    }
    return newest.size();
  }

  /** Returns the last segments, as many as are to become one. */
  static List<SegmentFile> newest(List<SegmentFile> segments) {
    long length = 0;
    int first = segments.size();
    while (first > 0) {
      long next = segments.get(first - 1).length();
      if (length > 0
          && (next > Math.max(length, SHORT) || length + next > SegmentWriter.TARGET_LENGTH)) {
        break;
      }
      length += next;
      first--;
    }
    return segments.subList(first, segments.size());
  }

  private void merge(List<SegmentFile> segments, SegmentFiles target) throws IOException {
    try {
      for (SegmentFile segment : segments) {
        try (InputStream in = table.storage().open(segment.path())) {
          Files.copy(in, copy(segment));
        }
      }
      try (Overlay changes =
          Overlay.open(
              segments,
              this::copy,
              RecordOrder.HASH,
              (key, length, high, number) -> true,
              Access.MAPPED,
              null,
              false)) {
        ChangeCursor cursor = changes.changes();
        while (cursor.next()) {
          if (cursor.isDeleted()) {
            target.delete(cursor.key());
          } else {
            target.put(cursor.key(), cursor.value());
          }
        }
      }
    } finally {
      for (SegmentFile segment : segments) {
        Files.deleteIfExists(copy(segment));
      }
    }
  }

  private Path copy(SegmentFile segment) {
    return temporary.resolve(segment.name());
  }

  private Manifest edit(Manifest inService, List<SegmentFile> old, List<SegmentFile> merged)
      throws IOException {
    List<SegmentFile> segments = new ArrayList<>(inService.changes().segments());
    int first = Collections.indexOfSubList(segments, old);
    if (first < 0) {
      throw new PublishConflictException(
          "the table was rebuilt or compacted meanwhile: table=%s in service=%s; nothing was replaced"
              .formatted(table.storage(), inService.version()));
    }
    List<SegmentFile> replaced = segments.subList(first, first + old.size());
    replaced.clear();
    long last = old.get(old.size() - 1).number();
    merged.forEach(segment -> replaced.add(segment.numbered(last)));
    return inService.with(
        inService.partitions(),
        inService.sourcePositions(),
        inService.changes().in(segments, inService.changes().history()));
  }
}
