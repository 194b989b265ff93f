package io.bsdb.live;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.UnsupportedVersionException;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.format.segment.LogSegment;
import io.bsdb.format.segment.LogSegment.Frame;
import io.bsdb.format.segment.LogSegment.Place;
import io.bsdb.live.log.LogDirectory;
import io.bsdb.live.log.LogFiles;
import io.bsdb.live.log.LogPart;
import io.bsdb.live.log.LogStorage;
import io.bsdb.live.log.Owner;
import io.bsdb.reader.io.FileMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * State of the log of a writable table, as it lies on the disk. Reading it changes nothing, and is
 * possible while a process writes the log, which may then be ahead of the report.
 *
 * @param published number of the last segment whose changes are in the version in service; 0 if
 *     none is
 * @param segments whose changes are not, in their order, whether they count or not
 * @param damage why the table cannot be opened; null if it can
 */
public record LogReport(long published, List<Part> segments, @Nullable String damage) {
  /** Makes a report of a list that nobody changes. */
  public LogReport {
    segments = List.copyOf(segments);
  }

  /**
   * One segment.
   *
   * @param file its path
   * @param number in its name
   * @param fileId its own
   * @param counts whether its changes are part of the table; those prepared or given up are not
   * @param continues the place in the log that it continues; null if it has not been begun
   * @param length of the file, zeros at the end included
   * @param end after the last valid frame
   * @param durable offset before which everything is durable, according to its frames
   * @param frames how many are valid
   * @param puts in these
   * @param deletes in these
   */
  public record Part(
      String file,
      long number,
      UUID fileId,
      boolean counts,
      @Nullable LogPosition continues,
      long length,
      long end,
      long durable,
      long frames,
      long puts,
      long deletes) {}

  /**
   * Reads all of a log. If something is wrong, reads it again: files that are written or cut
   * meanwhile may look damaged, but not twice in the same way.
   *
   * @throws java.nio.file.NoSuchFileException if the table has none
   * @throws CorruptSnapshotException if the files that it consists of cannot be determined
   */
  public static LogReport read(Path table) throws IOException {
    String before = null;
    while (true) {
      String damage;
      try {
        LogReport report = readOnce(table);
        damage = report.damage();
        if (damage == null || damage.equals(before)) {
          return report;
        }
      } catch (IOException e) {
        damage = e.toString();
        if (damage.equals(before)) {
          throw e;
        }
      }
      before = damage;
    }
  }

  private static LogReport readOnce(Path table) throws IOException {
    Owner.Published inService = Owner.published(table);
    long published = inService.segment();
    // Copies: a file that the table's owner cuts while it is mapped may end the process.
    LogStorage storage =
        new LogDirectory(table.resolve(SnapshotFormat.LOG_DIRECTORY), FileMemory::load);
    try (LogFiles files = new LogFiles(storage, inService.log(), published)) {
      String damage = null;
      List<LogPart> chain = List.of();
      try {
        chain = files.open();
        files.replay(chain, part -> (kind, record) -> {});
      } catch (CorruptSnapshotException | UnsupportedVersionException e) {
        damage = e.getMessage();
      }
      List<Part> parts = new ArrayList<>();
      for (LogPart part : files.opened()) {
        parts.add(report(storage, part, chain.contains(part)));
      }
      return new LogReport(published, parts, damage);
    }
  }

  private static Part report(LogStorage storage, LogPart part, boolean counts) throws IOException {
    LogSegment segment = part.segment();
    Place before = segment.before();
    Map<ChangeKind, Long> records = new EnumMap<>(ChangeKind.class);
    int end = LogSegment.FIRST_FRAME;
    long frames = 0;
    long durable = 0;
    Frame frame = segment.frame(end);
    while (frame != null && frame.sequence() == frames + 1) {
      if (!frame.first()) {
        segment.replayWritten(
            frame.offset(), frame.length(), (kind, record) -> records.merge(kind, 1L, Long::sum));
      }
      frames++;
      durable = Math.max(durable, frame.durable());
      end = frame.next();
      frame = segment.frame(end);
    }
    return new Part(
        storage.path(part.name()),
        segment.number(),
        segment.fileId(),
        counts,
        before == null ? null : new LogPosition(before.number(), before.end()),
        part.length(),
        end,
        durable,
        frames,
        records.getOrDefault(ChangeKind.PUT, 0L),
        records.getOrDefault(ChangeKind.DELETE, 0L));
  }
}
