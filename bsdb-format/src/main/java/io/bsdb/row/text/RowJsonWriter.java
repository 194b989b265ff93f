package io.bsdb.row.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.row.ArrayView;
import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.row.ColumnType.Kind;
import io.bsdb.row.FieldView;
import io.bsdb.row.KeyView;
import io.bsdb.row.MapView;
import io.bsdb.row.RowLayout;
import io.bsdb.row.RowView;
import io.bsdb.row.Schema;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes keys and rows of a table as JSON objects, as {@code docs/FORMAT.md} specifies under "Rows
 * and keys as JSON". {@link ValueParser} reads what this writes.
 *
 * <p>Damaged bytes throw {@link UncheckedIOException} caused by {@link CorruptSnapshotException}.
 *
 * <p>Immutable and safe for use by many threads.
 */
public final class RowJsonWriter {
  /** The member that holds the bytes of a text that is not UTF-8. */
  static final String MALFORMED = "malformedUtf8";

  private static final JsonFactory FACTORY = new JsonFactory();
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Schema schema;
  private final RowLayout layout;

  private RowJsonWriter(Schema schema) {
    this.schema = schema;
    this.layout = RowLayout.ofValues(schema);
  }

  /** Returns a writer for keys and rows of this schema. */
  public static RowJsonWriter of(Schema schema) {
    return new RowJsonWriter(schema);
  }

  /** Returns a row, its key included, such as <code>{"id": 7, "name": "Bern"}</code>. */
  public String row(byte[] key, byte[] value) {
    return text(out -> writeRow(out, key, value));
  }

  /** Returns a key, such as <code>{"country": "DE", "number": 4711}</code>. */
  public String key(byte[] key) {
    return text(out -> writeKey(out, key));
  }

  /** Writes a row with all its columns, in declared order. */
  public void writeRow(JsonGenerator out, byte[] key, byte[] value) throws IOException {
    KeyView keyView = KeyView.of(schema).wrap(key);
    RowView valueView = new RowView(layout).wrap(value);
    List<Column> columns = schema.columns();
    out.writeStartObject();
    for (int i = 0; i < columns.size(); i++) {
      out.writeFieldName(columns.get(i).name());
      int keyPosition = schema.keyPosition(i);
      if (keyPosition >= 0) {
        write(out, keyView, keyPosition);
      } else {
        write(out, valueView, schema.valuePosition(i));
      }
    }
    out.writeEndObject();
  }

  /** Writes the columns of a key, in key order. */
  public void writeKey(JsonGenerator out, byte[] key) throws IOException {
    writeFields(out, KeyView.of(schema).wrap(key), schema.keyColumns());
  }

  private static void writeFields(JsonGenerator out, FieldView view, List<Column> fields)
      throws IOException {
    out.writeStartObject();
    for (int i = 0; i < view.size(); i++) {
      out.writeFieldName(fields.get(i).name());
      write(out, view, i);
    }
    out.writeEndObject();
  }

  private static void write(JsonGenerator out, FieldView view, int i) throws IOException {
    if (view.isNull(i)) {
      out.writeNull();
      return;
    }
    ColumnType type = view.type(i);
    switch (type.kind()) {
      case ARRAY -> writeArray(out, view.arrayAt(i));
      case MAP -> writeMap(out, view.mapAt(i), type.keyType().kind());
      case ROW -> writeFields(out, view.rowAt(i), type.fields());
      default -> writeScalar(out, view, i, type.kind());
    }
  }

  private static void writeScalar(JsonGenerator out, FieldView view, int i, Kind kind)
      throws IOException {
    String text = scalar(view, i);
    if (text == null) {
      out.writeStartObject();
      out.writeFieldName(MALFORMED);
      out.writeBinary(view.bytesAt(i));
      out.writeEndObject();
      return;
    }
    switch (kind) {
      case BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, DECIMAL -> out.writeRawValue(text);
      case FLOAT, DOUBLE -> {
        if (Character.isDigit(text.charAt(text.length() - 1))) {
          out.writeRawValue(text);
        } else {
          out.writeString(text);
        }
      }
      default -> out.writeString(text);
    }
  }

  private static void writeArray(JsonGenerator out, ArrayView array) throws IOException {
    out.writeStartArray();
    for (int i = 0; i < array.size(); i++) {
      write(out, array, i);
    }
    out.writeEndArray();
  }

