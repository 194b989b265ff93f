package io.bsdb.writer.file;

import io.bsdb.table.storage.TableStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.util.zip.CRC32C;

/**
 * Writes a file front to back, in whole huge pages at multiples of their size. Linux then caches
 * the file in huge pages where the file system can (XFS, and ext4 since 6.16), so that whoever maps
 * it while it is cached has far fewer TLB misses.
 */
public final class HugePageOutput implements WritableByteChannel {
  private static final int HUGE_PAGE = 2 << 20;
  private static final int SMALLEST = 64 << 10;

  private final TableStorage.Output output;
  private final CRC32C checksum = new CRC32C();

  /** Small at first, as many files are. On the heap, as direct memory may be scarce. */
  private ByteBuffer buffer = ByteBuffer.allocate(SMALLEST).order(ByteOrder.LITTLE_ENDIAN);

  private long flushed;

  /** Takes over {@code output}. */
  public HugePageOutput(TableStorage.Output output) {
    this.output = output;
  }

  /** Returns a little-endian buffer to put the next bytes into, with room for so many. */
  ByteBuffer reserve(int length) throws IOException {
    if (buffer.remaining() < length) {
      flush(buffer.position() & -HUGE_PAGE);
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
  public int write(ByteBuffer bytes) throws IOException {
    int length = bytes.remaining();
    reserve(length).put(bytes);
    return length;
  }

  /** Writes the first bytes of the buffer and moves the others to its start. */
  private void flush(int length) throws IOException {
    buffer.flip();
    ByteBuffer written = buffer.slice(0, length);
    checksum.update(written.duplicate());
    while (written.hasRemaining()) {
      // The JDK writes through a direct buffer as long as what it writes, and keeps that.
      int step = Math.min(HUGE_PAGE, written.remaining());
      int stepped = output.write(written.slice(written.position(), step));
      written.position(written.position() + stepped);
    }
    flushed += length;
    buffer.position(length).compact();
  }

  /** Returns the length of the file so far. */
  public long position() {
    return flushed + buffer.position();
  }

  /** Makes the file complete and durable. */
  public void commit() throws IOException {
    flush(buffer.position());
    output.commit();
  }

  /** Returns the CRC-32C of the whole file. Called after {@link #commit}. */
  public int checksum() {
    return (int) checksum.getValue();
  }

  @Override
  public boolean isOpen() {
    return output.isOpen();
  }

  @Override
  public void close() throws IOException {
    output.close();
  }
}
