package io.bsdb.cli.input;

import io.bsdb.cli.output.CommandFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/** Text in some charset as UTF-8. Rejects malformed text with its position. */
final class Transcoded extends InputStream {
  private static final int BUFFER = 64 << 10;

  private final InputStream in;
  private final String name;
  private final CharsetDecoder decoder;
  private final ByteBuffer bytes = ByteBuffer.allocate(BUFFER).flip();
  private final CharBuffer chars = CharBuffer.allocate(BUFFER);
  private byte[] utf8 = new byte[0];
  private int position;
  private boolean ended;
  private long line = 1;

  Transcoded(InputStream in, String name, Charset charset) {
    this.in = in;
    this.name = name;
    this.decoder = charset.newDecoder();
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    while (position == utf8.length) {
      if (!decode()) {
        return -1;
      }
    }
    int count = Math.min(length, utf8.length - position);
    System.arraycopy(utf8, position, target, offset, count);
    position += count;
    return count;
  }

  /** Decodes some more; false at the end. */
  private boolean decode() throws IOException {
    CoderResult result = decoder.decode(bytes, chars.clear(), ended);
    if (result.isUnderflow() && ended) {
      result = decoder.flush(chars);
    }
    String text = chars.flip().toString();
    if (text.isEmpty()) {
      if (result.isError()) {
        throw CommandFailure.refused(
            "%s:%d: malformed %s: %d bytes that are no character"
                .formatted(name, line, decoder.charset(), result.length()));
      }
      if (ended) {
        return false;
      }
      bytes.compact();
      int read = in.read(bytes.array(), bytes.position(), bytes.remaining());
      ended = read < 0;
      bytes.position(bytes.position() + Math.max(0, read)).flip();
    }
    line += text.chars().filter(c -> c == '\n').count();
    utf8 = text.getBytes(StandardCharsets.UTF_8);
    position = 0;
    return true;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
