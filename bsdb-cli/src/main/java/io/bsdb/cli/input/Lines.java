package io.bsdb.cli.input;

import io.bsdb.cli.output.CommandFailure;
import io.bsdb.format.SnapshotFormat;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Splits an input into lines, as bytes.
 *
 * <p>A line ends with LF. If the first line of an input ends with CR LF, a CR before LF belongs to
 * the line end throughout that input; otherwise a CR is a byte like any other.
 */
public final class Lines {
  private static final int BUFFER = 256 << 10;
  private static final int LONGEST =
      SnapshotFormat.MAX_KEY_LENGTH + 1024 + 2 * SnapshotFormat.MAX_VALUE_LENGTH;

  /** Takes lines. */
  @FunctionalInterface
  public interface Sink {
    /**
     * Takes one line, without its end.
     *
     * @param bytes to be left as they are; they change after the call
     * @param number from 1
     */
    void line(byte[] bytes, int start, int end, long number) throws IOException;
  }

  private final Sink sink;
  private long number;
  private boolean carriageReturns;

  private Lines(Sink sink) {
    this.sink = sink;
  }

  /** Reads an input to its end. */
  public static void read(InputStream in, String name, Sink sink) throws IOException {
    Lines lines = new Lines(sink);
    byte[] buffer = new byte[BUFFER];
    int start = 0; // of the line
    int searched = 0; // no line end before it
    int end = 0; // of what was read
    while (true) {
      int newline = ByteSearch.indexOf(buffer, searched, end, (byte) '\n');
      if (newline >= 0) {
        lines.terminated(buffer, start, newline);
        start = newline + 1;
        searched = start;
        continue;
      }
      if (start > 0) {
        System.arraycopy(buffer, start, buffer, 0, end - start);
        end -= start;
        start = 0;
      } else if (end == buffer.length) {
        if (end >= LONGEST) {
          throw CommandFailure.refused(
              "%s:%d: the line is longer than any record".formatted(name, lines.number + 1));
        }
        buffer = Arrays.copyOf(buffer, (int) Math.min(LONGEST, 2L * end));
      }
      searched = end;
      int read = in.read(buffer, end, buffer.length - end);
      if (read < 0) {
        break;
      }
      end += read;
    }
    if (end > 0) {
      sink.line(buffer, 0, end, ++lines.number);
    }
  }

  private void terminated(byte[] bytes, int start, int newline) throws IOException {
    boolean carriageReturn = newline > start && bytes[newline - 1] == '\r';
    if (number++ == 0) {
      carriageReturns = carriageReturn;
    }
    sink.line(bytes, start, carriageReturn && carriageReturns ? newline - 1 : newline, number);
  }
}
