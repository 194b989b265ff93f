package io.bsdb.http.table;

import com.fasterxml.jackson.core.JsonGenerator;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.io.IOSupplier;
import io.bsdb.http.exchange.Address;
import io.bsdb.http.exchange.MediaType;
import io.bsdb.http.exchange.Problem;
import io.bsdb.http.exchange.Texts;
import io.bsdb.reader.Nearest;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.row.Column;
import io.bsdb.row.KeyView;
import io.bsdb.row.RowCodec;
import io.bsdb.row.RowLayout;
import io.bsdb.row.Schema;
import io.bsdb.row.text.RowJsonWriter;
import io.bsdb.row.text.ValueParser;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.Validity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.jspecify.annotations.Nullable;

/** Reads keys and writes rows by a version's schema. */
public final class VersionRows {
  private static final String VERSION_HEADER = "Bsdb-Version";
  private static final String KEY = "key";
  private static final String ENCODING = "encoding";

  private final String version;
  private final Manifest manifest;
  private final @Nullable RowCodec codec;
  private final @Nullable RowJsonWriter writer;

  /** Writes all rows of a history, ended ones included. */
  private final @Nullable RowJsonWriter storedWriter;

  private final HttpField versionField;
  private final HttpField jsonTag;
  private final HttpField bytesTag;

  VersionRows(Manifest manifest) {
    this.version = manifest.version();
    this.manifest = manifest;
    Schema schema = manifest.schema();
    this.codec = schema == null ? null : RowCodec.of(schema);
    this.writer = schema == null ? null : RowJsonWriter.of(schema);
    this.storedWriter = writer == null || manifest.validity() == null ? writer : writer.withEnded();
    this.versionField = new PreEncodedHttpField(VERSION_HEADER, version);
    this.jsonTag = new PreEncodedHttpField(HttpHeader.ETAG, tag("json"));
    this.bytesTag = new PreEncodedHttpField(HttpHeader.ETAG, tag("bytes"));
  }

  public String version() {
    return version;
  }

  public Manifest manifest() {
    return manifest;
  }

  /** Returns the mean length of values. */
  public long meanLength() {
    long bytes = manifest.partitions().stream().mapToLong(PartitionFile::valueBytes).sum();
    return bytes / Math.max(1, manifest.recordCount());
  }

  public @Nullable Schema schema() {
    return codec == null ? null : codec.schema();
  }

  public HttpField versionField() {
    return versionField;
  }

  /** Returns what names this version and a representation. */
  HttpField tagField(MediaType type) {
    return switch (type) {
      case JSON -> jsonTag;
      case BYTES -> bytesTag;
      default -> new HttpField(HttpHeader.ETAG, tag(type == MediaType.NDJSON ? "ndjson" : "html"));
    };
  }

  private String tag(String representation) {
    return '"' + version + '.' + representation + '"';
  }

  /** Returns whether a row of a history is ended, so that only its history shows it. */
  public boolean isHidden(byte[] value) {
    return manifest.validity() != null && RowLayout.isEnded(value);
  }

  /**
   * Moves to the next row that is not hidden: of hidden ones there may be millions in a row.
   *
   * @param stored a cursor over {@link SnapshotReader#allVersions}
   * @param requireTime called before each row, hidden or not
   */
  public boolean next(RecordCursor stored, Runnable requireTime) throws IOException {
    while (stored.next()) {
      requireTime.run();
      if (manifest.validity() == null || !isHidden(stored.value())) {
        return true;
      }
    }
    return false;
  }

  /** Returns the key that a query gives as a text, or by the names of its columns. */
  public byte[] key(Address address) {
    RowCodec rows = codec;
    List<Column> columns = rows == null ? List.of() : rows.schema().keyColumns();
    List<String> named =
        columns.stream()
            .map(Column::name)
            .filter(name -> !name.equals(KEY) && address.parameter(name) != null)
            .toList();
    String text = address.parameter(KEY);
    if (text != null && named.isEmpty()) {
      return key(text, address.parameter(ENCODING));
    }
    if (rows == null) {
      throw new Problem(Problem.Kind.BAD_KEY, "the table has no key columns: give key=");
    }
    for (String other : List.of(KEY, ENCODING)) {
      if (!named.isEmpty() && address.parameter(other) != null && !isKeyColumn(other)) {
        throw new Problem(
            Problem.Kind.BAD_KEY,
            "the key is given by its columns %s: leave %s= out",
            named,
            other);
      }
    }
    Object[] values = new Object[columns.size()];
    for (int i = 0; i < values.length; i++) {
      String name = columns.get(i).name();
      String value = address.parameter(name);
      if (value == null) {
        throw new Problem(
            Problem.Kind.BAD_KEY, "parameter '%s' is missing: the key is %s", name, columns);
      }
      Column column = columns.get(i);
      values[i] = parse(() -> ValueParser.parse(column, value));
    }
    return encode(rows, values);
  }

