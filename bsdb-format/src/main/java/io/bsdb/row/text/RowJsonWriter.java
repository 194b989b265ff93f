package io.bsdb.row.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import io.bsdb.format.LentBytes;
import io.bsdb.format.io.IOConsumer;
import io.bsdb.format.row.LittleEndian;
import io.bsdb.row.ArrayView;
import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.row.FieldView;
import io.bsdb.row.KeyView;
import io.bsdb.row.MapView;
import io.bsdb.row.RowLayout;
import io.bsdb.row.RowView;
import io.bsdb.row.Schema;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Writes keys and rows of a table as JSON objects, as {@code docs/FORMAT.md} specifies under "Rows
 * and keys as JSON". {@link ValueParser} reads what this writes.
 *
 * <p>Damaged bytes throw {@link UncheckedIOException} caused by {@link
 * io.bsdb.format.CorruptSnapshotException}.
 *
 * <p>Immutable and safe for use by many threads.
 */
public final class RowJsonWriter {
  /** The member that holds the bytes of a text that is not UTF-8. */
  static final String MALFORMED = "malformedUtf8";

  private static final String ENDED = "ended";

  /** All whole numbers up to this one are exact in floating point. */
  private static final long MAX_EXACT = 1L << 53;

  private static final JsonFactory FACTORY = new JsonFactory();

  private final Schema schema;
  private final RowLayout layout;

  /** The positions of the columns that rows are written with. */
  private final int[] columns;

  /** The members of rows, one per such column. */
  private final Member[] members;

  private final boolean longNumbersAsText;

  /** The member that shows whether a row is ended; null if there are no ended rows. */
  private final @Nullable String ended;

  /** How a value is written. */
  private enum Form {
    INT,
    LONG,
    DECIMAL,
    TEXT,
    ARRAY,
    MAP,
    ROW,
    OTHER;

    static Form of(ColumnType type, boolean longNumbersAsText) {
      boolean isNumber = !longNumbersAsText && !type.isAddress();
      return switch (type.kind()) {
        case INT -> INT;
        case BIGINT -> isNumber ? LONG : OTHER;
        case DECIMAL -> isNumber ? DECIMAL : OTHER;
        case CHAR, VARCHAR -> TEXT;
        case ARRAY -> ARRAY;
        case MAP -> MAP;
        case ROW -> ROW;
        default -> OTHER;
      };
    }
  }

  /** A column of rows: its name, where its values are, and how they are written. */
  private record Member(SerializedString name, boolean ofKey, int position, Form form) {
    static Member of(Schema schema, int column, boolean longNumbersAsText) {
      Column of = schema.columns().get(column);
      int keyPosition = schema.keyPosition(column);
      boolean ofKey = keyPosition >= 0;
      return new Member(
          new SerializedString(of.name()),
          ofKey,
          ofKey ? keyPosition : schema.valuePosition(column),
          Form.of(of.type(), longNumbersAsText));
    }
  }

  private RowJsonWriter(
      Schema schema, int[] columns, boolean longNumbersAsText, @Nullable String ended) {
    this.schema = schema;
    this.layout = RowLayout.ofValues(schema);
    this.columns = columns;
    this.members =
        Arrays.stream(columns)
            .mapToObj(i -> Member.of(schema, i, longNumbersAsText))
            .toArray(Member[]::new);
    this.longNumbersAsText = longNumbersAsText;
    this.ended = ended;
  }

  /** Returns a writer for keys and rows of this schema. */
  public static RowJsonWriter of(Schema schema) {
    int[] all = IntStream.range(0, schema.columns().size()).toArray();
    return new RowJsonWriter(schema, all, false, null);
  }

  /**
   * Returns a writer of rows with some of their columns, in declared order.
   *
   * @throws IllegalArgumentException if the table does not have one of them
   */
  public RowJsonWriter columns(Collection<String> names) {
    int[] positions = names.stream().mapToInt(schema::position).sorted().distinct().toArray();
    return new RowJsonWriter(schema, positions, longNumbersAsText, ended);
  }

  /**
   * Returns a writer that writes numbers as strings which programs with floating-point numbers
   * would change: DECIMAL, and BIGINT beyond 2^53.
   */
  public RowJsonWriter longNumbersAsText() {
    return new RowJsonWriter(schema, columns, true, ended);
  }

