package io.bsdb.http.exchange;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.bsdb.row.text.ValueParser;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Bytes and figures for people. */
public final class Texts {
  private static final ObjectMapper ROWS =
      JsonMapper.builder(ValueParser.JSON) // strings and names may be as long as values
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();
  private static final int EXCERPT = 512;
  private static final int LONG = 10_000;

  private Texts() {}

  /** Returns bytes as text if they are printable UTF-8, else as hexadecimal digits after 0x. */
  public static String of(byte[] bytes) {
    String text = text(bytes);
    return text == null ? "0x" + HexFormat.of().formatHex(bytes) : text;
  }

  /** Returns whether {@link #of} returns the text that bytes are: it, too, may begin with 0x. */
  public static boolean isText(byte[] bytes) {
    return text(bytes) != null;
  }

  private static @Nullable String text(byte[] bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return text.codePoints().noneMatch(Character::isISOControl) ? text : null;
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  /** Returns the beginning of a long text, and how long it is. */
  public static String excerpt(String text) {
    return text.length() <= LONG
        ? text
        : "%s … (%s characters in all)".formatted(text.substring(0, LONG), count(text.length()));
  }

  /** Returns the first bytes as hexadecimal digits in groups. */
  public static String hex(byte[] bytes) {
    String digits = HexFormat.ofDelimiter(" ").formatHex(bytes, 0, Math.min(EXCERPT, bytes.length));
    return bytes.length > EXCERPT ? digits + " …" : digits;
  }

  /** Returns the members of a row's JSON, strings without quotes. */
  public static Map<String, String> columns(String row) {
    Map<String, String> columns = new LinkedHashMap<>();
    try {
      JsonNode root = ROWS.readTree(row);
      for (Map.Entry<String, JsonNode> member : root.properties()) {
        JsonNode value = member.getValue();
        columns.put(
            member.getKey(),
            value.isTextual()
                ? value.textValue()
                : value.isBigDecimal() ? value.decimalValue().toPlainString() : value.toString());
      }
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a row is not JSON", e);
    }
    return columns;
  }

  /** Returns a size such as {@code 1.5 MiB}. */
  public static String size(long bytes) {
    String[] units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double rest = bytes;
    int unit = 0;
    while (rest >= 1024 && unit < units.length - 1) {
      rest /= 1024;
      unit++;
    }
    return unit == 0
        ? bytes + " B"
        : String.format(Locale.ROOT, rest < 10 ? "%.2f %s" : "%.1f %s", rest, units[unit]);
  }

  public static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** Returns a number with what is counted, such as {@code 1 segment} or {@code 2 segments}. */
  public static String count(long number, String noun) {
    return count(number) + ' ' + noun + (number == 1 ? "" : "s");
  }
}
