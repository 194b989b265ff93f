package io.bsdb.row;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.bsdb.format.Excerpt;
import io.bsdb.format.Internal;
import io.bsdb.format.UnsupportedVersionException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a table, in order, and its primary key. Columns of the primary key are never null,
 * whatever their declared type is.
 *
 * <p>A column has up to two positions. Its position among all columns; and its <i>key position</i>
 * (in the order of the primary key) or its <i>value position</i> (among the columns outside the
 * primary key, in declared order). {@link KeyView} and {@link KeyWriter} count key positions,
 * {@link RowView} and {@link RowWriter} value positions.
 *
 * <p>Immutable and safe for use by many threads.
 */
public final class Schema {
  /** Maximum number of columns of a schema. */
  public static final int MAX_COLUMNS = 16_384;

  private final List<Column> columns;
  private final List<String> primaryKey;
  private final Map<String, Integer> positions;
  private final int[] keyPositions; // by column; -1: not in the key
  private final int[] valuePositions; // by column; -1: in the key
  private final List<Column> keyColumns;
  private final List<Column> valueColumns;

  /** By key position; not to be changed. */
  final Storage[] keyStorages;

  /** Bytes of each column in a key, by key position, 0 where they vary; not to be changed. */
  final int[] keyWidths;

  private final KeyEncoding keyEncoding;

  private Schema(List<Column> declared, List<String> primaryKey, KeyEncoding keyEncoding) {
    this.keyEncoding = keyEncoding;
    if (declared.size() > MAX_COLUMNS) {
      throw new IllegalArgumentException(
          "schema has " + declared.size() + " columns, more than " + MAX_COLUMNS);
    }
    this.primaryKey = List.copyOf(primaryKey);
    this.positions = new HashMap<>();
    for (Column column : declared) {
      if (positions.putIfAbsent(column.name(), positions.size()) != null) {
        throw new IllegalArgumentException("duplicate column '" + column.name() + "'");
      }
      if (column.type().toString().length() > ColumnType.MAX_TEXT_LENGTH) {
        throw new IllegalArgumentException(
            "type of column '" + column.name() + "' is too long to be stored");
      }
    }
    Column[] all = declared.toArray(Column[]::new);
    this.keyPositions = keyPositions(all, this.primaryKey);
    this.columns = List.of(all);
    this.valuePositions = new int[all.length];
    this.keyColumns = this.primaryKey.stream().map(name -> columns.get(position(name))).toList();
    this.keyStorages =
        keyColumns.stream().map(column -> Storage.of(column.type())).toArray(Storage[]::new);
    this.keyWidths =
        keyColumns.stream().mapToInt(column -> keyEncoding.width(column.type())).toArray();
    List<Column> outsideKey = new ArrayList<>();
    for (int i = 0; i < all.length; i++) {
      valuePositions[i] = keyPositions[i] >= 0 ? -1 : outsideKey.size();
      if (keyPositions[i] < 0) {
        outsideKey.add(all[i]);
      }
    }
    this.valueColumns = List.copyOf(outsideKey);
  }

  /** Checks the key and makes its columns NOT NULL in {@code columns}. */
  private int[] keyPositions(Column[] columns, List<String> primaryKey) {
    if (primaryKey.isEmpty()) {
      throw new IllegalArgumentException("primary key is empty");
    }
    int[] result = new int[columns.length];
    Arrays.fill(result, -1);
    for (int k = 0; k < primaryKey.size(); k++) {
      String name = primaryKey.get(k);
      int position = positions.getOrDefault(name, -1);
      if (position < 0) {
        throw new IllegalArgumentException("primary key column '" + name + "' is not a column");
      }
      if (result[position] >= 0) {
        throw new IllegalArgumentException("primary key names column '" + name + "' twice");
      }
      ColumnType type = columns[position].type();
      if (!type.kind().isKeyable()) {
        throw new IllegalArgumentException(
            "column '" + name + "' of type " + type + " cannot be in a primary key");
      }
      result[position] = k;
      columns[position] = new Column(name, type.notNull());
    }
    return result;
  }

