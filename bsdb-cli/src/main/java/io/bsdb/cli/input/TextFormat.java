package io.bsdb.cli.input;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bsdb.cli.output.Encoding;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One record per line: key, separator, value. Or one change: an {@link Operation}, a separator, and
 * a record or the key to delete. Bytes from end to end, so that any encoding survives.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record TextFormat(byte[] separator, Encoding encoding, Content content)
    implements RecordFormat {
  /** Whether lines are records or changes. */
  public enum Content {
    RECORDS,
    CHANGES
  }

  public static TextFormat records(byte[] separator, Encoding encoding) {
    return new TextFormat(separator, encoding, Content.RECORDS);
  }

  public static TextFormat changes(byte[] separator, Encoding encoding) {
    return new TextFormat(separator, encoding, Content.CHANGES);
  }

  @Override
  public void read(InputFile file, AtomicLong stored, Sink sink, BadLines badLines)
      throws IOException {
    try (InputStream in = file.open(stored)) {
      Records records = new Records(file.name(), sink, badLines);
      Lines.read(in, file.name(), content == Content.RECORDS ? records::line : records::change);
    }
  }

  /** The records or changes of one input. */
  private final class Records {
    private final String name;
    private final Sink sink;
    private final BadLines badLines;

    Records(String name, Sink sink, BadLines badLines) {
      this.name = name;
      this.sink = sink;
      this.badLines = badLines;
    }

    void change(byte[] bytes, int start, int end, long number) throws IOException {
      int found = ByteSearch.indexOf(bytes, start, end, separator);
      int wordEnd = found < 0 ? end : found;
      int next = Math.min(end, wordEnd + separator.length);
      Operation operation;
      try {
        operation = Operation.of(new String(bytes, start, wordEnd - start, UTF_8));
      } catch (IllegalArgumentException e) {
        refuse(String.valueOf(e.getMessage()), bytes, start, end, number);
        return;
      }
      if (operation == Operation.PUT) {
        record(bytes, start, next, end, number);
      } else if (next == end) {
        refuse("no key to delete", bytes, start, end, number);
      } else if (ByteSearch.indexOf(bytes, next, end, separator) >= 0) {
        refuse("more than a key to delete", bytes, start, end, number);
      } else {
        delete(bytes, next, end, number);
      }
    }

    private void delete(byte[] bytes, int start, int end, long number) throws IOException {
      byte[] key;
      try {
        key = encoding.decode(bytes, start, end - start);
      } catch (IllegalArgumentException e) {
        notEncoded(number, e);
        return;
      }
      if (RecordFormat.fit(key.length, 0, name, number, badLines)) {
        sink.delete(key, 0, key.length, number);
      }
    }

    void line(byte[] bytes, int start, int end, long number) throws IOException {
      record(bytes, start, start, end, number);
    }

    private void record(byte[] bytes, int lineStart, int start, int end, long number)
        throws IOException {
      int keyEnd = ByteSearch.indexOf(bytes, start, end, separator);
      if (keyEnd > start) {
        record(bytes, start, keyEnd - start, keyEnd + separator.length, end, number);
        return;
      }
      String what =
          keyEnd == start
              ? "empty key"
              : "no separator '" + Encoding.excerpt(separator, 0, separator.length) + "'";
      refuse(what, bytes, lineStart, end, number);
    }

    private void refuse(String what, byte[] bytes, int start, int end, long number) {
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
        notEncoded(number, e);
        return;
      }
      if (RecordFormat.fit(key.length, value.length, name, number, badLines)) {
        sink.add(key, 0, key.length, value, 0, value.length, number);
      }
    }

    private void notEncoded(long number, IllegalArgumentException e) {
      badLines.found(name, number, "not %s: %s".formatted(encoding.label(), e.getMessage()));
    }
  }
}
