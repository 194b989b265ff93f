package io.bsdb.cli;

import com.github.luben.zstd.ZstdInputStream;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.jspecify.annotations.Nullable;

/**
 * One input: a file, or standard input. A file whose name ends in {@code .gz}, {@code .zst} or
 * {@code .zstd} is decompressed.
 *
 * @param name as messages give it
 * @param path null for standard input
 * @param length in bytes as stored; 0 if unknown
 */
record InputFile(String name, @Nullable Path path, long length) {
  private static final int BUFFER = 128 << 10;

  static InputFile of(Path path) throws IOException {
    return new InputFile(path.toString(), path, Files.size(path));
  }

  static InputFile standardInput() {
    return new InputFile("(standard input)", null, 0);
  }

  /** Whether it is a regular file, not a pipe. */
  boolean canBeReadAgain() {
    return path != null && Files.isRegularFile(path);
  }

  /**
   * Opens it. What the stream throws names the file; an interrupt ends a read, even from a pipe.
   *
   * @param standardInput read if this is not a file
   * @param stored is increased by the bytes read, before decompression
   */
  InputStream open(InputStream standardInput, AtomicLong stored) throws IOException {
    InputStream source =
        path == null ? standardInput : Channels.newInputStream(FileChannel.open(path));
    try {
      return new Named(decompressed(new Counting(source, stored)), name);
    } catch (IOException e) {
      try (source) {
        throw new InputException(name, e);
      }
    }
  }

  private InputStream decompressed(InputStream source) throws IOException {
    String lowerCase = name.toLowerCase(Locale.ROOT);
    if (lowerCase.endsWith(".gz")) {
      // Unlike Java's own it refuses what follows a member and is none, instead of ending there.
      boolean allMembers = true;
      return new GzipCompressorInputStream(new BufferedInputStream(source, BUFFER), allMembers);
    }
    if (lowerCase.endsWith(".zst") || lowerCase.endsWith(".zstd")) {
      return new ZstdInputStream(source);
    }
    return source;
  }

  /** An input could not be read. */
  static final class InputException extends IOException {
    private static final long serialVersionUID = 1L;

    InputException(String name, IOException cause) {
      super("cannot read %s: %s".formatted(name, reason(cause)), cause);
    }

    private static String reason(IOException e) {
      String message = e.getMessage();
      return message == null ? "it ends too early" : message;
    }
  }

  /** Counts what passes. */
  private static final class Counting extends FilterInputStream {
    private final AtomicLong bytes;

    Counting(InputStream in, AtomicLong bytes) {
      super(in);
      this.bytes = bytes;
    }

    @Override
    public int read() throws IOException {
      int read = in.read();
      if (read >= 0) {
        bytes.incrementAndGet();
      }
      return read;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int read = in.read(target, offset, length);
      if (read > 0) {
        bytes.addAndGet(read);
      }
      return read;
    }
  }

  /** Says in every exception which input it was. */
  private static final class Named extends FilterInputStream {
    private final String name;

    Named(InputStream in, String name) {
      super(in);
      this.name = name;
    }

    @Override
    public int read() throws IOException {
      try {
        return in.read();
      } catch (IOException e) {
        throw new InputException(name, e);
      }
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      try {
        return in.read(target, offset, length);
      } catch (IOException e) {
        throw new InputException(name, e);
      }
    }
  }
}
