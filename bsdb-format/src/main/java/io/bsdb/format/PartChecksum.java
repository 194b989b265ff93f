package io.bsdb.format;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Checksums of the parts of one file: its header, sections, blocks and footer. Immutable and safe
 * for many threads.
 *
 * <p>A checksum of the bytes alone cannot distinguish a part from another one that is just as
 * intact: an earlier version of a page whose write was lost, or a page that was written to the
 * wrong place. So each checksum also covers what the part is and where it belongs: a prefix, which
 * is not stored, of the id of the file, the kind of the part and its offset in the file. Neither
 * the path, nor the version, nor the partition's number is bound, so that files can be linked,
 * copied and shared.
 *
 * @hidden
 */
@Internal
public final class PartChecksum {
  /** The kind of a file's header; no section has it. */
  public static final int HEADER = 0;

  /** The kind of a file's footer; no section has it. */
  public static final int FOOTER = 0xFFFFFFFF;

  private static final int FILE_ID_LENGTH = 16;
  private static final int PREFIX_KIND = 16;
  private static final int PREFIX_OFFSET = 20;
  private static final int PREFIX_LENGTH = 28;
  private static final int COPY_LENGTH = 1 << 13;

  /**
   * Copy buffers that are not in use, where the ids of threads select them. A new one would first
   * be filled with zeros; one per thread would be too many, where threads are virtual.
   */
  private static final AtomicReferenceArray<byte @Nullable []> COPIES =
      new AtomicReferenceArray<>(64);

  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** The prefix of a part of kind 0 at offset 0. */
  private final byte[] prefix;

  /**
   * @param fileId of the file, as its header and its manifest entry have it
   */
  public PartChecksum(UUID fileId) {
    prefix = Arrays.copyOf(bytes(fileId), PREFIX_LENGTH);
  }

  /** Returns a file's id as it stands on disk: in the order of its text. */
  public static byte[] bytes(UUID fileId) {
    return ByteBuffer.allocate(FILE_ID_LENGTH)
        .putLong(fileId.getMostSignificantBits())
        .putLong(fileId.getLeastSignificantBits())
        .array();
  }

  /** Returns the file's id that stands at {@code offset}. */
  public static UUID fileId(ByteBuffer buffer, int offset) {
    ByteBuffer bytes = buffer.slice(offset, FILE_ID_LENGTH).order(ByteOrder.BIG_ENDIAN);
    return new UUID(bytes.getLong(), bytes.getLong());
  }

  /**
   * Returns the CRC-32C of a part. Does not touch the buffer's position.
   *
   * <p>What is off the heap may be a mapped file that somebody shortens meanwhile. A fault in the
   * machine code of the checksum ends the process, one in a copy does not: so bytes are copied.
   *
   * @param kind {@link #HEADER}, {@link #FOOTER} or the id of a {@link SectionKind}; that of {@link
   *     SectionKind#BLOCKS} for each block
   * @param offset where the part starts in the file
   * @param buffer holds the bytes of the part that are covered at {@code [from, from + length)}
   * @throws IndexOutOfBoundsException if the buffer does not hold so many
   */
  public int of(int kind, long offset, ByteBuffer buffer, int from, int length) {
    Objects.checkFromIndexSize(from, length, buffer.limit());
    CRC32C crc = begin(kind, offset);
    if (buffer.hasArray()) {
      crc.update(buffer.array(), buffer.arrayOffset() + from, length);
    } else {
      int slot = (int) ((Thread.currentThread().getId() * 0x9E3779B97F4A7C15L) >>> 58);
      byte[] idle = COPIES.getAndSet(slot, null);
      byte[] copy = idle == null ? new byte[COPY_LENGTH] : idle;
      for (int done = 0; done < length; done += copy.length) {
        int step = Math.min(copy.length, length - done);
        buffer.get(from + done, copy, 0, step);
        crc.update(copy, 0, step);
      }
      COPIES.set(slot, copy);
    }
    return (int) crc.getValue();
  }

  /**
   * Begins the CRC-32C of a part that is read piece by piece, each of which is to be added.
   *
   * @param kind as of {@link #of}
   * @param offset as of {@link #of}
   */
  public CRC32C begin(int kind, long offset) {
    byte[] bound = prefix.clone();
    INTS.set(bound, PREFIX_KIND, kind);
    LONGS.set(bound, PREFIX_OFFSET, offset);
    CRC32C crc = new CRC32C();
    crc.update(bound, 0, PREFIX_LENGTH);
    return crc;
  }
}
