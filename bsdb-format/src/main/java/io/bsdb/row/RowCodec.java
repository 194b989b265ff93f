package io.bsdb.row;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Internal;
import io.bsdb.format.LentBytes;
import io.bsdb.format.symbols.FieldSelection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Turns Java objects into keys and values of a table, and back.
 *
 * <table>
 *   <caption>Java classes of the types</caption>
 *   <tr><th>type</th><th>class</th><th>also accepted when encoding</th></tr>
 *   <tr><td>CHAR, VARCHAR, STRING</td><td>{@link String}</td><td></td></tr>
 *   <tr><td>BOOLEAN</td><td>{@link Boolean}</td><td></td></tr>
 *   <tr><td>BINARY, VARBINARY, BYTES</td><td>{@code byte[]}</td><td></td></tr>
 *   <tr><td>DECIMAL</td><td>{@link java.math.BigDecimal} at the declared scale</td><td>{@code BigInteger}, {@code Long},
 *       {@code Integer}, {@code Short}, {@code Byte}</td></tr>
 *   <tr><td>TINYINT, SMALLINT, INT, BIGINT</td><td>{@link Byte}, {@link Short}, {@link Integer}, {@link Long}</td>
 *       <td>any of the four that is in range</td></tr>
 *   <tr><td>FLOAT</td><td>{@link Float}</td><td></td></tr>
 *   <tr><td>DOUBLE</td><td>{@link Double}</td><td>{@code Float}</td></tr>
 *   <tr><td>DATE</td><td>{@link java.time.LocalDate}</td><td></td></tr>
 *   <tr><td>TIME</td><td>{@link java.time.LocalTime}, whole milliseconds</td><td></td></tr>
 *   <tr><td>TIMESTAMP</td><td>{@link java.time.LocalDateTime}, whole milliseconds up to precision 3</td><td></td></tr>
 *   <tr><td>TIMESTAMP_LTZ</td><td>{@link java.time.Instant}, whole milliseconds up to precision 3</td><td></td></tr>
 *   <tr><td>ARRAY</td><td>{@link List}</td><td></td></tr>
 *   <tr><td>MAP</td><td>{@link Map}</td><td></td></tr>
 *   <tr><td>ROW</td><td>{@link Map} from field name to value</td><td>{@code List} or {@code Object[]} in field
 *       order</td></tr>
 * </table>
 *
 * <p>A value that its column cannot hold exactly throws {@link IllegalArgumentException}: nothing
 * is rounded or cut. Lists and maps that come out are unmodifiable.
 *
 * <p>Immutable and safe for use by many threads. Programs that encode millions of rows avoid boxing
 * with {@link KeyWriter} and {@link RowWriter}.
 */
public final class RowCodec {
  private final Schema schema;
  private final RowLayout layout;

  /** By position in the schema, whether the column may be read; null for all. */
  private final boolean @Nullable [] selected;

  private RowCodec(Schema schema, boolean @Nullable [] selected) {
    this.schema = schema;
    this.layout = RowLayout.ofValues(schema);
    this.selected = selected;
  }

  public static RowCodec of(Schema schema) {
    Objects.requireNonNull(schema, "there is no schema: keys and values are plain bytes");
    return new RowCodec(schema, null);
  }

  /**
   * Returns a codec of whose rows only these columns can be read. It encodes as this one does.
   *
   * @param columns names of columns, of the primary key or not
   * @throws IllegalArgumentException if there is no such column
   */
  public RowCodec selecting(Collection<String> columns) {
    boolean[] chosen = new boolean[schema.columns().size()];
    for (String name : columns) {
      chosen[schema.position(name)] = true;
    }
    return new RowCodec(schema, chosen);
  }

  /** Returns whether the column at a position in the schema may be read. */
  boolean selects(int position) {
    return selected == null || selected[position];
  }

  /** Returns the position of a column that may be read. */
  int position(String name) {
    int position = schema.position(name);
    if (!selects(position)) {
      throw new IllegalArgumentException(
          "column '" + name + "' is not among the columns that were selected");
    }
    return position;
  }

  /**
   * Returns the fields of values that may be read.
   *
   * @hidden
   */
  @Internal
  @SuppressWarnings("exports") // an internal type, to this project only
  public FieldSelection fields() {
    return selected == null
        ? FieldSelection.ALL
        : layout.select(
            IntStream.range(0, schema.columns().size())
                .filter(position -> selects(position) && schema.keyPosition(position) < 0)
                .map(schema::valuePosition)
                .toArray());
  }

