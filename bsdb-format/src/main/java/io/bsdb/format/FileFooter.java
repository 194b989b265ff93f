package io.bsdb.format;

import static io.bsdb.format.SnapshotFormat.ENTRY_BYTES;
import static io.bsdb.format.SnapshotFormat.ENTRY_CHECKSUM;
import static io.bsdb.format.SnapshotFormat.ENTRY_FLAGS;
import static io.bsdb.format.SnapshotFormat.ENTRY_KIND;
import static io.bsdb.format.SnapshotFormat.ENTRY_LENGTH;
import static io.bsdb.format.SnapshotFormat.ENTRY_OFFSET;
import static io.bsdb.format.SnapshotFormat.ENTRY_REQUIRED;
import static io.bsdb.format.SnapshotFormat.HEADER_LENGTH;
import static io.bsdb.format.SnapshotFormat.MAX_SECTIONS;
import static io.bsdb.format.SnapshotFormat.MAX_SECTION_LENGTH;
import static io.bsdb.format.SnapshotFormat.TAIL_CHECKSUM;
import static io.bsdb.format.SnapshotFormat.TAIL_DIRECTORY_OFFSET;
import static io.bsdb.format.SnapshotFormat.TAIL_END_MAGIC;
import static io.bsdb.format.SnapshotFormat.TAIL_FILE_LENGTH;
import static io.bsdb.format.SnapshotFormat.TAIL_LENGTH;
import static io.bsdb.format.SnapshotFormat.TAIL_MAGIC;
import static io.bsdb.format.SnapshotFormat.TAIL_SECTION_COUNT;
import static io.bsdb.format.SnapshotFormat.hex;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The end of a partition file: the directory of its sections and a fixed tail that records where
 * the directory starts.
 *
 * @hidden
 */
@Internal
public record FileFooter(List<Section> sections) {

  public FileFooter {
    sections = List.copyOf(sections);
  }

  /** The longest footer that a reader accepts, in bytes. */
  public static final int MAX_LENGTH = MAX_SECTIONS * ENTRY_BYTES + TAIL_LENGTH;

  /**
   * Returns the footer's bytes, to be written at {@code directoryOffset}, the end of the last
   * section.
   *
   * @param checksum of the file
   */
  public ByteBuffer encode(long directoryOffset, PartChecksum checksum) {
    int directoryLength = sections.size() * ENTRY_BYTES;
    ByteBuffer buffer =
        ByteBuffer.allocate(directoryLength + TAIL_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < sections.size(); i++) {
      Section section = sections.get(i);
      int entry = i * ENTRY_BYTES;
      buffer.putInt(entry + ENTRY_KIND, section.kind());
      buffer.putInt(
          entry + ENTRY_FLAGS,
          section.requirement() == Section.Requirement.REQUIRED ? ENTRY_REQUIRED : 0);
      buffer.putLong(entry + ENTRY_OFFSET, section.offset());
      buffer.putLong(entry + ENTRY_LENGTH, section.length());
      buffer.putInt(entry + ENTRY_CHECKSUM, section.checksum());
    }
    buffer.putLong(directoryLength + TAIL_DIRECTORY_OFFSET, directoryOffset);
    buffer.putLong(
        directoryLength + TAIL_FILE_LENGTH, directoryOffset + directoryLength + TAIL_LENGTH);
    buffer.putInt(directoryLength + TAIL_SECTION_COUNT, sections.size());
    buffer.putInt(
        directoryLength + TAIL_CHECKSUM,
        checksum.of(
            PartChecksum.FOOTER, directoryOffset, buffer, 0, directoryLength + TAIL_CHECKSUM));
    buffer.putLong(directoryLength + TAIL_END_MAGIC, TAIL_MAGIC);
    return buffer;
  }

