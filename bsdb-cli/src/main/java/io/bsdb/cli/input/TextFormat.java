package io.bsdb.cli.input;

import io.bsdb.cli.output.Encoding;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One record per line: key, separator, value. Bytes from end to end, so that any encoding survives.
 */
public final class TextFormat implements RecordFormat {
  private final byte[] separator;
  private final Encoding encoding;

  public TextFormat(byte[] separator, Encoding encoding) {
    this.separator = separator.clone();
    this.encoding = encoding;
  }

  @Override
  public void read(InputFile file, AtomicLong stored, Sink sink, BadLines badLines)
      throws IOException {
    try (InputStream in = file.open(stored)) {
      Lines.read(in, file.name(), new Records(file.name(), sink, badLines)::line);
    }
  }

  /** The records of one input. */
  private final class Records {
    private final String name;
    private final Sink sink;
    private final BadLines badLines;

    Records(String name, Sink sink, BadLines badLines) {
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
        if (RecordFormat.fit(keyLength, valueLength, name, number, badLines)) {
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
      if (RecordFormat.fit(key.length, value.length, name, number, badLines)) {
        sink.add(key, 0, key.length, value, 0, value.length, number);
      }
    }
  }
}
