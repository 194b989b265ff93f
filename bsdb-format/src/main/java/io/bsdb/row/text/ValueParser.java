package io.bsdb.row.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.bsdb.format.Excerpt;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads values of columns, and keys, from text and JSON, into the classes that {@link
 * io.bsdb.row.RowCodec} takes: what {@link RowJsonWriter} writes, and scalars as strings too.
 *
 * <p>A text that is no value of its column throws {@link IllegalArgumentException}.
 */
public final class ValueParser {
  /** Makes parsers for {@link #read}: texts may be as long as values, names are not repeated. */
  public static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxStringLength(SnapshotFormat.MAX_VALUE_LENGTH)
                  .maxNameLength(SnapshotFormat.MAX_VALUE_LENGTH)
                  .build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  /** Reading a decimal takes time that grows with the square of its length. */
  private static final int MAX_DECIMAL_LENGTH = StreamReadConstraints.DEFAULT_MAX_NUM_LEN;

  /** What Jackson's messages have for programmers: where the text began, and settings. */
  private static final Pattern FOR_PROGRAMMERS =
      Pattern.compile(" \\((start marker|for \\w+ starting) at .*|: enable `.*");

  private ValueParser() {}

  /** Returns why a text is not JSON, for messages. */
  public static String problem(JsonProcessingException e) {
    return Excerpt.of(
        FOR_PROGRAMMERS.matcher(String.valueOf(e.getOriginalMessage())).replaceFirst(""));
  }