  /**
   * Decodes the footer of {@code file}.
   *
   * @param end the file's last bytes, from index 0 to its limit, little-endian: {@link #MAX_LENGTH}
   *     or the whole file
   * @param fileLength the file's length in bytes
   * @param checksum of the file
   * @throws CorruptSnapshotException if it is damaged or truncated
   * @throws UnsupportedVersionException if it has a required section that this bsdb does not know
   */
  public static FileFooter decode(
      ByteBuffer end, long fileLength, PartChecksum checksum, String file) throws IOException {
    if (end.limit() < TAIL_LENGTH || fileLength < HEADER_LENGTH + TAIL_LENGTH) {
      throw new CorruptSnapshotException(
          "file too short: file=%s expected>=%d actual=%d"
              .formatted(file, HEADER_LENGTH + TAIL_LENGTH, fileLength));
    }
    int tail = end.limit() - TAIL_LENGTH;
    long tailOffset = fileLength - TAIL_LENGTH;
    long magic = end.getLong(tail + TAIL_END_MAGIC);
    long statedLength = end.getLong(tail + TAIL_FILE_LENGTH);
    long count = Integer.toUnsignedLong(end.getInt(tail + TAIL_SECTION_COUNT));
    if (magic != TAIL_MAGIC || statedLength != fileLength) {
      throw new CorruptSnapshotException(
          "file truncated or damaged at its end: file=%s offset=%d expected magic=%016x length=%d actual magic=%016x length=%d"
              .formatted(file, tailOffset, TAIL_MAGIC, fileLength, magic, statedLength));
    }
    if (count > MAX_SECTIONS
        || count * ENTRY_BYTES > tail
        || end.getLong(tail + TAIL_DIRECTORY_OFFSET) != tailOffset - count * ENTRY_BYTES) {
      throw new CorruptSnapshotException(
          "footer has an impossible section directory: file=%s offset=%d sections=%d"
              .formatted(file, tailOffset, count));
    }
    int directory = tail - (int) count * ENTRY_BYTES;
    long directoryOffset = tailOffset - count * ENTRY_BYTES;
    int actual =
        checksum.of(
            PartChecksum.FOOTER, directoryOffset, end, directory, tail + TAIL_CHECKSUM - directory);
    int expected = end.getInt(tail + TAIL_CHECKSUM);
    if (actual != expected) {
      throw new CorruptSnapshotException(
          "footer checksum mismatch: file=%s offset=%d expected=%s actual=%s"
              .formatted(file, directoryOffset, hex(expected), hex(actual)));
    }
    List<Section> sections = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int entry = directory + i * ENTRY_BYTES;
      Section section =
          new Section(
              end.getInt(entry + ENTRY_KIND),
              (end.getInt(entry + ENTRY_FLAGS) & ENTRY_REQUIRED) != 0
                  ? Section.Requirement.REQUIRED
                  : Section.Requirement.OPTIONAL,
              end.getLong(entry + ENTRY_OFFSET),
              end.getLong(entry + ENTRY_LENGTH),
              end.getInt(entry + ENTRY_CHECKSUM));
      check(section, directoryOffset, file);
      for (Section other : sections) {
        if (other.kind() == section.kind()) {
          throw new CorruptSnapshotException(
              "file has two sections of kind %d: file=%s".formatted(section.kind(), file));
        }
        if (section.length() > 0
            && other.length() > 0
            && section.offset() < other.offset() + other.length()
            && other.offset() < section.offset() + section.length()) {
          throw new CorruptSnapshotException(
              "sections overlap: file=%s section=%d offset=%d length=%d section=%d offset=%d length=%d"
                  .formatted(
                      file,
                      other.kind(),
                      other.offset(),
                      other.length(),
                      section.kind(),
                      section.offset(),
                      section.length()));
        }
      }
      sections.add(section);
    }
    return new FileFooter(sections);
  }

  private static void check(Section section, long limit, String file) throws IOException {
    long start = section.offset();
    if (section.kind() == PartChecksum.HEADER || section.kind() == PartChecksum.FOOTER) {
      throw new CorruptSnapshotException(
          "section has an impossible kind: file=%s section=%d offset=%d"
              .formatted(file, section.kind(), start));
    }
    boolean blocks = section.kind() == SectionKind.BLOCKS.id();
    if (start < HEADER_LENGTH
        || section.length() < 0
        || start > limit - section.length()
        || (!blocks && section.length() > MAX_SECTION_LENGTH)) {
      throw new CorruptSnapshotException(
          "section lies outside of its file: file=%s section=%d offset=%d length=%d"
              .formatted(file, section.kind(), start, section.length()));
    }
    if (section.requirement() == Section.Requirement.REQUIRED) {
      for (SectionKind known : SectionKind.values()) {
        if (known.id() == section.kind()) {
          return;
        }
      }
      throw new UnsupportedVersionException(
          "file has a required section of unknown kind %d: file=%s offset=%d; upgrade bsdb, or rebuild the table with this one"
              .formatted(section.kind(), file, start));
    }
  }

  /** Returns the section of this kind, or null if the file has none. */
  public @Nullable Section find(SectionKind kind) {
    for (Section section : sections) {
      if (section.kind() == kind.id()) {
        return section;
      }
    }
    return null;
  }
}
