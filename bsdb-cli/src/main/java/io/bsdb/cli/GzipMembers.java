package io.bsdb.cli;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.util.zip.CRC32;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;

/**
 * Decompresses the members of a gzip file, one after another. Zeros behind the last are padding, as
 * for {@code gzip}. Anything else that is no member is damage, where {@link GZIPInputStream} takes
 * it for the end: of a file with a damaged member it would lose the rest without a word.
 */
final class GzipMembers extends InflaterInputStream {
  private static final int MAGIC = 0x8B1F;
  private static final int HEADER_LENGTH = 10;
  private static final int DEFLATE = 8;
  private static final int HEADER_CHECKSUM = 2;
  private static final int EXTRA_FIELD = 4;
  private static final int FILE_NAME = 8;
  private static final int COMMENT = 16;
  private static final int RESERVED_FLAGS = 0xE0;

  private final PushbackInputStream source;
  private final CRC32 checksum = new CRC32();
  private long member = 1;
  private boolean ended;

  /**
   * Reads the first header.
   *
   * @throws IOException if there is none
   */
  GzipMembers(InputStream in, int buffer) throws IOException {
    super(new PushbackInputStream(in, buffer), new Inflater(true), buffer);
    source = (PushbackInputStream) this.in;
    try {
      readHeader(required());
    } catch (IOException e) {
      inf.end();
      throw e;
    }
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    while (!ended) {
      int read = super.read(target, offset, length);
      if (read >= 0) {
        checksum.update(target, offset, read);
        return read;
      }
      endMember();
    }
    return -1;
  }

  private void endMember() throws IOException {
    int unused = inf.getRemaining();
    source.unread(buf, len - unused, unused);
    require("checksum", checksum.getValue(), number(Integer.BYTES));
    require("length", inf.getBytesWritten() & 0xFFFFFFFFL, number(Integer.BYTES));
    int next = source.read();
    if (next <= 0) {
      requirePadding(next);
      ended = true;
      return;
    }
    member++;
    readHeader(next);
    inf.reset();
    checksum.reset();
  }

  private void requirePadding(int first) throws IOException {
    int next = first;
    while (next == 0) {
      next = source.read();
    }
    if (next >= 0) {
      throw new ZipException(
          "gzip member %d ends in zeros, which only the end of the file may follow"
              .formatted(member));
    }
  }

  private void readHeader(int first) throws IOException {
    checksum.reset();
    checksum.update(first);
    require("magic", MAGIC, first | required() << Byte.SIZE);
    require("compression", DEFLATE, required());
    int flags = required();
    require("reserved flags", 0, flags & RESERVED_FLAGS);
    skip(HEADER_LENGTH - 4);
    if ((flags & EXTRA_FIELD) != 0) {
      skip((int) number(Short.BYTES));
    }
    if ((flags & FILE_NAME) != 0) {
      skipText();
    }
    if ((flags & COMMENT) != 0) {
      skipText();
    }
    if ((flags & HEADER_CHECKSUM) != 0) {
      require("header checksum", checksum.getValue() & 0xFFFF, number(Short.BYTES));
    }
    checksum.reset();
  }

  private void skip(int bytes) throws IOException {
    for (int i = 0; i < bytes; i++) {
      required();
    }
  }

  private void skipText() throws IOException {
    while (required() != 0) {
      // a byte of the text
    }
  }

  /** A little-endian number of a header or trailer. */
  private long number(int bytes) throws IOException {
    long number = 0;
    for (int i = 0; i < bytes; i++) {
      number |= (long) required() << (i * Byte.SIZE);
    }
    return number;
  }

  private int required() throws IOException {
    int next = source.read();
    if (next < 0) {
      throw new EOFException("gzip member %d is cut off".formatted(member));
    }
    checksum.update(next);
    return next;
  }

  private void require(String what, long expected, long actual) throws ZipException {
    if (actual != expected) {
      throw new ZipException(
          "gzip member %d is damaged: %s expected=%x actual=%x"
              .formatted(member, what, expected, actual));
    }
  }

  @Override
  public void close() throws IOException {
    inf.end();
    super.close();
  }
}