  /**
   * Returns the value that a text stands for. Bytes are given in Base64, dates and times as ISO
   * 8601, possibly with a space instead of the T. A BINARY(16) also takes an IP address, and a
   * BIGINT an IPv4 address, as in {@link InternetAddress}; a column declared as IP takes nothing
   * else.
   */
  public static Object parse(Column column, String text) {
    try {
      return parse(column.type(), text);
    } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
      throw refused(e, "'%s' is not a value of %s", text, column.declaration());
    }
  }

  /** Returns a failure whose message has excerpts of texts, which may be long. */
  private static IllegalArgumentException refused(
      @Nullable Exception cause, String format, Object... texts) {
    Object[] excerpts = Arrays.stream(texts).map(text -> Excerpt.of(text.toString())).toArray();
    return new IllegalArgumentException(format.formatted(excerpts), cause);
  }

  private static Object parse(ColumnType type, String text) {
    return switch (type.kind()) {
      case CHAR, VARCHAR -> text;
      case BOOLEAN -> parseBoolean(text);
      case BINARY, VARBINARY ->
          type.isAddress()
                  || (type.length() == InternetAddress.LENGTH && InternetAddress.isOne(text))
              ? InternetAddress.parse(text)
              : Base64.getDecoder().decode(text);
      case DECIMAL -> parseDecimal(type, text);
      case TINYINT -> Byte.valueOf(number(text));
      case SMALLINT -> Short.valueOf(number(text));
      case INT -> Integer.valueOf(number(text));
      case BIGINT ->
          text.indexOf('.') < 0 ? Long.valueOf(number(text)) : InternetAddress.number(text);
      case FLOAT -> inRange(Float.valueOf(number(text)), text);
      case DOUBLE -> inRange(Double.valueOf(number(text)), text);
      case DATE -> LocalDate.parse(text);
      case TIME -> LocalTime.parse(text);
      case TIMESTAMP -> LocalDateTime.parse(iso(text));
      case TIMESTAMP_LTZ -> OffsetDateTime.parse(iso(text)).toInstant();
      case ARRAY, MAP, ROW -> throw new IllegalArgumentException("not given as text");
    };
  }

  private static Boolean parseBoolean(String text) {
    if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
      throw new IllegalArgumentException("neither true nor false");
    }
    return Boolean.valueOf(text);
  }

  /** Does not expand exponents that cannot fit: a short text may stand for any number of digits. */
  private static BigDecimal parseDecimal(ColumnType type, String text) {
    if (text.length() > MAX_DECIMAL_LENGTH) {
      throw new IllegalArgumentException("too many digits");
    }
    BigDecimal decimal = new BigDecimal(number(text)).stripTrailingZeros();
    if (decimal.scale() > type.scale()
        || (long) decimal.precision() - decimal.scale() > ColumnType.MAX_DECIMAL_PRECISION) {
      throw new IllegalArgumentException("too many digits");
    }
    return decimal.setScale(type.scale());
  }

  /**
   * Returns the text of a number; Java also takes its own literals, {@code 1d} and {@code 0x1p3},
   * and the digits of all scripts.
   */
  private static String number(String text) {
    for (int i = 0; i < text.length(); i++) {
      if ("0123456789.eE+-".indexOf(text.charAt(i)) < 0
          && !text.endsWith("NaN")
          && !text.endsWith("Infinity")) {
        throw new IllegalArgumentException("not a number");
      }
    }
    return text;
  }

  private static Number inRange(Number value, String text) {
    if (Double.isInfinite(value.doubleValue()) && !text.endsWith("Infinity")) {
      throw new IllegalArgumentException("out of range");
    }
    return value;
  }

  /** Returns a text with T where SQL writes a space, as in ISO 8601. */
  private static String iso(String text) {
    return text.length() > 10 && text.charAt(10) == ' '
        ? text.substring(0, 10) + 'T' + text.substring(11)
        : text;
  }

  /**
   * Reads the value that begins with the parser's current token, up to its last token. A text
   * column takes any JSON, which it holds as it is written, but for white space.
   */
  public static @Nullable Object read(Column column, JsonParser in) throws IOException {
    JsonToken token = in.currentToken();
    if (token == JsonToken.VALUE_NULL) {
      return null;
    }
    if (token.isStructEnd()) {
      throw refused(null, "no value of %s before '%s'", column, in.getText());
    }
    return switch (column.type().kind()) {
      case ARRAY -> readArray(column, in);
      case MAP -> readMap(column, in);
      case ROW -> {
        List<Column> fields = column.type().fields();
        require(in, JsonToken.START_OBJECT, "an object for " + column);
        yield Arrays.asList(readFields(fields, in));
      }
      case CHAR, VARCHAR -> token.isScalarValue() ? in.getText() : json(in);
      default -> {
        if (!token.isScalarValue()) {
          throw refused(null, "'%s' is not a value of %s", json(in), column.declaration());
        }
        yield parse(column, in.getText());
      }
    };
  }

  /** Reads the object at the current token by column; those that it does not have are null. */
  private static @Nullable Object[] readFields(List<Column> columns, JsonParser in)
      throws IOException {
    @Nullable Object[] values = new Object[columns.size()];
    while (in.nextToken() != JsonToken.END_OBJECT) {
      int i = 0;
      while (i < values.length && !columns.get(i).name().equals(in.currentName())) {
        i++;
      }
      in.nextToken();
      if (i < values.length) {
        values[i] = read(columns.get(i), in);
      } else {
        in.skipChildren();
      }
    }
    return values;
  }

  private static List<@Nullable Object> readArray(Column column, JsonParser in) throws IOException {
    require(in, JsonToken.START_ARRAY, "an array for " + column);
    Column element = new Column(column.name(), column.type().elementType());
    List<@Nullable Object> values = new ArrayList<>();
    while (in.nextToken() != JsonToken.END_ARRAY) {
      values.add(read(element, in));
    }
    return values;
  }

  private static Map<@Nullable Object, @Nullable Object> readMap(Column column, JsonParser in)
      throws IOException {
    Column keys = new Column(column.name(), column.type().keyType());
    Column elements = new Column(column.name(), column.type().valueType());
    Map<@Nullable Object, @Nullable Object> values = new LinkedHashMap<>();
    boolean pairs = in.hasToken(JsonToken.START_ARRAY);
    if (!pairs) {
      require(in, JsonToken.START_OBJECT, "an object for " + column);
    }
    while (!in.nextToken().isStructEnd()) {
      Object key;
      if (pairs) {
        require(in, JsonToken.START_ARRAY, "an array of key and value for " + column);
        in.nextToken();
        key = read(keys, in);
      } else {
        key = parse(keys, in.currentName());
      }
      in.nextToken();
      if (values.containsKey(key)) {
        throw refused(null, "key '%s' twice in %s", String.valueOf(key), column);
      }
      values.put(key, read(elements, in));
      if (pairs) {
        in.nextToken();
        require(in, JsonToken.END_ARRAY, "the end of a pair for " + column);
      }
    }
    return values;
  }

  private static void require(JsonParser in, JsonToken token, String wanted) throws IOException {
    if (!in.hasToken(token)) {
      throw refused(null, "'%s' is not %s", json(in), wanted);
    }
  }

  /** Returns the JSON that begins with the current token, without white space, digits as given. */
  private static String json(JsonParser in) throws IOException {
    var text = new StringWriter();
    try (JsonGenerator out = JSON.createGenerator(text)) {
      int depth = copy(in, out);
      while (depth > 0) {
        in.nextToken();
        depth += copy(in, out);
      }
    }
    String json = text.toString();
    if (json.startsWith("{\"" + RowJsonWriter.MALFORMED + "\":")) {
      throw refused(null, "malformed text cannot be stored: %s", json);
    }
    return json;
  }

  /** Copies a token, and returns by how much it deepens the nesting. */
  private static int copy(JsonParser in, JsonGenerator out) throws IOException {
    JsonToken token = in.currentToken();
    if (token.isNumeric()) {
      out.writeNumber(in.getText());
    } else {
      out.copyCurrentEvent(in);
    }
    return token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
  }

  /**
   * Reads a key, as its columns' values in key order: the text itself if there is one column; else
   * a JSON array, or values with commas between.
   */
  public static Object[] parseKey(List<Column> columns, String text) {
    if (columns.size() == 1) {
      return parse(columns, List.of(text));
    }
    if (text.startsWith("[")) {
      try (JsonParser in = JSON.createParser(text)) {
        in.nextToken();
        Object[] key = readKey(columns, in);
        if (in.nextToken() != null) {
          throw new IllegalArgumentException("not a JSON array: more follows it");
        }
        return key;
      } catch (JsonProcessingException e) {
        throw new IllegalArgumentException("not a JSON array: " + problem(e), e);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return parse(columns, List.of(text.split(",", -1)));
  }

  /** Reads the values of leading columns of a key, one or more; as {@link #parseKey}. */
  public static Object[] parsePrefix(List<Column> columns, String text) {
    List<String> texts = new ArrayList<>();
    if (columns.size() > 1 && text.startsWith("[")) {
      try (JsonParser in = JSON.createParser(text)) {
        in.nextToken();
        while (in.nextToken() != JsonToken.END_ARRAY) {
          texts.add(keyText(in));
        }
        if (in.nextToken() != null) {
          throw new IllegalArgumentException("not a JSON array: more follows it");
        }
      } catch (JsonProcessingException e) {
        throw new IllegalArgumentException("not a JSON array: " + problem(e), e);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    } else {
      texts.addAll(columns.size() > 1 ? List.of(text.split(",", -1)) : List.of(text));
    }
    return parse(columns.subList(0, Math.min(texts.size(), columns.size())), texts);
  }

  /**
   * Reads the key that begins with the parser's current token, as its columns' values in key order:
   * an array of them, an object by name as {@link RowJsonWriter#key} writes it, or the value itself
   * if there is one column.
   */
  public static Object[] readKey(List<Column> columns, JsonParser in) throws IOException {
    List<String> texts = new ArrayList<>();
    if (in.hasToken(JsonToken.START_OBJECT)) {
      Map<String, String> named = new HashMap<>();
      while (in.nextToken() != JsonToken.END_OBJECT) {
        String name = in.currentName();
        in.nextToken();
        named.put(name, keyText(in));
      }
      List<String> names = columns.stream().map(Column::name).toList();
      if (!named.keySet().equals(Set.copyOf(names))) {
        throw refused(null, "members %s for the key columns %s", named.keySet(), columns);
      }
      names.forEach(name -> texts.add(named.get(name)));
    } else if (in.hasToken(JsonToken.START_ARRAY)) {
      while (in.nextToken() != JsonToken.END_ARRAY) {
        texts.add(keyText(in));
      }
    } else {
      texts.add(keyText(in));
    }
    return parse(columns, texts);
  }

  private static String keyText(JsonParser in) throws IOException {
    if (!in.currentToken().isScalarValue() || in.hasToken(JsonToken.VALUE_NULL)) {
      throw refused(null, "a key has no value like %s", json(in));
    }
    return in.getText();
  }

  private static Object[] parse(List<Column> columns, List<String> texts) {
    if (texts.size() != columns.size()) {
      throw refused(
          null,
          "%s values for the key columns %s; a JSON array such as '[\"a,b\", 1]' may hold commas",
          texts.size(),
          columns);
    }
    Object[] key = new Object[texts.size()];
    for (int i = 0; i < key.length; i++) {
      key[i] = parse(columns.get(i), texts.get(i));
    }
    return key;
  }
}