  /**
   * Returns a writer of all rows of a history: an ended one has null in the columns outside of the
   * key. {@link #endedMember} follows the columns of each row.
   */
  public RowJsonWriter withEnded() {
    List<String> names = schema.columns().stream().map(Column::name).toList();
    return new RowJsonWriter(schema, columns, longNumbersAsText, endedMember(names));
  }

  /** Returns what {@link #endedMember()} is beside columns of these names. */
  public static String endedMember(Collection<String> columns) {
    return columns.contains(ENDED) ? "_" + ENDED : ENDED;
  }

  /** Returns what {@link #endedMember()} is if it is one of these columns. */
  public static String endedColumn(Collection<String> columns) {
    String beside = endedMember(columns);
    return columns.contains(beside) ? beside : ENDED;
  }

  /**
   * Returns the name of the member that shows whether a row is ended, {@code ended} unless a column
   * has that name; null if this writer does not expect ended rows.
   */
  public @Nullable String endedMember() {
    return ended;
  }

  /** Returns a row, its key included, such as <code>{"id": 7, "name": "Bern"}</code>. */
  public String row(byte[] key, byte[] value) {
    return text(out -> writeRow(out, key, value));
  }

  /** Returns a key, such as <code>{"country": "DE", "number": 4711}</code>. */
  public String key(byte[] key) {
    return text(out -> writeKey(out, key));
  }

  /** Returns a row whose value is lent. */
  public String row(byte[] key, LentBytes bytes, int offset, int length) {
    return text(out -> writeRow(out, key, bytes, offset, length));
  }

  /** Writes a row whose value is lent, with its columns in declared order. */
  public void writeRow(JsonGenerator out, byte[] key, LentBytes bytes, int offset, int length)
      throws IOException {
    writeRow(out, key, new RowView(layout).wrap(bytes, offset, length));
  }

  /** Writes a row with its columns in declared order. */
  public void writeRow(JsonGenerator out, byte[] key, byte[] value) throws IOException {
    boolean isEnded = ended != null && RowLayout.isEnded(value);
    writeRow(out, key, isEnded ? null : new RowView(layout).wrap(value));
  }

  /**
   * @param valueView null for an ended row
   */
  private void writeRow(JsonGenerator out, byte[] key, @Nullable RowView valueView)
      throws IOException {
    KeyView keyView = KeyView.of(schema).wrap(key);
    out.writeStartObject();
    for (Member member : members) {
      out.writeFieldName(member.name);
      if (member.ofKey) {
        write(out, keyView, member.position, member.form);
      } else if (valueView == null) {
        out.writeNull();
      } else {
        write(out, valueView, member.position, member.form);
      }
    }
    if (ended != null) {
      out.writeBooleanField(ended, valueView == null);
    }
    out.writeEndObject();
  }

  /** Writes the columns of a key, in key order. */
  public void writeKey(JsonGenerator out, byte[] key) throws IOException {
    writeFields(out, KeyView.of(schema).wrap(key), schema.keyColumns());
  }

  private void writeFields(JsonGenerator out, FieldView view, List<Column> fields)
      throws IOException {
    out.writeStartObject();
    for (int i = 0; i < view.size(); i++) {
      out.writeFieldName(fields.get(i).name());
      write(out, view, i);
    }
    out.writeEndObject();
  }

  private void write(JsonGenerator out, FieldView view, int i) throws IOException {
    write(out, view, i, Form.of(view.type(i), longNumbersAsText));
  }

  private void write(JsonGenerator out, FieldView view, int i, Form form) throws IOException {
    if (view.isNull(i)) {
      out.writeNull();
      return;
    }
    switch (form) {
      case INT -> out.writeNumber(view.intAt(i));
      case LONG -> out.writeNumber(view.longAt(i));
      case DECIMAL -> out.writeNumber(plain(view.decimalAt(i)));
      case TEXT -> writeText(out, view, i);
      case ARRAY -> writeArray(out, view.arrayAt(i));
      case MAP -> writeMap(out, view.mapAt(i));
      case ROW -> writeFields(out, view.rowAt(i), view.type(i).fields());
      case OTHER -> writeScalar(out, view, i);
    }
  }

  private void writeArray(JsonGenerator out, ArrayView array) throws IOException {
    out.writeStartArray();
    for (int k = 0; k < array.size(); k++) {
      write(out, array, k);
    }
    out.writeEndArray();
  }

  private void writeText(JsonGenerator out, FieldView view, int i) throws IOException {
    if (out.getOutputTarget() instanceof OutputStream) {
      byte[] ascii = view.bytesAt(i);
      if (isAscii(ascii)) {
        out.writeUTF8String(ascii, 0, ascii.length);
        return;
      }
    }
    writeScalar(out, view, i);
  }

