package io.bsdb.reader.io;

import java.io.Closeable;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A file of any length, mapped read-only.
 *
 * <p>A buffer addresses less than 2 GiB. So the file is mapped in chunks that start at every
 * multiple of 1 GiB and are up to 2 GiB long: they overlap, which costs only addresses, and
 * whatever is no longer than 1 GiB lies contiguously in the chunk where it starts.
 *
 * <p>Safe for many threads. After {@link #close} the memory is gone and an access ends the process:
 * the owner must see to it that nobody reads then. A file that another process shortens while it is
 * mapped makes an access fail with {@link InternalError}.
 */
public final class MappedFile implements Closeable {
  private static final int CHUNK_BITS = 30;
  private static final MethodHandle UNMAP = unmapper();
  private static final AtomicLong OPEN_MAPPINGS = new AtomicLong();

  private final ByteBuffer[] chunks;
  private final long length;
  private boolean closed;

  private MappedFile(ByteBuffer[] chunks, long length) {
    this.chunks = chunks;
    this.length = length;
  }

  private static MethodHandle unmapper() {
    try {
      Class<?> unsafe = Class.forName("sun.misc.Unsafe");
      var field = unsafe.getDeclaredField("theUnsafe");
      field.setAccessible(true);
      return MethodHandles.lookup()
          .findVirtual(unsafe, "invokeCleaner", MethodType.methodType(void.class, ByteBuffer.class))
          .bindTo(field.get(null));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(
          "this Java runtime has no module jdk.unsupported, which unmaps files", e);
    }
  }

  /** Maps a whole file. */
  public static MappedFile open(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      long length = channel.size();
      ByteBuffer[] chunks =
          new ByteBuffer[(int) Math.max(1, (length + (1L << CHUNK_BITS) - 1) >>> CHUNK_BITS)];
      MappedFile file = new MappedFile(chunks, length);
      try {
        for (int i = 0; i < chunks.length; i++) {
          long start = (long) i << CHUNK_BITS;
          long end = Math.min(length, start + Integer.MAX_VALUE);
          chunks[i] =
              channel
                  .map(FileChannel.MapMode.READ_ONLY, start, end - start)
                  .order(ByteOrder.LITTLE_ENDIAN);
          OPEN_MAPPINGS.incrementAndGet();
        }
      } catch (IOException | RuntimeException | Error e) {
        file.close();
        throw e;
      }
      return file;
    }
  }

  /** Bytes in the file when it was mapped. */
  public long length() {
    return length;
  }

  /**
   * A little-endian buffer that holds what starts at {@code offset}, up to 1 GiB of it, from {@link
   * #index} on.
   */
  public ByteBuffer chunk(long offset) {
    return chunks[(int) (offset >>> CHUNK_BITS)];
  }

  /** Where {@code offset} lies in its chunk. */
  public static int index(long offset) {
    return (int) offset & ((1 << CHUNK_BITS) - 1);
  }

  /** A part of the file, up to 1 GiB, as a little-endian buffer of its own. */
  public ByteBuffer slice(long offset, int sliceLength) {
    return chunk(offset).slice(index(offset), sliceLength).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** How many mappings this process holds, for leak checks. */
  public static long openMappings() {
    return OPEN_MAPPINGS.get();
  }

  /** Unmaps. Idempotent. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (ByteBuffer chunk : chunks) {
      if (chunk instanceof MappedByteBuffer) {
        unmap(chunk);
      }
    }
  }

  private static void unmap(ByteBuffer chunk) {
    try {
      UNMAP.invokeExact(chunk);
      OPEN_MAPPINGS.decrementAndGet();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new LinkageError("unmapping failed", e);
    }
  }
}
