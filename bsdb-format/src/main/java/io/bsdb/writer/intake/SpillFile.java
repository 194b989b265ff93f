package io.bsdb.writer.intake;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The temporary file of a bucket. Used by one thread at a time. */
public final class SpillFile implements Closeable {
  /**
   * Bytes read or written at once: for more the JDK would take a temporary buffer of that length,
   * and keep it as long as the thread lives.
   */
  private static final int STEP = 1 << 20;

  private final Path directory;
  private final int bucket;
  private final FileChannel channel;
  private long length;

  private SpillFile(Path directory, int bucket, FileChannel channel) {
    this.directory = directory;
    this.bucket = bucket;
    this.channel = channel;
  }

  /** Creates a file, and its directory if there is none. */
  public static SpillFile create(Path directory, String name, int bucket) throws IOException {
    Files.createDirectories(directory);
    Path path = directory.resolve(name + "-" + bucket + ".spill");
    try {
      FileChannel channel =
          FileChannel.open(
              path,
              StandardOpenOption.CREATE_NEW,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.DELETE_ON_CLOSE);
      return new SpillFile(directory, bucket, channel);
    } catch (FileSystemException e) {
      if ("Too many open files".equals(e.getReason())) {
        throw new IOException(
            "temporary file cannot be created: file=%s: %s; a build has up to 256 of them open at once: raise the limit on open files (ulimit -n, LimitNOFILE of systemd)"
                .formatted(path, e.getReason()),
            e);
      }
      throw e;
    }
  }

  public long length() {
    return length;
  }

  /** Appends the first bytes of an array. */
  public void write(byte[] bytes, int end) throws IOException {
    try {
      for (int position = 0; position < end; ) {
        int step = Math.min(STEP, end - position);
        position += channel.write(ByteBuffer.wrap(bytes, position, step));
      }
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      throw cannotWrite(e);
    }
    length += end;
  }

  /** Appends all of another file. */
  public void append(SpillFile other) throws IOException {
    try {
      for (long position = 0; position < other.length; ) {
        long copied = other.channel.transferTo(position, other.length - position, channel);
        if (copied == 0) {
          throw other.shortened(position);
        }
        position += copied;
      }
    } catch (ClosedChannelException | EOFException e) {
      throw e;
    } catch (IOException e) {
      throw cannotWrite(e);
    }
    length += other.length;
  }

  private IOException cannotWrite(IOException e) {
    return new IOException(
        "temporary file cannot be written: directory=%s: %s; a build needs as much room there as its input takes, plain: make room, or choose another temporary directory (--temp)"
            .formatted(directory, e.getMessage()),
        e);
  }

  /** Reads some bytes, at most {@link #STEP}. */
  public int read(ByteBuffer target, long position) throws IOException {
    int end = target.limit();
    int read;
    try {
      read = channel.read(target.limit(Math.min(end, target.position() + STEP)), position);
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      throw cannotRead(e);
    }
    if (read < 0) {
      throw shortened(position);
    }
    target.limit(end);
    return read;
  }

  /**
   * Returns the whole content, mapped: no limit on direct memory counts it, and the kernel may take
   * the memory back. Not to be read after {@link #close}.
   */
  public ByteBuffer map() throws IOException {
    return map(0, length);
  }

  /** Maps a part of the content; as {@link #map()}. */
  public ByteBuffer map(long start, long partLength) throws IOException {
    try {
      if (channel.size() < length) {
        throw shortened(channel.size());
      }
      return channel.map(FileChannel.MapMode.READ_ONLY, start, partLength);
    } catch (ClosedChannelException | EOFException e) {
      throw e;
    } catch (IOException | UnsupportedOperationException e) {
      throw cannotRead(e);
    }
  }

  private IOException cannotRead(Exception e) {
    return new IOException(
        "temporary file cannot be read: directory=%s bucket=%d: %s; check the disk or choose another temporary directory, then build again"
            .formatted(directory, bucket, e.getMessage()),
        e);
  }

  private EOFException shortened(long actual) {
    return new EOFException(
        "temporary file is shorter than what was written to it: directory=%s bucket=%d expected=%d actual=%d; another process has shortened it, build again"
            .formatted(directory, bucket, length, actual));
  }

  /** Deletes the file. */
  @Override
  public void close() throws IOException {
    try (channel) {
      // A deleted file keeps its space until the garbage collector finds the mapping unused.
      channel.truncate(0);
    } catch (ClosedChannelException interrupted) {
      // Deleted all the same, though the space is given back a little later.
    }
  }
}
