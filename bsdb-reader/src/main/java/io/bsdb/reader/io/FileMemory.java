package io.bsdb.reader.io;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A file of any length in memory, mapped or copied.
 *
 * <p>A buffer addresses less than 2 GiB. So the file is seen through chunks that start at every
 * multiple of 512 MiB and are almost 2 GiB long: they overlap, which costs only addresses, and
 * whatever is no longer than 1 GiB lies contiguously in the chunk where it starts.
 *
 * <p>Safe for many threads. After {@link #close} the memory is gone and an access ends the process:
 * the owner must see to it that nobody reads then. A file that another process shortens while it is
 * mapped makes an access past its new end fail with {@link InternalError}, which may come late and
 * elsewhere in the same thread, or ends the process if native code reads it: see {@link
 * #requireWhole}.
 */
public final class FileMemory implements Closeable {
  private static final int CHUNK_BITS = 29;

  /** Java 22 and newer make no longer buffers of what is mapped. */
  private static final int MAX_CHUNK_LENGTH = Integer.MAX_VALUE - 8;

  private static final AtomicLong OPEN = new AtomicLong();

  /** Offset in the file at which this begins; the chunks before it are null. */
  private final long start;

  private final ByteBuffer[] chunks;
  private final long length;
  private final Path path;

  /**
   * The file that is mapped, held open for its length: not a channel, which an interrupt would
   * close. Null of a copy.
   */
  private final @Nullable RandomAccessFile mapped;

  private final Runnable release;
  private boolean closed;

  private FileMemory(
      Path path,
      @Nullable RandomAccessFile mapped,
      long start,
      ByteBuffer[] chunks,
      long length,
      Runnable release) {
    this.path = path;
    this.mapped = mapped;
    this.start = start;
    this.chunks = chunks;
    this.length = length;
    this.release = release;
    OPEN.incrementAndGet();
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
    RandomAccessFile file = open(path);
    String where = where(path);
    try {
      long length = file.length();
      where += " length=" + length;
      Mapping mapping = Mapping.create();
      try {
        ByteBuffer[] chunks = new ByteBuffer[chunkCount(length)];
        for (int i = 0; i < chunks.length; i++) {
          long start = (long) i << CHUNK_BITS;
          chunks[i] =
              mapping.map(file.getChannel(), start, Math.min(length - start, MAX_CHUNK_LENGTH));
        }
        return new FileMemory(path, file, 0, chunks, length, mapping::close);
      } catch (IOException | RuntimeException | Error e) {
        mapping.close();
        throw e;
      }
    } catch (IOException e) {
      file.close();
      throw FileFailure.of("file cannot be mapped", where, e);
    } catch (RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  /**
   * Returns the length of a regular file. Others are not opened: reading a pipe may never end.
   *
   * @param advice to the user if there is none
   */
  public static long lengthOfFile(Path path, String advice) throws IOException {
    BasicFileAttributes attributes;
    try {
      attributes = Files.readAttributes(path, BasicFileAttributes.class);
    } catch (NoSuchFileException e) {
      throw new NoSuchFileException(path.toString(), null, advice);
    }
    if (!attributes.isRegularFile()) {
      throw new CorruptSnapshotException(
          "not a regular file: file=%s actual=%s"
              .formatted(path, attributes.isDirectory() ? "a directory" : "a pipe or a device"));
    }
    return attributes.size();
  }

  private static RandomAccessFile open(Path path) throws IOException {
    if (path.getFileSystem() != FileSystems.getDefault()) {
      throw new IOException(
          "file system cannot map files: file=%s; read it with access RESIDENT, or copy the table to a local disk"
              .formatted(path));
    }
    // Distinguishes a missing file from one that cannot be reached.
    try {
      var unused = Files.readAttributes(path, BasicFileAttributes.class);
    } catch (NoSuchFileException e) {
      // What is below a file counts as missing with newer Java, but not when it is opened.
      Files.newByteChannel(path).close();
      throw e;
    }
    return new RandomAccessFile(path.toFile(), "r");
  }

  private static String where(Path path) {
    return "file=" + path;
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
    return load(path, start, start, start);
  }

  /**
   * Copies a file's end into off-heap memory, but for a gap. What lies before and in it is not
   * accessible and takes no memory.
   *
   * @param start of the copy, an offset in the file
   * @param gap where the gap starts
   * @param gapEnd where it ends; where it starts if there is none
   */
  public static FileMemory load(Path path, long start, long gap, long gapEnd) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      long length = channel.size();
      int first = (int) (start >>> CHUNK_BITS);
      // Memory from the first chunk's start on, so that offsets mean the same as in a whole file.
      // What is never written takes addresses only.
      long origin = (long) first << CHUNK_BITS;
      HugeMemory memory = HugeMemory.allocate(Math.max(1, length - origin));
      try {
        memory.leaveOut(0, start - origin);
        memory.leaveOut(gap - origin, gapEnd - gap);
        ByteBuffer[] chunks = new ByteBuffer[chunkCount(length)];
        for (int i = first; i < chunks.length; i++) {
          long chunkStart = (long) i << CHUNK_BITS;
          long size = Math.min(length - chunkStart, MAX_CHUNK_LENGTH);
          long chunkEnd = chunkStart + Math.min(size, 1L << CHUNK_BITS);
          chunks[i] = memory.buffer(chunkStart - origin, size);
          read(channel, chunks[i], chunkStart, start, Math.min(gap, chunkEnd));
          read(channel, chunks[i], chunkStart, Math.max(start, gapEnd), chunkEnd);
        }
        return new FileMemory(path, null, start, chunks, length, memory::free);
      } catch (IOException | RuntimeException | Error e) {
        memory.free();
        throw e;
      }
    } catch (IOException e) {
      throw FileFailure.of("file cannot be copied into memory", where(path), e);
    }
  }

  /** Returns the memory that a copy of so many bytes takes, with a gap or without. */
  public static long resident(long bytes) {
    return HugeMemory.resident(bytes) + 3 * SnapshotFormat.PAGE; // of parts that begin anywhere
  }

  /** Copies {@code [start, end)} of a file, as far as it lies after the start of a chunk. */
  private static void read(
      FileChannel channel, ByteBuffer chunk, long chunkStart, long start, long end)
      throws IOException {
    long from = Math.max(start, chunkStart);
    if (from >= end) {
      return;
    }
    ByteBuffer target = chunk.duplicate();
    target.limit((int) (end - chunkStart)).position((int) (from - chunkStart));
    while (target.hasRemaining()) {
      if (channel.read(target, chunkStart + target.position()) < 0) {
        throw new EOFException("file became shorter while it was read");
      }
    }
  }

  /**
   * Makes page faults read and map whole huge pages: useful for a mapped file that will be read all
   * over and fits memory. Where the system cannot, nothing happens.
   */
  public void adviseHugePages() {
    if (length > 0) {
      for (ByteBuffer chunk : chunks) {
        HugeMemory.advise(chunk);
      }
    }
  }

  /** Returns the length of the file in bytes when it was opened. */
  public long length() {
    return length;
  }

  /**
   * Returns a little-endian buffer that holds what starts at {@code offset}, up to 1 GiB of it,
   * from {@link #index} on.
   */
  public ByteBuffer chunk(long offset) {
    return chunks[(int) (offset >>> CHUNK_BITS)];
  }

  /** Returns how many chunks the file has. */
  public int chunkCount() {
    return chunks.length;
  }

  /** Returns the chunk that {@code offset} lies in, from 0. */
  public static int chunkIndex(long offset) {
    return (int) (offset >>> CHUNK_BITS);
  }

  /** Returns the offset at which a chunk starts. */
  public static long chunkStart(int chunk) {
    return (long) chunk << CHUNK_BITS;
  }

  /** Returns where {@code offset} lies in its chunk. */
  public static int index(long offset) {
    return (int) offset & ((1 << CHUNK_BITS) - 1);
  }

  /** Returns a part of the file, up to 1 GiB, as a little-endian buffer of its own. */
  public ByteBuffer slice(long offset, int sliceLength) {
    if (offset < start) {
      throw new IndexOutOfBoundsException(
          "offset=%d length=%d lies before what was copied, from %d on"
              .formatted(offset, sliceLength, start));
    }
    return chunk(offset).slice(index(offset), sliceLength).order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Compares a mapped file's length with what it was. To be called before bytes are read that were
   * not read before: one system call. It works with files that have been deleted since, too.
   *
   * @param end of what is to be read
   * @throws CorruptSnapshotException if the file has been shortened so that it ends before
   */
  public void requireWhole(long end) throws IOException {
    RandomAccessFile file = mapped;
    if (file == null) {
      return;
    }
    long actual;
    try {
      actual = file.length();
    } catch (IOException e) {
      throw FileFailure.of("length of mapped file cannot be read", where(path), e);
    }
    if (actual < end) {
      throw new CorruptSnapshotException(
          "mapped file was shortened while open: file=%s expected=%d actual=%d; delete or replace files of a published version, never write over them"
              .formatted(path, length, actual));
    }
  }

  /** Returns how many of these are open in this process, for leak checks. */
  public static long openCount() {
    return OPEN.get();
  }

  /** Gives the memory back. Idempotent. */
  @Override
  public synchronized void close() throws IOException {
    if (!closed) {
      closed = true;
      release.run();
      OPEN.decrementAndGet();
      if (mapped != null) {
        mapped.close();
      }
    }
  }
}
