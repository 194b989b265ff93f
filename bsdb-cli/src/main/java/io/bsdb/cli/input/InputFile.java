package io.bsdb.cli.input;

import com.github.luben.zstd.ZstdInputStream;
import io.bsdb.format.ZstdLibrary;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.jspecify.annotations.Nullable;

/**
 * One input: a file, or a stream that is read once. A file whose name ends in {@code .gz}, {@code
 * .zst} or {@code .zstd} is decompressed.
 *
 * @param name as messages give it
 * @param path null for a stream
 * @param stream empty for a file
 * @param length in bytes as stored; 0 if unknown
 * @param charset of text, which is read as UTF-8; null keeps bytes as they are
 */
public record InputFile(
    String name, @Nullable Path path, InputStream stream, long length, @Nullable Charset charset) {
  private static final int BUFFER = 128 << 10;

  /** Commands that decompress, by the ends of names. */
  private static final Map<String, String> OTHER_COMPRESSIONS =
      Map.of(
          ".bz2", "bzip2 -dc %s", ".xz", "xz -dc %s", ".lz4", "lz4 -dc %s", ".zip", "unzip -p %s");

  /** Stands for a query, which is run as often as it is read. */
  static final InputFile QUERY = of("query", InputStream.nullInputStream(), null);

  static InputFile of(Path path, @Nullable Charset charset) throws IOException {
    return new InputFile(
        path.toString(), path, InputStream.nullInputStream(), Files.size(path), charset);
  }

  static InputFile of(String name, InputStream stream, @Nullable Charset charset) {
    return new InputFile(name, null, stream, 0, charset);
  }

  /** Returns whether it is a regular file, not a pipe, or a query. */
  boolean canBeReadAgain() {
    return equals(QUERY) || (path != null && Files.isRegularFile(path));
  }

  /**
   * Opens it. What the stream throws names the file; an interrupt ends a read, even from a pipe.
   *
   * @param stored is increased by the bytes read, before decompression
   */
  InputStream open(AtomicLong stored) throws IOException {
    InputStream source = path == null ? stream : Channels.newInputStream(FileChannel.open(path));
    try {
      InputStream named = new Named(decompressed(new Counting(source, stored)), name);
      return charset == null ? named : new Transcoded(named, name, charset);
    } catch (IOException e) {
      try (source) {
        throw named(name, e);
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
      ZstdLibrary.require("this file");
      return new ZstdInputStream(source);
    }
    for (Map.Entry<String, String> other : OTHER_COMPRESSIONS.entrySet()) {
      if (lowerCase.endsWith(other.getKey())) {
        throw new IOException(
            "%s files are not decompressed here, gzip and zstd are; take the output of '%s' with --input -"
                .formatted(other.getKey(), other.getValue().formatted(name)));
      }
    }
    return source;
  }

  private static IOException named(String name, IOException e) {
    if (e instanceof ClosedByInterruptException) {
      return e;
    }
    String reason = e.getMessage() == null ? "it ends too early" : e.getMessage();
    return new IOException("cannot read %s: %s".formatted(name, reason), e);
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
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int read = in.read(target, offset, length);
      bytes.addAndGet(Math.max(0, read));
      return read;
    }
  }

  /** Adds the input's name to every exception. */
  private static final class Named extends FilterInputStream {
    private final String name;

    Named(InputStream in, String name) {
      super(in);
      this.name = name;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      try {
        return in.read(target, offset, length);
      } catch (IOException e) {
        throw named(name, e);
      }
    }
  }
}
