package io.bsdb.reader.io;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A file of any length in memory, mapped or copied.
 *
 * <p>A buffer addresses less than 2 GiB. So the file is seen through chunks that start at every
 * multiple of 1 GiB and are up to 2 GiB long: they overlap, which costs only addresses, and
 * whatever is no longer than 1 GiB lies contiguously in the chunk where it starts.
 *
 * <p>Safe for many threads. After {@link #close} the memory is gone and an access ends the process:
 * the owner must see to it that nobody reads then. A file that another process shortens while it is
 * mapped makes an access behind its new end fail with {@link InternalError}, which may come late
 * and elsewhere in the same thread, or ends the process if native code reads it.
 */
public final class FileMemory implements Closeable {
  private static final int CHUNK_BITS = 30;
  private static final MethodHandle UNMAP = unmapper();
  private static final AtomicLong OPEN = new AtomicLong();

  /** What is here begins at this offset in the file; the chunks before it are null. */
  private final long start;

  private final ByteBuffer[] chunks;
  private final long length;
  private final Runnable release;
  private boolean closed;

  private FileMemory(long start, ByteBuffer[] chunks, long length, Runnable release) {
    this.start = start;
    this.chunks = chunks;
    this.length = length;
    this.release = release;
    OPEN.incrementAndGet();
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

  private static int chunkCount(long length) {
    return (int) Math.max(1, (length + (1L << CHUNK_BITS) - 1) >>> CHUNK_BITS);
  }

  /**
   * Maps a whole file, read-only.
   *
   * @throws IOException also if its file system maps no files
   */
  public static FileMemory map(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      long length = channel.size();
      ByteBuffer[] chunks = new ByteBuffer[chunkCount(length)];
      int mapped = 0;
      try {
        for (; mapped < chunks.length; mapped++) {
          long start = (long) mapped << CHUNK_BITS;
          long size = Math.min(length - start, Integer.MAX_VALUE);
          chunks[mapped] =
              channel
                  .map(FileChannel.MapMode.READ_ONLY, start, size)
                  .order(ByteOrder.LITTLE_ENDIAN);
        }
      } catch (UnsupportedOperationException e) {
        throw new IOException(
            "file system cannot map files: file=%s; read it with access RESIDENT, or copy the table to a local disk"
                .formatted(path),
            e);
      } catch (IOException | RuntimeException | Error e) {
        unmap(chunks, mapped);
        throw e;
      }
      return new FileMemory(0, chunks, length, () -> unmap(chunks, chunks.length));
    }
  }

  private static void unmap(ByteBuffer[] chunks, int count) {
    for (int i = 0; i < count; i++) {
      try {
        UNMAP.invokeExact(chunks[i]);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new LinkageError("unmapping failed", e);
      }
    }
  }

  /**
   * Copies a whole file into off-heap memory, in huge pages where the system allows.
   *
   * @throws IOException if it cannot be read, or there is not so much memory
   */
  public static FileMemory load(Path path) throws IOException {
    return load(path, 0);
  }

  /**
   * Copies a file's end into off-heap memory. What lies before is not accessible.
   *
   * @param start of the copy, an offset in the file
   */
  public static FileMemory load(Path path, long start) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      long length = channel.size();
      int first = (int) (start >>> CHUNK_BITS);
      // Memory from the first chunk's start on, so that offsets mean the same as in a whole file.
      // What is never written takes addresses only.
      long origin = (long) first << CHUNK_BITS;
      HugeMemory memory = HugeMemory.allocate(Math.max(1, length - origin));
      try {
        ByteBuffer[] chunks = new ByteBuffer[chunkCount(length)];
        for (int i = first; i < chunks.length; i++) {
          long chunkStart = (long) i << CHUNK_BITS;
          long size = Math.min(length - chunkStart, Integer.MAX_VALUE);
          chunks[i] = memory.buffer(chunkStart - origin, size);
          ByteBuffer target = chunks[i].duplicate();
          target.limit((int) Math.min(target.limit(), 1L << CHUNK_BITS));
          target.position((int) Math.max(0, start - chunkStart));
          while (target.hasRemaining()) {
            if (channel.read(target, chunkStart + target.position()) < 0) {
              throw new EOFException("file became shorter while it was read: file=" + path);
            }
          }
        }
        return new FileMemory(start, chunks, length, memory::free);
      } catch (IOException | RuntimeException | Error e) {
        memory.free();
        throw e;
      }
    }
  }

  /**
   * Has page faults read and map whole huge pages: of use for a mapped file that will be read all
   * over and fits memory. Where the system cannot, nothing happens.
   */
  public void adviseHugePages() {
    if (length > 0) {
      for (ByteBuffer chunk : chunks) {
        HugeMemory.advise(chunk);
      }
    }
  }

  /** Bytes in the file when it was opened. */
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
    if (offset < start) {
      throw new IndexOutOfBoundsException(
          "offset=%d length=%d lies before what was copied, from %d on"
              .formatted(offset, sliceLength, start));
    }
    return chunk(offset).slice(index(offset), sliceLength).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** How many of these are open in this process, for leak checks. */
  public static long openCount() {
    return OPEN.get();
  }

  /** Gives the memory back. Idempotent. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      release.run();
      OPEN.decrementAndGet();
    }
  }
}
