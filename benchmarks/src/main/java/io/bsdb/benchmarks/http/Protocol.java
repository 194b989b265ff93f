package io.bsdb.benchmarks.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Finds the end of an answer and its content. */
@SuppressWarnings("ByteBufferBackingArray") // of buffers that Load allocates
enum Protocol {
  HTTP {
    @Override
    int end(ByteBuffer in) {
      int head = head(in);
      if (head < 0) {
        return -1;
      }
      int length = 0;
      String text = new String(in.array(), 0, head, StandardCharsets.ISO_8859_1);
      int at = text.indexOf("Content-Length: ");
      if (at >= 0) {
        int end = text.indexOf('\r', at);
        length = Integer.parseInt(text.substring(at + 16, end));
      }
      return in.position() < head + length ? -1 : head + length;
    }

    @Override
    int body(ByteBuffer in) {
      return in.array()[9] == '2' ? head(in) : -1;
    }
  },
  /** The protocol of Redis: one bulk string, or an array of them. */
  RESP {
    @Override
    int end(ByteBuffer in) {
      int line = line(in, 0);
      if (line < 0) {
        return -1;
      }
      if (in.array()[0] == '$') {
        return bulkEnd(in, 0);
      }
      if (in.array()[0] != '*') {
        return line;
      }
      int at = line;
      int count = number(in, 1, line - 2);
      for (int i = 0; i < count; i++) {
        at = bulkEnd(in, at);
        if (at < 0) {
          return -1;
        }
      }
      return at;
    }

    @Override
    int body(ByteBuffer in) {
      byte first = in.array()[0];
      return first == '$' || first == '*' ? line(in, 0) : -1;
    }
  };

  /** Returns the bytes of the answer at the buffer's start; -1 while it has not all come. */
  abstract int end(ByteBuffer in);

  /** Returns where what was asked for begins; -1 if the answer is an error. */
  abstract int body(ByteBuffer in);

  private static int head(ByteBuffer in) {
    byte[] bytes = in.array();
    for (int i = 3; i < in.position(); i++) {
      if (bytes[i] == '\n' && bytes[i - 2] == '\n') {
        return i + 1;
      }
    }
    return -1;
  }

  private static int line(ByteBuffer in, int from) {
    for (int i = from; i < in.position(); i++) {
      if (in.array()[i] == '\n') {
        return i + 1;
      }
    }
    return -1;
  }

  private static int bulkEnd(ByteBuffer in, int from) {
    int line = line(in, from);
    if (line < 0) {
      return -1;
    }
    int end = line + number(in, from + 1, line - 2) + 2;
    return in.position() < end ? -1 : end;
  }

  private static int number(ByteBuffer in, int from, int to) {
    return Integer.parseInt(new String(in.array(), from, to - from, StandardCharsets.US_ASCII));
  }
}
