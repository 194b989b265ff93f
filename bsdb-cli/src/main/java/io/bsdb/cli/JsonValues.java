package io.bsdb.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values of columns, given as JSON. */
final class JsonValues {
  private JsonValues() {}

  /**
   * The value of a column, in the class that {@code RowCodec} expects; null for null. A scalar may
   * be given as text, as in CSV.
   *
   * @throws IllegalArgumentException if it does not fit the column
   */
  static @Nullable Object parse(Column column, JsonNode node) {
    ColumnType type = column.type();
    if (node.isNull()) {
      return null;
    }
    return switch (type.kind()) {
      case CHAR, VARCHAR -> node.isTextual() ? node.textValue() : text(node);
      case ARRAY -> array(column, node);
      case ROW -> row(column, node);
      case MAP -> map(column, node);
      default -> {
        if (node.isContainerNode()) {
          throw new IllegalArgumentException("'%s' is not a value of %s".formatted(node, column));
        }
        yield TypedText.parse(column, node.asText());
      }
    };
  }

  /** What a text column holds of what is not text: its JSON. */
  private static String text(JsonNode node) {
    return node.toString();
  }

  private static List<@Nullable Object> array(Column column, JsonNode node) {
    if (!node.isArray()) {
      throw new IllegalArgumentException("'%s' is not an array for %s".formatted(node, column));
    }
    Column element = new Column(column.name(), column.type().elementType());
    List<@Nullable Object> values = new ArrayList<>();
    for (JsonNode each : node) {
      values.add(parse(element, each));
    }
    return values;
  }

  private static Map<String, @Nullable Object> row(Column column, JsonNode node) {
    requireObject(column, node);
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    for (Column field : column.type().fields()) {
      JsonNode value = node.get(field.name());
      if (value != null) {
        values.put(field.name(), parse(field, value));
      }
    }
    return values;
  }

  private static Map<@Nullable Object, @Nullable Object> map(Column column, JsonNode node) {
    requireObject(column, node);
    Column keys = new Column(column.name(), column.type().keyType());
    Column elements = new Column(column.name(), column.type().valueType());
    Map<@Nullable Object, @Nullable Object> values = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> entry : node.properties()) {
      values.put(TypedText.parse(keys, entry.getKey()), parse(elements, entry.getValue()));
    }
    return values;
  }

  private static void requireObject(Column column, JsonNode node) {
    if (!node.isObject()) {
      throw new IllegalArgumentException("'%s' is not an object for %s".formatted(node, column));
    }
  }
}