  public Schema schema() {
    return schema;
  }

  /** Encodes a key from the values of the primary key's columns, in key order. */
  public byte[] encodeKey(@Nullable Object... values) {
    List<Column> columns = schema.keyColumns();
    if (values.length != columns.size()) {
      throw new IllegalArgumentException(
          "%d values for the primary key %s of %d columns"
              .formatted(values.length, schema.primaryKey(), columns.size()));
    }
    var writer = KeyWriter.of(schema);
    for (int i = 0; i < values.length; i++) {
      FieldEncoder.write(writer, columns.get(i), values[i]);
    }
    return writer.toBytes();
  }

  /**
   * Encodes what all keys begin with whose leading columns have these values; see {@link
   * KeyWriter#toPrefix}.
   *
   * @param values of one or more leading columns of the primary key
   */
  public byte[] encodeKeyPrefix(@Nullable Object... values) {
    List<Column> columns = schema.keyColumns();
    if (values.length < 1 || values.length > columns.size()) {
      throw new IllegalArgumentException(
          "%d values for leading columns of the primary key %s: expected 1 to %d"
              .formatted(values.length, schema.primaryKey(), columns.size()));
    }
    var writer = KeyWriter.of(schema);
    for (int i = 0; i < values.length; i++) {
      FieldEncoder.write(writer, columns.get(i), values[i]);
    }
    return writer.toPrefix();
  }

  /** Encodes a key from a row's named values; names outside the primary key are ignored. */
  public byte[] encodeKey(Map<String, ? extends @Nullable Object> row) {
    var writer = KeyWriter.of(schema);
    for (Column column : schema.keyColumns()) {
      FieldEncoder.write(writer, column, row.get(column.name()));
    }
    return writer.toBytes();
  }

  /**
   * Encodes a value from a row's named values. Names in the primary key are ignored, unknown names
   * an error; columns without a value are null.
   */
  public byte[] encodeValue(Map<String, ? extends @Nullable Object> row) {
    for (String name : row.keySet()) {
      schema.position(name);
    }
    var writer = new RowWriter(layout);
    for (int i = 0; i < layout.columns().size(); i++) {
      FieldEncoder.write(writer, i, row.get(layout.columns().get(i).name()));
    }
    return writer.toBytes();
  }

  /** Encodes a value from the values of the columns outside the primary key, in declared order. */
  public byte[] encodeValue(@Nullable Object... values) {
    var writer = new RowWriter(layout);
    FieldEncoder.writeAll(writer, values);
    return writer.toBytes();
  }

  /**
   * Returns a row over these bytes, which are not copied and must not change. Its columns are
   * decoded when they are asked for.
   *
   * @throws UncheckedIOException caused by {@link CorruptSnapshotException} if key or value cannot
   *     be of this schema
   */
  public Row decode(byte[] key, byte[] value) {
    return new Row(this, KeyView.of(schema).wrap(key), new RowView(layout).wrap(value));
  }

  /**
   * Returns a row over a value that is lent, to be used for as long as it is; as {@link
   * #decode(byte[], byte[])}.
   */
  public Row decode(byte[] key, LentBytes bytes, int offset, int length) {
    return new Row(
        this, KeyView.of(schema).wrap(key), new RowView(layout).wrap(bytes, offset, length));
  }

  /**
   * Decodes every column, nested ones included, and throws if one is damaged, or null in spite of
   * NOT NULL.
   */
  public void verify(byte[] key, byte[] value) throws CorruptSnapshotException {
    try {
      Row row = decode(key, value);
      for (Column column : schema.columns()) {
        if (row.value(column.name()) == null && !column.type().isNullable()) {
          throw new CorruptSnapshotException("column " + column + " is null");
        }
      }
    } catch (UncheckedIOException e) {
      throw damage(e);
    }
  }

  /** Decodes every column of a key, such as that of an ended row, and throws if one is damaged. */
  public void verifyKey(byte[] key) throws CorruptSnapshotException {
    try {
      KeyView view = KeyView.of(schema).wrap(key);
      for (int i = 0; i < view.size(); i++) {
        var unused = view.valueAt(i);
      }
    } catch (UncheckedIOException e) {
      throw damage(e);
    }
  }

  private static CorruptSnapshotException damage(UncheckedIOException e) {
    IOException cause = e.getCause();
    return cause instanceof CorruptSnapshotException corrupt
        ? corrupt
        : new CorruptSnapshotException(String.valueOf(e.getMessage()), e);
  }
}