  /**
   * Returns the key that a text stands for.
   *
   * @param encoding utf8, hex or base64url; null for the text of the key's columns, or UTF-8
   */
  public byte[] key(String text, @Nullable String encoding) {
    RowCodec rows = codec;
    if (rows != null && encoding == null) {
      List<Column> columns = rows.schema().keyColumns();
      return encode(rows, parse(() -> ValueParser.parseKey(columns, text)));
    }
    return checked(
        parse(
            () ->
                switch (encoding == null ? "utf8" : encoding) {
                  case "utf8" -> utf8(text);
                  case "hex" -> HexFormat.of().parseHex(text);
                  case "base64url" -> Base64.getUrlDecoder().decode(text);
                  default ->
                      throw new Problem(
                          Problem.Kind.BAD_REQUEST,
                          "encoding is '%s': expected utf8, hex or base64url",
                          encoding);
                }));
  }

  /** Encodes a text; one with half a surrogate pair, which JSON may have, stands for no key. */
  private static byte[] utf8(String text) {
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new Problem(Problem.Kind.BAD_KEY, "the text has half a surrogate pair");
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the bytes with which keys begin that a text stands for: leading columns, or bytes. */
  byte[] prefix(String text, @Nullable String encoding) {
    RowCodec rows = codec;
    if (text.isEmpty()) {
      return new byte[0];
    }
    if (rows == null || encoding != null) {
      return key(text, encoding);
    }
    List<Column> columns = rows.schema().keyColumns();
    return parse(() -> rows.encodeKeyPrefix(ValueParser.parsePrefix(columns, text)));
  }

  public boolean isKeyColumn(String name) {
    return codec != null && codec.schema().primaryKey().contains(name);
  }

  /** Refuses versions that are in hash order. */
  public void requireOrder() {
    if (manifest.order() != RecordOrder.KEY) {
      throw new Problem(
          Problem.Kind.NOT_ORDERED,
          "version %s is in hash order, which has no floors, ranges and prefixes; build it with --order key",
          version);
    }
  }

  /** Refuses lookups that the version cannot answer. */
  public void require(Nearest nearest) {
    requireOrder();
    if (nearest == Nearest.LONGEST_PREFIX && manifest.validity() != null) {
      throw new Problem(
          Problem.Kind.BAD_REQUEST,
          "version %s has a history: its keys end in a time, and are no prefixes; ask for a floor",
          version);
    }
  }

  /** Refuses a key, given as bytes, that has not the columns by which the nearest is found. */
  public void requireColumns(byte[] key) {
    RowCodec rows = codec;
    if (rows != null) {
      parse(
          () -> {
            rows.verifyKey(key);
            return key;
          });
    }
  }

  /** Refuses a floor as of the time in a key before which rows of the history may be gone. */
  public void requireKept(byte[] key) {
    Validity validity = manifest.validity();
    RowCodec rows = codec;
    if (validity == null || rows == null) {
      throw new Problem(
          Problem.Kind.BAD_REQUEST,
          "strict is for tables with a history, and version %s has none",
          version);
    }
    KeyView view = parse(() -> KeyView.of(rows.schema()).wrap(key));
    int time = view.size() - 1;
    try {
      validity.requireKept(
          Instant.ofEpochMilli(view.epochMillisAt(time)).plusNanos(view.nanosOfMilliAt(time)));
    } catch (IllegalArgumentException e) {
      throw new Problem(Problem.Kind.NOT_KEPT, "version %s: %s".formatted(version, e.getMessage()));
    }
  }

  /** Returns a key of values by column, in key order. */
  public byte[] key(Object[] values) {
    RowCodec rows = codec;
    if (rows == null) {
      throw new IllegalStateException("no schema");
    }
    return encode(rows, values);
  }

  private static byte[] encode(RowCodec rows, Object[] values) {
    return checked(parse(() -> rows.encodeKey(values)));
  }

  static <T> T parse(IOSupplier<T> reading) {
    try {
      return reading.get();
    } catch (IllegalArgumentException
        | NullPointerException
        | IOException
        | UncheckedIOException e) {
      throw new Problem(Problem.Kind.BAD_KEY, String.valueOf(e.getMessage()));
    }
  }

  public static byte[] checked(byte[] key) {
    if (key.length == 0 || key.length > SnapshotFormat.MAX_KEY_LENGTH) {
      throw new Problem(
          Problem.Kind.BAD_KEY,
          "keys have 1 to %d bytes, this one has %d",
          SnapshotFormat.MAX_KEY_LENGTH,
          key.length);
    }
    return key;
  }

  /** Returns what writes rows as a request wants them; null for plain bytes. */
  public @Nullable RowJsonWriter writer(Address address) {
    String columns = address.parameter("columns");
    return writer(columns == null ? null : List.of(columns.split(",", -1)), address);
  }

  /** Returns the same with columns that the request has in its body; null for all. */
  public @Nullable RowJsonWriter writer(@Nullable List<String> columns, Address address) {
    String numbers = address.parameter("numbers");
    if (numbers != null && !numbers.equals("text") && !numbers.equals("json")) {
      throw new Problem(
          Problem.Kind.BAD_REQUEST, "numbers is '%s': expected json or text", numbers);
    }
    RowJsonWriter chosen = writer;
    if (chosen != null && "text".equals(numbers)) {
      chosen = chosen.longNumbersAsText();
    }
    if (columns != null) {
      if (chosen == null) {
        throw new Problem(Problem.Kind.BAD_REQUEST, "columns: the table has no schema");
      }
      try {
        chosen = chosen.columns(columns);
      } catch (IllegalArgumentException e) {
        throw new Problem(Problem.Kind.BAD_REQUEST, "columns: " + e.getMessage());
      }
    }
    return chosen;
  }

  /** Returns what writes rows as they are stored, ended ones included; null for plain bytes. */
  public @Nullable RowJsonWriter storedWriter() {
    return storedWriter;
  }

  /** Writes a row as JSON: its columns, or the bytes in Base64. */
  public static void writeRow(
      JsonGenerator json, @Nullable RowJsonWriter writer, byte[] key, byte[] value)
      throws IOException {
    if (writer != null) {
      writer.writeRow(json, key, value);
    } else {
      json.writeStartObject();
      writeBytes(json, value);
      json.writeEndObject();
    }
  }

  /** Writes a record as JSON: its columns, or key and value in Base64. */
  public static void writeRecord(
      JsonGenerator json, @Nullable RowJsonWriter writer, byte[] key, byte[] value)
      throws IOException {
    if (writer != null) {
      writer.writeRow(json, key, value);
    } else {
      json.writeStartObject();
      json.writeBinaryField("key", key);
      writeBytes(json, value);
      json.writeEndObject();
    }
  }

  /** Writes plain bytes, as members of the current object. */
  public static void writeBytes(JsonGenerator json, byte[] value) throws IOException {
    json.writeBinaryField("value", value);
    json.writeStringField("encoding", "base64");
  }

  /** Writes a key as a value: an object of its columns, or Base64. */
  public void writeKey(JsonGenerator json, byte[] key) throws IOException {
    if (writer != null) {
      writer.writeKey(json, key);
    } else {
      json.writeBinary(key);
    }
  }

  /** Returns a key for people: JSON, or text if it is some, else hexadecimal digits. */
  public String keyText(byte[] key) {
    return writer == null ? Texts.of(key) : writer.key(key);
  }

  /** Returns the names of the columns; key and value for plain bytes. */
  public List<String> columnNames() {
    Schema schema = schema();
    return schema == null
        ? List.of("key", "value")
        : schema.columns().stream().map(Column::name).toList();
  }

  /** Returns the columns of a key for people, in key order; only if there is a schema. */
  public Map<String, @Nullable String> keyTexts(byte[] key) {
    return Texts.columns(keyText(key));
  }

  /** Returns a row for people, by the names that {@link #columnNames} has. */
  public Map<String, @Nullable String> columnTexts(byte[] key, byte[] value) {
    if (writer != null) {
      return Texts.columns(writer.row(key, value));
    }
    Map<String, @Nullable String> texts = new LinkedHashMap<>();
    texts.put("key", Texts.of(key));
    texts.put("value", Texts.of(value));
    return texts;
  }

  /** Returns a row of columns for people as it is stored: it may be ended; null for plain bytes. */
  public @Nullable Map<String, @Nullable String> storedTexts(byte[] key, byte[] value) {
    return storedWriter == null ? null : Texts.columns(storedWriter.row(key, value));
  }
}