  /**
   * Returns a schema of these columns.
   *
   * @param primaryKey names of columns, in the order in which the key is encoded
   * @throws IllegalArgumentException on a duplicate or unknown name, an empty key, or a key column
   *     of type ARRAY, MAP or ROW
   */
  public static Schema of(List<Column> columns, List<String> primaryKey) {
    return new Schema(columns, primaryKey, KeyEncoding.PLAIN);
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Collects columns; not safe for use by many threads. */
  public static final class Builder {
    private final List<Column> columns = new ArrayList<>();
    private List<String> primaryKey = List.of();
    private KeyEncoding keyEncoding = KeyEncoding.PLAIN;

    private Builder() {}

    public Builder column(String name, ColumnType type) {
      columns.add(new Column(name, type));
      return this;
    }

    /** Adds a column whose type is given as text, such as {@code DECIMAL(10, 2) NOT NULL}. */
    public Builder column(String name, String type) {
      return column(name, ColumnType.parse(type));
    }

    public Builder primaryKey(String... names) {
      primaryKey = List.of(names);
      return this;
    }

    /** Sets how keys are encoded; plain by default. */
    public Builder keyEncoding(KeyEncoding value) {
      keyEncoding = value;
      return this;
    }

    /** Throws what {@link Schema#of} throws. */
    public Schema build() {
      return new Schema(columns, primaryKey, keyEncoding);
    }
  }

  /** Returns the same columns with another encoding of keys. */
  public Schema withKeyEncoding(KeyEncoding value) {
    return value == keyEncoding ? this : new Schema(columns, primaryKey, value);
  }

  public List<Column> columns() {
    return columns;
  }

  /** Names of the key columns, in key order. */
  public List<String> primaryKey() {
    return primaryKey;
  }

  /** Returns how keys are encoded. */
  public KeyEncoding keyEncoding() {
    return keyEncoding;
  }

  /** Returns the columns of the primary key, in key order: what a key holds. */
  public List<Column> keyColumns() {
    return keyColumns;
  }

  /** Returns the columns outside the primary key, in declared order: what a value holds. */
  public List<Column> valueColumns() {
    return valueColumns;
  }

  /** Returns whether there is a column of this name. */
  public boolean hasColumn(String name) {
    return positions.containsKey(name);
  }

  /** Returns the position of a column; an unknown name throws {@link IllegalArgumentException}. */
  public int position(String name) {
    Integer position = positions.get(name);
    if (position == null) {
      String names = columns.stream().map(Column::name).collect(Collectors.joining(", "));
      throw new IllegalArgumentException(
          "no column '%s'; the columns are %s".formatted(Excerpt.of(name), names));
    }
    return position;
  }

  /** Returns the column of this name; an unknown name throws {@link IllegalArgumentException}. */
  public Column column(String name) {
    return columns.get(position(name));
  }

  /** Returns the position in the key of the column at this position; -1: it is not in the key. */
  public int keyPosition(int position) {
    return keyPositions[position];
  }

  /** Returns the position in the value of the column at this position; -1: it is in the key. */
  public int valuePosition(int position) {
    return valuePositions[position];
  }

  /**
   * Returns the form in the manifest: {@code {"columns": [{"name": …, "type": …}, …], "primaryKey":
   * [name, …]}}, {@code "logicalType"} of columns that have addresses, and {@code "keyEncoding"}
   * unless it is plain.
   *
   * @hidden
   */
  @Internal
  @SuppressWarnings("exports") // Jackson, to this project only
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    var columnArray = json.putArray("columns");
    for (Column column : columns) {
      ObjectNode node = columnArray.addObject();
      node.put("name", column.name()).put("type", column.type().toString());
      if (!column.type().declaration().equals(column.type().toString())) {
        node.put("logicalType", column.type().declaration());
      }
    }
    var keyArray = json.putArray("primaryKey");
    primaryKey.forEach(keyArray::add);
    if (keyEncoding != KeyEncoding.PLAIN) {
      json.put("keyEncoding", keyEncoding.label());
    }
    return json;
  }

