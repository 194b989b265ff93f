package io.bsdb.writer;

import io.bsdb.format.FileFooter;
import io.bsdb.format.FileHeader;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.Section;
import io.bsdb.format.Section.Requirement;
import io.bsdb.format.SectionKind;
import io.bsdb.format.block.BlockOutput;
import io.bsdb.table.TableStorage;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Writes one partition file front to back: header, blocks, sections, footer.
 *
 * <p>It writes whole huge pages at multiples of their size. Linux then caches the file in huge
 * pages where the file system can (XFS, and ext4 since 6.16), so that whoever maps it while it is
 * cached has far fewer TLB misses.
 */
final class PartitionFileOutput implements BlockOutput, Closeable {
  private static final int HUGE_PAGE = 2 << 20;
  private static final int SLACK = 64 << 10;

  private final TableStorage.Output output;
  private final CRC32C fileChecksum = new CRC32C();
  private final PartChecksum partChecksum;
  private final List<Section> sections = new ArrayList<>();
  private final long dataOffset;

  /**
   * Small at first: the files of partitions without records need no more. On the heap, as direct
   * memory may be scarce.
   */
  private ByteBuffer buffer = ByteBuffer.allocate(SLACK).order(ByteOrder.LITTLE_ENDIAN);

  private long flushed;

  /** Takes over {@code output} and writes the header, padded so that blocks start aligned. */
  PartitionFileOutput(TableStorage.Output output, FileHeader header) throws IOException {
    this.output = output;
    this.partChecksum = new PartChecksum(header.fileId());
    this.dataOffset = header.dataOffset();
    ByteBuffer encoded = header.encode();
    ByteBuffer target = reserve((int) dataOffset);
    target.put(encoded);
    pad(target, (int) dataOffset - encoded.limit());
  }

  private static void pad(ByteBuffer target, int length) {
    for (int i = 0; i < length; i++) {
      target.put((byte) 0);
    }
  }

  @Override
  public ByteBuffer reserve(int length) throws IOException {
    if (buffer.remaining() < length) {
      write(buffer.position() & -HUGE_PAGE);
      if (buffer.remaining() < length) {
        int needed = Math.addExact(buffer.position(), length);
        buffer =
            ByteBuffer.allocate(Math.addExact(needed, HUGE_PAGE))
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(buffer.flip());
      }
    }
    return buffer;
  }

  @Override
  public long length() {
    return position() - dataOffset;
  }

  private long position() {
    return flushed + buffer.position();
  }

  /** Writes the first bytes of the buffer and moves the others to its start. */
  private void write(int length) throws IOException {
    buffer.flip();
    ByteBuffer written = buffer.slice(0, length);
    fileChecksum.update(written.duplicate());
    while (written.hasRemaining()) {
      // The JDK writes through a direct buffer as long as what it writes, and keeps that.
      int step = Math.min(HUGE_PAGE, written.remaining());
      int stepped = output.write(written.slice(written.position(), step));
      written.position(written.position() + stepped);
    }
    flushed += length;
    buffer.position(length).compact();
  }

  /** Records that the blocks end here. */
  void endBlocks() {
    sections.add(
        new Section(SectionKind.BLOCKS.id(), Requirement.REQUIRED, dataOffset, length(), 0));
  }

  /** Writes a section at the next multiple of 8. */
  void section(SectionKind kind, ByteBuffer bytes) throws IOException {
    ByteBuffer content = bytes.duplicate().rewind();
    pad(reserve(8), (int) (-position() & 7));
    long offset = position();
    int checksum = partChecksum.of(kind.id(), offset, content, 0, content.limit());
    while (content.hasRemaining()) {
      int length = Math.min(content.remaining(), SLACK);
      ByteBuffer target = reserve(length);
      target.put(content.slice(content.position(), length));
      content.position(content.position() + length);
    }
    sections.add(
        new Section(kind.id(), Requirement.REQUIRED, offset, position() - offset, checksum));
  }

  /** Writes the footer and makes the file durable. Returns its length. */
  long commit() throws IOException {
    ByteBuffer footer = new FileFooter(sections).encode(position(), partChecksum);
    reserve(footer.limit()).put(footer);
    write(buffer.position());
    output.commit();
    return flushed;
  }

  /** Returns the CRC-32C of the whole file. Called after {@link #commit}. */
  int checksum() {
    return (int) fileChecksum.getValue();
  }

  @Override
  public void close() throws IOException {
    output.close();
  }
}
