package io.bsdb.writer.file;

import io.bsdb.format.FileFooter;
import io.bsdb.format.FileHeader;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.Section;
import io.bsdb.format.Section.Requirement;
import io.bsdb.format.SectionKind;
import io.bsdb.format.block.BlockOutput;
import io.bsdb.table.storage.TableStorage;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Writes one partition file front to back: header, blocks, sections, footer. */
public final class PartitionFileOutput implements BlockOutput, Closeable {
  private static final int STEP = 64 << 10;

  private final HugePageOutput output;
  private final PartChecksum partChecksum;
  private final List<Section> sections = new ArrayList<>();
  private final long dataOffset;

  /** Takes over {@code output} and writes the header, padded so that blocks start aligned. */
  public PartitionFileOutput(TableStorage.Output output, FileHeader header) throws IOException {
    this.output = new HugePageOutput(output);
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
    return output.reserve(length);
  }

  @Override
  public long length() {
    return output.position() - dataOffset;
  }

  /** Records that the blocks end here. */
  public void endBlocks() {
    sections.add(
        new Section(SectionKind.BLOCKS.id(), Requirement.REQUIRED, dataOffset, length(), 0));
  }

  /** Writes a section at the next multiple of 8. */
  public void section(SectionKind kind, ByteBuffer bytes) throws IOException {
    ByteBuffer content = bytes.duplicate().rewind();
    pad(reserve(8), (int) (-output.position() & 7));
    long offset = output.position();
    int checksum = partChecksum.of(kind.id(), offset, content, 0, content.limit());
    while (content.hasRemaining()) {
      int length = Math.min(content.remaining(), STEP);
      ByteBuffer target = reserve(length);
      target.put(content.slice(content.position(), length));
      content.position(content.position() + length);
    }
    sections.add(
        new Section(kind.id(), Requirement.REQUIRED, offset, output.position() - offset, checksum));
  }

  /** Writes the footer and makes the file durable. Returns its length. */
  public long commit() throws IOException {
    ByteBuffer footer = new FileFooter(sections).encode(output.position(), partChecksum);
    output.write(footer);
    output.commit();
    return output.position();
  }

  /** Returns the CRC-32C of the whole file. Called after {@link #commit}. */
  public int checksum() {
    return output.checksum();
  }

  @Override
  public void close() throws IOException {
    output.close();
  }
}
