package io.bsdb.row;

import java.math.BigDecimal;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes decoded values as JSON, for people to read. */
final class JsonText {
  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private final StringBuilder text = new StringBuilder();

  void beginObject() {
    text.append('{');
  }

  JsonText endObject() {
    text.append('}');
    return this;
  }

  void field(String name, @Nullable Object value) {
    if (text.charAt(text.length() - 1) != '{') {
      text.append(", ");
    }
    quote(name);
    text.append(": ");
    value(value);
  }

  private void value(@Nullable Object value) {
    if (value instanceof List<?> list) {
      text.append('[');
      for (int i = 0; i < list.size(); i++) {
        text.append(i == 0 ? "" : ", ");
        value(list.get(i));
      }
      text.append(']');
    } else if (value instanceof Map<?, ?> map) {
      beginObject();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        field(nameOf(entry.getKey()), entry.getValue());
      }
      endObject();
    } else if (value instanceof BigDecimal decimal) {
      text.append(decimal.toPlainString());
    } else if (value == null || value instanceof Boolean || isJsonNumber(value)) {
      text.append(value);
    } else {
      quote(nameOf(value));
    }
  }

  private static boolean isJsonNumber(Object value) {
    return value instanceof Number number && Double.isFinite(number.doubleValue());
  }

  /** What stands for a value where only a string may stand. */
  private static String nameOf(@Nullable Object value) {
    if (value instanceof byte[] bytes) {
      return Base64.getEncoder().encodeToString(bytes);
    }
    if (value instanceof List || value instanceof Map) {
      var nested = new JsonText();
      nested.value(value);
      return nested.toString();
    }
    return String.valueOf(value);
  }

  private void quote(String value) {
    text.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '"', '\\' -> text.append('\\').append(c);
        case '\n' -> text.append("\\n");
        case '\t' -> text.append("\\t");
        case '\r' -> text.append("\\r");
        default -> {
          if (c < ' ') {
            text.append("\\u00").append(HEX[c >>> 4]).append(HEX[c & 15]);
          } else {
            text.append(c);
          }
        }
      }
    }
    text.append('"');
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