  private static void writeMap(JsonGenerator out, MapView map, Kind keyKind) throws IOException {
    List<String> names = names(map.keys(), keyKind);
    if (names == null) {
      out.writeStartArray();
    } else {
      out.writeStartObject();
    }
    for (int i = 0; i < map.size(); i++) {
      if (names != null) {
        out.writeFieldName(names.get(i));
        write(out, map.values(), i);
      } else {
        out.writeStartArray();
        write(out, map.keys(), i);
        write(out, map.values(), i);
        out.writeEndArray();
      }
    }
    if (names == null) {
      out.writeEndArray();
    } else {
      out.writeEndObject();
    }
  }

  /** Returns the keys as names of an object; null if they cannot all be told apart as such. */
  private static @Nullable List<String> names(ArrayView keys, Kind kind) {
    List<String> names = new ArrayList<>(keys.size());
    Set<String> distinct = new HashSet<>();
    for (int i = 0; i < keys.size(); i++) {
      String name = kind.isKeyable() && !keys.isNull(i) ? scalar(keys, i) : null;
      if (name == null || !distinct.add(name)) {
        return null;
      }
      names.add(name);
    }
    return names;
  }

  /** Returns a value that is neither null nor nested as text; null if it is malformed text. */
  private static @Nullable String scalar(FieldView view, int i) {
    Kind kind = view.type(i).kind();
    return switch (kind) {
      case CHAR, VARCHAR -> wellFormed(view, i);
      case BINARY, VARBINARY -> Base64.getEncoder().encodeToString(view.bytesAt(i));
      case BOOLEAN -> String.valueOf(view.booleanAt(i));
      case DECIMAL -> view.decimalAt(i).toPlainString();
      case TINYINT -> String.valueOf(view.byteAt(i));
      case SMALLINT -> String.valueOf(view.shortAt(i));
      case INT -> String.valueOf(view.intAt(i));
      case BIGINT -> String.valueOf(view.longAt(i));
      case FLOAT -> ShortestDecimal.of(view.floatAt(i));
      case DOUBLE -> ShortestDecimal.of(view.doubleAt(i));
      case DATE -> LocalDate.ofEpochDay(view.intAt(i)).toString();
      case TIME -> time(timeOf(view.intAt(i)));
      case TIMESTAMP -> timestamp(view.epochMillisAt(i), view.nanosOfMilliAt(i));
      case TIMESTAMP_LTZ -> timestamp(view.epochMillisAt(i), view.nanosOfMilliAt(i)) + 'Z';
      case ARRAY, MAP, ROW -> throw new IllegalArgumentException(kind + " is no scalar");
    };
  }

  private static @Nullable String wellFormed(FieldView view, int i) {
    String text = view.stringAt(i);
    // Malformed bytes are read as U+FFFD, which a text may also have of its own.
    return text.indexOf('\uFFFD') < 0
            || Arrays.equals(text.getBytes(StandardCharsets.UTF_8), view.bytesAt(i))
        ? text
        : null;
  }

  private static LocalTime timeOf(int millisOfDay) {
    try {
      return LocalTime.ofNanoOfDay(millisOfDay * NANOS_PER_MILLI);
    } catch (DateTimeException e) {
      throw new UncheckedIOException(
          new CorruptSnapshotException("time: " + millisOfDay + " milliseconds of the day", e));
    }
  }

  private static String timestamp(long epochMillis, int nanosOfMilli) {
    LocalDateTime time =
        LocalDateTime.ofEpochSecond(
            Math.floorDiv(epochMillis, 1000L),
            (int) (Math.floorMod(epochMillis, 1000L) * NANOS_PER_MILLI) + nanosOfMilli,
            ZoneOffset.UTC);
    return time.toLocalDate() + "T" + time(time.toLocalTime());
  }

  /** Java leaves seconds out that are zero. */
  private static String time(LocalTime time) {
    String text = time.toString();
    return text.length() == "HH:mm".length() ? text + ":00" : text;
  }

  /** Writes to a generator. */
  @FunctionalInterface
  private interface Writing {
    void to(JsonGenerator out) throws IOException;
  }

  private static String text(Writing writing) {
    var text = new StringWriter();
    try (JsonGenerator out = FACTORY.createGenerator(text)) {
      writing.to(out.setPrettyPrinter(new Spaced()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  /** One line with a space after each comma and colon. */
  private static final class Spaced extends MinimalPrettyPrinter {
    private static final long serialVersionUID = 1L;

    @Override
    public void writeObjectFieldValueSeparator(JsonGenerator out) throws IOException {
      out.writeRaw(": ");
    }

    @Override
    public void writeObjectEntrySeparator(JsonGenerator out) throws IOException {
      out.writeRaw(", ");
    }

    @Override
    public void writeArrayValueSeparator(JsonGenerator out) throws IOException {
      out.writeRaw(", ");
    }
  }
}