  /**
   * Reads what {@link #toJson} wrote; unknown properties are ignored.
   *
   * @param file named in errors
   * @throws IllegalArgumentException naming the part that is missing or malformed
   * @throws UnsupportedVersionException naming the column whose type, or the encoding of keys, that
   *     this library does not have
   * @hidden
   */
  @Internal
  @SuppressWarnings("exports") // Jackson, to this project only
  public static Schema fromJson(JsonNode json, String file) throws UnsupportedVersionException {
    JsonNode columnArray = array(json, "columns");
    if (columnArray.size() > MAX_COLUMNS) {
      throw new IllegalArgumentException(
          "schema has " + columnArray.size() + " columns, more than " + MAX_COLUMNS);
    }
    List<Column> columns = new ArrayList<>();
    for (JsonNode node : columnArray) {
      String at = "schema.columns[" + columns.size() + "]";
      String name = text(node.get("name"), at + ".name");
      String type = text(node.get("type"), at + ".type");
      try {
        columns.add(new Column(name, type(type, node.get("logicalType"))));
      } catch (TypeParser.UnknownTypeException e) {
        throw new UnsupportedVersionException(
            "column '%s' has a type that this bsdb does not support: file=%s %s; upgrade bsdb, or rebuild the table with another type"
                .formatted(name, file, e.getMessage()));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(at + ": " + e.getMessage(), e);
      }
    }
    List<String> primaryKey = new ArrayList<>();
    for (JsonNode node : array(json, "primaryKey")) {
      primaryKey.add(text(node, "schema.primaryKey[" + primaryKey.size() + "]"));
    }
    JsonNode encoding = json.get("keyEncoding");
    return new Schema(
        columns,
        primaryKey,
        encoding == null
            ? KeyEncoding.PLAIN
            : KeyEncoding.of(text(encoding, "schema.keyEncoding"), file));
  }

  /** Returns the type, declared as in the manifest if that changes nothing about the bytes. */
  private static ColumnType type(String text, @Nullable JsonNode logicalType) {
    ColumnType stored = TypeParser.parseStored(text);
    if (logicalType == null || !logicalType.isTextual()) {
      return stored;
    }
    try {
      ColumnType declared = ColumnType.parse(logicalType.textValue());
      return declared.equals(stored) ? declared : stored;
    } catch (IllegalArgumentException e) {
      return stored; // what a later version knows
    }
  }

  private static JsonNode array(JsonNode json, String property) {
    JsonNode node = json.get(property);
    if (node == null || !node.isArray()) {
      throw new IllegalArgumentException("schema." + property + " is not an array");
    }
    return node;
  }

  private static String text(@Nullable JsonNode node, String at) {
    if (node == null || !node.isTextual()) {
      throw new IllegalArgumentException(at + " is not a string");
    }
    return node.textValue();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Schema schema
        && columns.equals(schema.columns)
        && primaryKey.equals(schema.primaryKey)
        && keyEncoding == schema.keyEncoding;
  }

  @Override
  public int hashCode() {
    return 31 * columns.hashCode() + primaryKey.hashCode();
  }

  /**
   * Returns the schema as declared, for example {@code (`id` BIGINT NOT NULL, `name` STRING,
   * PRIMARY KEY (`id`))}, and how keys are encoded unless that is {@code plain}.
   */
  @Override
  public String toString() {
    var text = new StringBuilder("(");
    columns.forEach(column -> text.append(column.declaration()).append(", "));
    text.append("PRIMARY KEY (");
    text.append(String.join(", ", primaryKey.stream().map(ColumnType::quoteName).toList()));
    text.append("))");
    if (keyEncoding != KeyEncoding.PLAIN) {
      text.append(" with keyEncoding '").append(keyEncoding.label()).append('\'');
    }
    return text.toString();
  }
}
