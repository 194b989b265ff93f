package io.bsdb.live.log;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Excerpt;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.segment.LogSegment.Place;
import io.bsdb.live.log.LogStorage.LogFile;
import io.bsdb.reader.io.FileMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A position up to which a log is durable, written to a separate file when the table is closed. So
 * a log that has lost its end can be distinguished from one that was torn by a crash. Later changes
 * do not make it false.
 *
 * @param log the log's own id
 * @param number of the last file
 * @param fileId of the last file
 * @param offset where the changes in that file end
 */
public record LogEnd(UUID log, long number, UUID fileId, long offset) {
  static final String FILE = "END";
  private static final String UNFINISHED = "END.new";
  private static final String FIRST_LINE = "bsdb log end 1";
  private static final String ID = "([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})";
  private static final Pattern CONTENT =
      Pattern.compile(
          "("
              + FIRST_LINE
              + "\nlog "
              + ID
              + "\nfile ([0-9]{1,18}) "
              + ID
              + "\noffset ([0-9]{1,10})\n)checksum ([0-9a-f]{8})\n");

  static String checksum(String lines) {
    CRC32C crc = new CRC32C();
    crc.update(lines.getBytes(StandardCharsets.UTF_8));
    return SnapshotFormat.hex((int) crc.getValue());
  }

  /** Writes the record in place of the one before, durably and in one step. */
  public void write(LogStorage storage) throws IOException {
    String lines =
        String.format(
            Locale.ROOT,
            "%s\nlog %s\nfile %d %s\noffset %d\n",
            FIRST_LINE,
            log,
            number,
            fileId,
            offset);
    String text = lines + "checksum " + checksum(lines) + "\n";
    try (LogFile file = storage.open(UNFINISHED, true)) {
      file.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
      file.force();
    }
    storage.rename(UNFINISHED, FILE);
    storage.syncDirectory();
  }

  /**
   * Reads the record of a log.
   *
   * @return null if there is none, as before the first close
   * @throws CorruptSnapshotException if it is damaged
   */
  static @Nullable LogEnd read(LogStorage storage, UUID log) throws IOException {
    if (!storage.list().contains(FILE)) {
      return null;
    }
    String text;
    try (FileMemory memory = storage.map(FILE)) {
      byte[] bytes = new byte[(int) Math.min(memory.length(), 1024)];
      memory.chunk(0).get(0, bytes);
      text = new String(bytes, StandardCharsets.UTF_8);
    }
    Matcher matcher = CONTENT.matcher(text);
    if (!matcher.matches() || !checksum(matcher.group(1)).equals(matcher.group(6))) {
      throw new CorruptSnapshotException(
          "record of the end of the log is damaged: file=%s actual='%s'; restore the table from a copy, or delete this file to open the table without knowing whether the log has lost its end"
              .formatted(storage.path(FILE), Excerpt.of(text.strip().replace('\n', ' '))));
    }
    LogEnd end =
        new LogEnd(
            UUID.fromString(matcher.group(2)),
            Long.parseLong(matcher.group(3)),
            UUID.fromString(matcher.group(4)),
            Long.parseLong(matcher.group(5)));
    return end.log.equals(log) ? end : null;
  }

  /**
   * Checks that a log reaches to here.
   *
   * @param published number of the last file whose changes are in the version in service
   * @param chain the files after it, in their order
   * @param lastEnd where the changes in the last of them end
   */
  void requireReached(LogStorage storage, long published, List<LogPart> chain, long lastEnd)
      throws CorruptSnapshotException {
    if (number <= published) {
      return;
    }
    for (int i = 0; i < chain.size(); i++) {
      LogPart part = chain.get(i);
      if (part.segment().number() == number && part.segment().fileId().equals(fileId)) {
        Place next = i + 1 < chain.size() ? chain.get(i + 1).segment().before() : null;
        long end = next == null ? lastEnd : next.end();
        if (end < offset) {
          throw new CorruptSnapshotException(
              "end of the log is damaged: file=%s expected changes up to offset=%d, as recorded when the table was closed, actual=%d; restore the table from a copy"
                  .formatted(storage.path(part.name()), offset, end));
        }
        return;
      }
    }
    throw new CorruptSnapshotException(
        "last file of the log is missing or damaged: file=%s expected file id=%s and changes up to offset %d, as recorded when the table was closed; restore the table from a copy"
            .formatted(storage.path(LogPart.name(number)), fileId, offset));
  }
}
