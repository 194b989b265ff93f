package io.bsdb.cli.output;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Excerpt;
import io.bsdb.format.LentBytes;
import io.bsdb.row.Column;
import io.bsdb.row.ColumnType.Kind;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.row.text.RowJsonWriter;
import io.bsdb.row.text.ValueParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Keys and values of a table as people read and write them. */
public sealed interface RecordText {
  /**
   * Returns the key that a text stands for.
   *
   * @throws CommandFailure if it stands for none
   */
  byte[] parseKey(String text);

  /** Returns the key that a line stands for. Throws what {@link #parseKey(String)} throws. */
  default byte[] parseKey(byte[] line) {
    return parseKey(text(line));
  }

  /**
   * Returns the text of a line.
   *
   * @throws CommandFailure if it is not UTF-8
   */
  static String text(byte[] line) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
    } catch (CharacterCodingException e) {
      throw CommandFailure.usage(
          "key '%s' is malformed UTF-8".formatted(Encoding.excerpt(line, 0, line.length)));
    }
  }

  /**
   * Returns the bytes with which keys begin that begin with a text: in a table with a schema, with
   * the values of some leading columns.
   *
   * @throws CommandFailure if it stands for none
   */
  byte[] parsePrefix(String text);

  /**
   * Returns the time that a text stands for, as the last column of the key has it.
   *
   * @throws CommandFailure if that is no time, or the text stands for none
   */
  Instant parseTime(String text);

  /** Returns a key to be printed: in a table with a schema, a JSON object of its columns. */
  byte[] key(byte[] key);

  /**
   * Returns the value that a text stands for: in a table with a schema, the row as a JSON object.
   *
   * @param key as for {@link #parseKey}; the row may repeat its columns
   * @throws CommandFailure if it stands for none
   */
  byte[] parseValue(String key, String text);

  /** Returns a value to be printed: in a table with a schema, the row. */
  byte[] value(byte[] key, byte[] value);

  /** Returns a value that is lent, to be printed; as {@link #value(byte[], byte[])}. */
  default byte[] value(byte[] key, LentBytes bytes, int offset, int length) {
    return value(key, bytes.copy(offset, length));
  }

  /** Returns what is printed in place of a key or value that there is not. */
  byte[] none();

  /** Returns a record as a line: the row, or key, tab and value. */
  byte[] line(byte[] key, byte[] value);

  /** Returns a record as a JSON object. */
  byte[] json(byte[] key, byte[] value);

  /** Returns the names of the members of {@link #json} as the header of a CSV file. */
  String header();

  /** Returns the text of all rows of a history, ended ones included. */
  RecordText withEnded();

  /**
   * Returns that of a table.
   *
   * @param encoding of plain bytes; null if the user gave none
   */
  static RecordText of(@Nullable Schema schema, @Nullable Encoding encoding) {
    if (schema == null) {
      return new Plain(encoding == null ? Encoding.UTF8 : encoding);
    }
    if (encoding != null) {
      throw CommandFailure.usage(
          "--encoding is for tables without a schema; the key of this one is "
              + schema.keyColumns());
    }
    return new Typed(RowCodec.of(schema), RowJsonWriter.of(schema));
  }

  /** Text of the records of a table of plain bytes. */
  record Plain(Encoding encoding) implements RecordText {
    @Override
    public byte[] parseKey(String text) {
      return parse("key", text);
    }

    @Override
    public byte[] parseKey(byte[] line) {
      return encoding == Encoding.UTF8 ? line.clone() : RecordText.super.parseKey(line);
    }

    @Override
    public byte[] parseValue(String key, String text) {
      return parse("value", text);
    }

    @Override
    public byte[] parsePrefix(String text) {
      return parse("prefix", text);
    }

    @Override
    public Instant parseTime(String text) {
      throw CommandFailure.usage("the table has no schema, so its keys have no time");
    }

    @Override
    public String header() {
      return "key,value";
    }

    @Override
    public RecordText withEnded() {
      return this;
    }

    @Override
    public byte[] key(byte[] key) {
      return encoding.encode(key);
    }

    private byte[] parse(String what, String text) {
      try {
        return encoding.decode(text);
      } catch (IllegalArgumentException e) {
        throw CommandFailure.usage(
            "%s '%s' is not %s: %s".formatted(what, text, encoding.label(), e.getMessage()));
      }
    }

    @Override
    public byte[] value(byte[] key, byte[] value) {
      return encoding.encode(value);
    }

    @Override
    public byte[] none() {
      return new byte[0];
    }

    @Override
    public byte[] line(byte[] key, byte[] value) {
      byte[] keyText = encoding.encode(key);
      byte[] valueText = encoding.encode(value);
      return ByteBuffer.allocate(keyText.length + 1 + valueText.length)
          .put(keyText)
          .put((byte) '\t')
          .put(valueText)
          .array();
    }

    @Override
    public byte[] json(byte[] key, byte[] value) {
      Report record = new Report().add("key", text(key)).add("value", text(value));
      return Report.json(record.asMap()).strip().getBytes(StandardCharsets.UTF_8);
    }

    private String text(byte[] bytes) {
      try {
        return StandardCharsets.UTF_8
            .newDecoder()
            .decode(ByteBuffer.wrap(encoding.encode(bytes)))
            .toString();
      } catch (CharacterCodingException e) {
        throw CommandFailure.refused(
            "not UTF-8, so no JSON text: the %d bytes %s; print them with --encoding hex or base64"
                .formatted(bytes.length, start(bytes)));
      }
    }

    private static String start(byte[] bytes) {
      String hex = HexFormat.of().formatHex(bytes, 0, Math.min(16, bytes.length));
      return bytes.length > 16 ? hex + "..." : hex;
    }
  }

  /** Text of the records of a table with a schema. */
  record Typed(RowCodec codec, RowJsonWriter writer) implements RecordText {
    @Override
    public byte[] parseKey(String text) {
      List<Column> columns = codec.schema().keyColumns();
      try {
        return codec.encodeKey(ValueParser.parseKey(columns, text));
      } catch (IllegalArgumentException e) {
        throw CommandFailure.usage("key '%s': %s".formatted(text, e.getMessage()));
      }
    }

    @Override
    public byte[] parsePrefix(String text) {
      List<Column> columns = codec.schema().keyColumns();
      try {
        return codec.encodeKeyPrefix(ValueParser.parsePrefix(columns, text));
      } catch (IllegalArgumentException e) {
        throw CommandFailure.usage("prefix '%s': %s".formatted(text, e.getMessage()));
      }
    }

    @Override
    public Instant parseTime(String text) {
      Column column = codec.schema().keyColumns().get(codec.schema().keyColumns().size() - 1);
      Kind kind = column.type().kind();
      if (kind != Kind.TIMESTAMP && kind != Kind.TIMESTAMP_LTZ) {
        throw CommandFailure.usage(
            "--as-of needs a key that ends in a TIMESTAMP or TIMESTAMP_LTZ, actual " + column);
      }
      try {
        Object value = ValueParser.parse(column, text);
        return value instanceof LocalDateTime local
            ? local.toInstant(ZoneOffset.UTC)
            : (Instant) value;
      } catch (IllegalArgumentException e) {
        String zone = kind == Kind.TIMESTAMP_LTZ ? "Z" : "";
        throw CommandFailure.usage(
            "time '%s': %s, expected like 2026-05-17T09:30:00%s"
                .formatted(text, e.getMessage(), zone));
      }
    }

    @Override
    public String header() {
      String ended = writer.endedMember();
      return CsvText.header(codec.schema()) + (ended == null ? "" : "," + ended);
    }

    @Override
    public RecordText withEnded() {
      return new Typed(codec, writer.withEnded());
    }

    @Override
    public byte[] key(byte[] key) {
      return json(key, () -> writer.key(key));
    }

    /** Adds the key to the message about a row that its bytes do not make. */
    private static byte[] json(byte[] key, Supplier<String> text) {
      try {
        return text.get().getBytes(StandardCharsets.UTF_8);
      } catch (UncheckedIOException e) {
        throw new UncheckedIOException(
            new CorruptSnapshotException(
                "row does not fit the schema: key=%s: %s; 'bsdb verify' names the file"
                    .formatted(Excerpt.of(HexFormat.of().formatHex(key)), e.getMessage()),
                e));
      }
    }

    @Override
    public byte[] parseValue(String key, String text) {
      try (JsonParser in = ValueParser.JSON.createParser(text)) {
        return encodeRow(ValueParser.parseKey(codec.schema().keyColumns(), key), in);
      } catch (JsonProcessingException e) {
        throw CommandFailure.usage(
            "row '%s': not JSON: %s".formatted(text, ValueParser.problem(e)));
      } catch (IllegalArgumentException e) {
        throw CommandFailure.usage("row '%s': %s".formatted(text, e.getMessage()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private byte[] encodeRow(Object[] key, JsonParser in) throws IOException {
      if (in.nextToken() != JsonToken.START_OBJECT) {
        throw new IllegalArgumentException("not a JSON object");
      }
      Schema schema = codec.schema();
      byte[] expected = codec.encodeKey(key);
      @Nullable Object[] keyValues = key.clone();
      @Nullable Object[] values = new Object[schema.valueColumns().size()];
      List<String> names = schema.columns().stream().map(Column::name).toList();
      Set<String> missing = new LinkedHashSet<>();
      schema.valueColumns().forEach(column -> missing.add(column.name()));
      while (in.nextToken() != JsonToken.END_OBJECT) {
        String name = in.currentName();
        int column = names.indexOf(name);
        if (column < 0) {
          throw new IllegalArgumentException(
              "no column '%s'; the table has %s".formatted(name, names));
        }
        in.nextToken();
        Object value = ValueParser.read(schema.columns().get(column), in);
        if (schema.keyPosition(column) >= 0) {
          keyValues[schema.keyPosition(column)] = value;
        } else {
          values[schema.valuePosition(column)] = value;
        }
        missing.remove(name);
      }
      if (in.nextToken() != null) {
        throw new IllegalArgumentException("not JSON: more follows the object");
      }
      if (!missing.isEmpty()) {
        throw new IllegalArgumentException("columns are missing: " + missing);
      }
      if (!Arrays.equals(codec.encodeKey(keyValues), expected)) {
        throw new IllegalArgumentException("it has another key");
      }
      return codec.encodeValue(values);
    }

    @Override
    public byte[] none() {
      return "null".getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] value(byte[] key, byte[] value) {
      return json(key, () -> writer.row(key, value));
    }

    @Override
    public byte[] value(byte[] key, LentBytes bytes, int offset, int length) {
      return json(key, () -> writer.row(key, bytes, offset, length));
    }

    @Override
    public byte[] line(byte[] key, byte[] value) {
      return value(key, value);
    }

    @Override
    public byte[] json(byte[] key, byte[] value) {
      return value(key, value);
    }
  }
}
