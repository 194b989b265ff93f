package io.bsdb.table.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Reads members of a manifest's objects. Methods throw {@link IllegalArgumentException} for what is
 * missing or has another form, and {@link java.time.DateTimeException} for no time.
 */
final class JsonMembers {
  /** Maximum number of members of an object whose names are not given. */
  static final int MAX = 65_536;

  private static final Pattern UUID_TEXT =
      Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  private static final Pattern HEX = Pattern.compile("[0-9a-f]{8}");
  private static final Pattern TIME =
      Pattern.compile("[0-9]{4}(-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){2}(\\.[0-9]{3})?Z");

  private JsonMembers() {}

  static long number(JsonNode node, String name, long max) {
    JsonNode number = required(node, name);
    if (!number.isIntegralNumber()
        || !number.canConvertToLong()
        || number.longValue() < 0
        || number.longValue() > max) {
      throw new IllegalArgumentException(name + " out of range: " + number);
    }
    return number.longValue();
  }

  static int checksum(JsonNode node) {
    return Integer.parseUnsignedInt(text(node, "checksum", HEX), 16);
  }

  static UUID uuid(JsonNode node, String name) {
    return UUID.fromString(text(node, name, UUID_TEXT));
  }

  static Instant time(JsonNode node, String name) {
    return Instant.parse(text(node, name, TIME));
  }

  static String text(JsonNode node, String name, Pattern form) {
    String text = text(node, name);
    if (!form.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "%s does not have the form %s: '%s'".formatted(name, form, text));
    }
    return text;
  }

  static String text(JsonNode node, String name) {
    JsonNode text = required(node, name);
    if (!text.isTextual()) {
      throw new IllegalArgumentException("'" + name + "' is not a string");
    }
    return text.textValue();
  }

  static JsonNode required(JsonNode node, String name) {
    JsonNode child = node.get(name);
    if (child == null) {
      throw new IllegalArgumentException("'" + name + "' is missing");
    }
    return child;
  }

  /** Returns an array of at most so many elements. */
  static JsonNode array(JsonNode node, String name, int most) {
    JsonNode array = required(node, name);
    if (!array.isArray() || array.size() > most) {
      throw new IllegalArgumentException(
          "'%s' is not an array of at most %d".formatted(name, most));
    }
    return array;
  }

  static Map<String, String> texts(JsonNode root, String name) {
    JsonNode node = object(root, name);
    Map<String, String> texts = new LinkedHashMap<>();
    node.fieldNames().forEachRemaining(key -> texts.put(key, text(node, key)));
    return texts;
  }

  static JsonNode object(JsonNode root, String name) {
    JsonNode node = required(root, name);
    if (!node.isObject()) {
      throw new IllegalArgumentException("'" + name + "' is not an object");
    }
    if (node.size() > MAX) {
      throw new IllegalArgumentException(
          "'%s' has too many entries: expected<=%d actual=%d".formatted(name, MAX, node.size()));
    }
    return node;
  }
}