  private void writeScalar(JsonGenerator out, FieldView view, int i) throws IOException {
    ColumnType type = view.type(i);
    Object value = Objects.requireNonNull(view.valueAt(i));
    String text = scalar(view, i, value);
    if (text == null) {
      out.writeStartObject();
      out.writeFieldName(MALFORMED);
      out.writeBinary(view.bytesAt(i));
      out.writeEndObject();
    } else if (value instanceof Boolean
        || (value instanceof Number
            && (!type.isAddress() || text.indexOf('.') < 0)
            && Character.isDigit(text.charAt(text.length() - 1))
            && !(longNumbersAsText && isLong(value)))) {
      out.writeRawValue(text);
    } else {
      out.writeString(text); // NaN and infinities too
    }
  }

  private static boolean isAscii(byte[] text) {
    int at = 0;
    long sum = 0;
    for (; at <= text.length - Long.BYTES; at += Long.BYTES) {
      sum |= LittleEndian.getLong(text, at);
    }
    for (; at < text.length; at++) {
      sum |= text[at];
    }
    return (sum & 0x8080_8080_8080_8080L) == 0;
  }

  private static boolean isLong(Object value) {
    return value instanceof BigDecimal
        || (value instanceof Long number && (number > MAX_EXACT || number < -MAX_EXACT));
  }

  private void writeMap(JsonGenerator out, MapView map) throws IOException {
    List<String> names = names(map.keys());
    if (names != null) {
      out.writeStartObject();
      for (int i = 0; i < map.size(); i++) {
        out.writeFieldName(names.get(i));
        write(out, map.values(), i);
      }
      out.writeEndObject();
      return;
    }
    out.writeStartArray();
    for (int i = 0; i < map.size(); i++) {
      out.writeStartArray();
      write(out, map.keys(), i);
      write(out, map.values(), i);
      out.writeEndArray();
    }
    out.writeEndArray();
  }

  /** Returns the keys as names of an object; null if they are nested or two names are the same. */
  private static @Nullable List<String> names(ArrayView keys) {
    if (!keys.elementType().kind().isKeyable()) {
      return null;
    }
    List<String> names = new ArrayList<>(keys.size());
    for (int i = 0; i < keys.size(); i++) {
      Object key = keys.valueAt(i);
      String name = key == null ? null : scalar(keys, i, key);
      if (name == null) {
        return null;
      }
      names.add(name);
    }
    return new HashSet<>(names).size() < names.size() ? null : names;
  }

  /**
   * Returns the text of a value that is neither null nor nested; null if it is malformed text.
   *
   * @param value as {@link FieldView#valueAt} returns it
   */
  public static @Nullable String scalar(FieldView view, int i, Object value) {
    if (value instanceof String text) {
      // Malformed bytes are read as U+FFFD, which a text may also have of its own.
      boolean wellFormed =
          text.indexOf('\uFFFD') < 0
              || Arrays.equals(text.getBytes(StandardCharsets.UTF_8), view.bytesAt(i));
      return wellFormed ? text : null;
    }
    if (view.type(i).isAddress()) {
      String address =
          value instanceof byte[] bytes
              ? InternetAddress.text(bytes)
              : InternetAddress.text((Long) value);
      if (address != null) {
        return address;
      }
    }
    if (value instanceof byte[] bytes) {
      return Base64.getEncoder().encodeToString(bytes);
    }
    if (value instanceof BigDecimal decimal) {
      return plain(decimal);
    }
    if (value instanceof Double number) {
      return ShortestDecimal.of(number);
    }
    if (value instanceof Float number) {
      return ShortestDecimal.of(number);
    }
    // Local times leave out seconds that are zero.
    String text = value.toString();
    boolean isLocal = value instanceof LocalTime || value instanceof LocalDateTime;
    return isLocal && text.indexOf(':') == text.lastIndexOf(':') ? text + ":00" : text;
  }

  /** Digits without an exponent. Up to a scale of 6 that is what toString returns, faster. */
  private static String plain(BigDecimal decimal) {
    return decimal.scale() <= 6 ? decimal.toString() : decimal.toPlainString();
  }

  private static String text(IOConsumer<JsonGenerator> writing) {
    var text = new StringWriter();
    try (JsonGenerator out = FACTORY.createGenerator(text)) {
      writing.accept(out.setPrettyPrinter(new Spaced()));
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
