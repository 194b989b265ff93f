package io.bsdb.cli.input;

import io.bsdb.cli.output.CommandFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/**
 * Reads text in UTF-8, with or without a byte order mark. Rejects malformed bytes with their
 * position, they are: other decoders replace them, and take overlong forms for the characters that
 * they resemble, so that different keys become one.
 */
final class Utf8Reader extends Reader {
  private static final int BUFFER = 64 << 10;
  static final char BYTE_ORDER_MARK = '\ufeff';

  private final InputStream in;
  private final String name;
  private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
  private final ByteBuffer bytes = ByteBuffer.allocate(BUFFER).flip();
  private boolean ended;
  private boolean started;
  private char last;
  private long line = 1;
  private long column = 1;

  Utf8Reader(InputStream in, String name) {
    this.in = in;
    this.name = name;
  }

  @Override
  public int read(char[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    CharBuffer chars = CharBuffer.wrap(target, offset, length);
    while (true) {
      CoderResult result = decoder.decode(bytes, chars, ended);
      int count = chars.position();
      if (count > 0 && !started) {
        started = true;
        if (target[offset] == BYTE_ORDER_MARK) {
          chars.flip().position(1);
          chars.compact();
          continue;
        }
      }
      if (count > 0) {
        count(target, offset, offset + count);
        return count;
      }
      if (result.isError()) {
        throw CommandFailure.refused(
            "%s:%d: malformed UTF-8 in column %d: %s"
                .formatted(name, line, column, malformed(bytes, result.length())));
      }
      if (ended) {
        return -1;
      }
      fill();
    }
  }

  /** Returns the bytes that a decoder has stopped at, for messages. */
  static String malformed(ByteBuffer bytes, int length) {
    StringBuilder text = new StringBuilder("bytes");
    for (int i = 0; i < length; i++) {
      text.append(" %02x".formatted(bytes.get(bytes.position() + i)));
    }
    return text.toString();
  }

  private void fill() throws IOException {
    bytes.compact();
    int read = in.read(bytes.array(), bytes.position(), bytes.remaining());
    if (read < 0) {
      ended = true;
    } else {
      bytes.position(bytes.position() + read);
    }
    bytes.flip();
  }

  /** Lines end with LF, CR LF or CR. */
  private void count(char[] chars, int from, int to) {
    for (int i = from; i < to; i++) {
      char c = chars[i];
      if (c == '\r' || (c == '\n' && last != '\r')) {
        line++;
        column = 1;
      } else if (c != '\n' && !Character.isLowSurrogate(c)) {
        column++;
      }
      last = c;
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
