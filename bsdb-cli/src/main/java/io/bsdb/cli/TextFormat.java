package io.bsdb.cli;

import io.bsdb.format.SnapshotFormat;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * One record per line: key, separator, value. Bytes from end to end, so that any encoding survives.
 *
 * <p>A line ends with LF. If the first line of an input ends with CR LF, a CR before LF belongs to
 * the line end throughout that input; otherwise a CR is a byte like any other.
 */
final class TextFormat implements RecordFormat {
  private static final int BUFFER = 256 << 10;
  private static final int LONGEST_LINE =
      SnapshotFormat.MAX_KEY_LENGTH + 1024 + 2 * SnapshotFormat.MAX_VALUE_LENGTH;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final byte[] separator;
  private final Encoding encoding;

  TextFormat(byte[] separator, Encoding encoding) {
    this.separator = separator.clone();
    this.encoding = encoding;
  }

  @Override
  public void read(InputStream in, String name, RecordSink sink, BadLines badLines)
      throws IOException {
    Lines lines = new Lines(name, sink, badLines);
    byte[] buffer = new byte[BUFFER];
    int start = 0; // of the line
    int searched = 0; // no line end before it
    int end = 0; // of what was read
    while (true) {
      int newline = indexOf(buffer, searched, end, (byte) '\n');
      if (newline >= 0) {
        lines.line(buffer, start, newline, true);
        start = newline + 1;
        searched = start;
        continue;
      }
      if (start > 0) {
        System.arraycopy(buffer, start, buffer, 0, end - start);
        end -= start;
        start = 0;
      } else if (end == buffer.length) {
        if (end >= LONGEST_LINE) {
          throw CommandFailure.refused(
              "%s:%d: the line is longer than any record".formatted(name, lines.number + 1));
        }
        buffer = Arrays.copyOf(buffer, (int) Math.min(LONGEST_LINE, 2L * end));
      }
      searched = end;
      int read = in.read(buffer, end, buffer.length - end);
      if (read < 0) {
        break;
      }
      end += read;
    }
    if (end > 0) {
      lines.line(buffer, 0, end, false);
    }
  }

  /** The lines of one input. */
  private final class Lines {
    private final String name;
    private final RecordSink sink;
    private final BadLines badLines;
    private long number;
    private boolean carriageReturns;

    Lines(String name, RecordSink sink, BadLines badLines) {
      this.name = name;
      this.sink = sink;
      this.badLines = badLines;
    }

    void line(byte[] bytes, int start, int newline, boolean terminated) throws IOException {
      int end = newline;
      boolean carriageReturn = terminated && end > start && bytes[end - 1] == '\r';
      if (number++ == 0) {
        carriageReturns = carriageReturn;
      }
      if (carriageReturn && carriageReturns) {
        end--;
      }
      int keyEnd = indexOf(bytes, start, end, separator);
      if (keyEnd < 0) {
        badLines.found(
            name,
            number,
            "no separator '%s' in the line: %s"
                .formatted(
                    Encoding.excerpt(separator, 0, separator.length),
                    Encoding.excerpt(bytes, start, end - start)));
      } else if (keyEnd == start) {
        badLines.found(
            name, number, "empty key in the line: " + Encoding.excerpt(bytes, start, end - start));
      } else {
        record(bytes, start, keyEnd - start, keyEnd + separator.length, end);
      }
    }

    private void record(byte[] bytes, int keyStart, int keyLength, int valueStart, int valueEnd)
        throws IOException {
      int valueLength = valueEnd - valueStart;
      if (encoding == Encoding.UTF8) {
        if (fits(keyLength, valueLength)) {
          sink.add(bytes, keyStart, keyLength, bytes, valueStart, valueLength, number);
        }
        return;
      }
      byte[] key;
      byte[] value;
      try {
        key = encoding.decode(bytes, keyStart, keyLength);
        value = encoding.decode(bytes, valueStart, valueLength);
      } catch (IllegalArgumentException e) {
        badLines.found(name, number, "not %s: %s".formatted(encoding.label(), e.getMessage()));
        return;
      }
      if (fits(key.length, value.length)) {
        sink.add(key, 0, key.length, value, 0, value.length, number);
      }
    }

    private boolean fits(int keyLength, int valueLength) {
      if (keyLength > SnapshotFormat.MAX_KEY_LENGTH) {
        badLines.found(
            name,
            number,
            "the key is too long: %,d bytes, at most %,d"
                .formatted(keyLength, SnapshotFormat.MAX_KEY_LENGTH));
        return false;
      }
      if (valueLength > SnapshotFormat.MAX_VALUE_LENGTH) {
        badLines.found(
            name,
            number,
            "the value is too long: %,d bytes, at most %,d"
                .formatted(valueLength, SnapshotFormat.MAX_VALUE_LENGTH));
        return false;
      }
      return true;
    }
  }

  private static int indexOf(byte[] bytes, int from, int to, byte[] wanted) {
    if (wanted.length == 1) {
      return indexOf(bytes, from, to, wanted[0]);
    }
    int last = to - wanted.length;
    for (int i = indexOf(bytes, from, to, wanted[0]);
        i >= 0 && i <= last;
        i = indexOf(bytes, i + 1, to, wanted[0])) {
      if (Arrays.equals(bytes, i, i + wanted.length, wanted, 0, wanted.length)) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Eight bytes at a time: a byte of {@code x} is zero just where the word holds the wanted byte.
   */
  private static int indexOf(byte[] bytes, int from, int to, byte wanted) {
    long pattern = (wanted & 0xFFL) * 0x0101010101010101L;
    int i = from;
    for (; i <= to - Long.BYTES; i += Long.BYTES) {
      long x = (long) LONGS.get(bytes, i) ^ pattern;
      long zeros = (x - 0x0101010101010101L) & ~x & 0x8080808080808080L;
      if (zeros != 0) {
        return i + (Long.numberOfTrailingZeros(zeros) >> 3);
      }
    }
    for (; i < to; i++) {
      if (bytes[i] == wanted) {
        return i;
      }
    }
    return -1;
  }
}
