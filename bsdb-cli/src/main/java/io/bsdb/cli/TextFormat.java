package io.bsdb.cli;

import io.bsdb.format.SnapshotFormat;
import java.io.IOException;
import java.io.InputStream;

/**
 * One record per line: key, separator, value. Bytes from end to end, so that any encoding survives.
 */
final class TextFormat implements RecordFormat {
  private final byte[] separator;
  private final Encoding encoding;

  TextFormat(byte[] separator, Encoding encoding) {
    this.separator = separator.clone();
    this.encoding = encoding;
  }

  @Override
  public void read(InputStream in, String name, RecordSink sink, BadLines badLines)
      throws IOException {
    Lines.read(in, name, new Records(name, sink, badLines)::line);
  }

  /** The records of one input. */
  private final class Records {
    private final String name;
    private final RecordSink sink;
    private final BadLines badLines;

    Records(String name, RecordSink sink, BadLines badLines) {
      this.name = name;
      this.sink = sink;
      this.badLines = badLines;
    }

    void line(byte[] bytes, int start, int end, long number) throws IOException {
      int keyEnd = ByteSearch.indexOf(bytes, start, end, separator);
      if (keyEnd > start) {
        record(bytes, start, keyEnd - start, keyEnd + separator.length, end, number);
        return;
      }
      String what =
          keyEnd == start
              ? "empty key"
              : "no separator '" + Encoding.excerpt(separator, 0, separator.length) + "'";
      String line = Encoding.excerpt(bytes, start, end - start);
      badLines.found(name, number, "%s in the line: %s".formatted(what, line));
    }

    private void record(
        byte[] bytes, int keyStart, int keyLength, int valueStart, int valueEnd, long number)
        throws IOException {
      int valueLength = valueEnd - valueStart;
      if (encoding == Encoding.UTF8) {
        if (fits(keyLength, valueLength, number)) {
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
      if (fits(key.length, value.length, number)) {
        sink.add(key, 0, key.length, value, 0, value.length, number);
      }
    }

    private boolean fits(int keyLength, int valueLength, long number) {
      return RecordFormat.fits(
              "key", keyLength, SnapshotFormat.MAX_KEY_LENGTH, name, number, badLines)
          && RecordFormat.fits(
              "value", valueLength, SnapshotFormat.MAX_VALUE_LENGTH, name, number, badLines);
    }
  }
}
