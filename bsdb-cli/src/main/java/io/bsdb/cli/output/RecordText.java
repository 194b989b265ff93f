package io.bsdb.cli.output;

import io.bsdb.row.Column;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.row.text.RowJsonWriter;
import io.bsdb.row.text.ValueParser;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keys and values of a table as people read and write them. */
public sealed interface RecordText {
  /**
   * Returns the key that a text stands for.
   *
   * @throws CommandFailure if it stands for none
   */
  byte[] parseKey(String text);

  /** Returns a value to be printed: of a row, the row. */
  byte[] value(byte[] key, byte[] value);

  /** Returns a record as a line: the row, or key, tab and value. */
  byte[] line(byte[] key, byte[] value);

  /** Returns a record as a JSON object. */
  byte[] json(byte[] key, byte[] value);

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

  /** Of a table of plain bytes. */
  record Plain(Encoding encoding) implements RecordText {
    @Override
    public byte[] parseKey(String text) {
      try {
        return encoding.decode(text);
      } catch (IllegalArgumentException e) {
        throw CommandFailure.usage(
            "key '%s' is not %s: %s".formatted(text, encoding.label(), e.getMessage()));
      }
    }

    @Override
    public byte[] value(byte[] key, byte[] value) {
      return encoding.encode(value);
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

  /** Of a table with a schema. */
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
    public byte[] value(byte[] key, byte[] value) {
      return writer.row(key, value).getBytes(StandardCharsets.UTF_8);
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
