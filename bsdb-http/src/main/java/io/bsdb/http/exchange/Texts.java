package io.bsdb.http.exchange;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.bsdb.format.Figures;
import io.bsdb.row.text.ValueParser;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Bytes and rows for people. */
public final class Texts {
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
  public static String excerpt(@Nullable String text) {
    String whole = String.valueOf(text);
    return whole.length() <= LONG
        ? whole
        : "%s … (%s characters in all)"
            .formatted(whole.substring(0, LONG), Figures.count(whole.length()));
  }

  /** Returns the first bytes as hexadecimal digits in groups. */
  public static String hex(byte[] bytes) {
    String digits = HexFormat.ofDelimiter(" ").formatHex(bytes, 0, Math.min(EXCERPT, bytes.length));
    return bytes.length > EXCERPT ? digits + " …" : digits;
  }

  /** Returns the members of a row's JSON, strings without quotes; null for those that are null. */
  public static Map<String, @Nullable String> columns(String row) {
    Map<String, @Nullable String> columns = new LinkedHashMap<>();
    try (JsonParser in = ValueParser.JSON.createParser(row)) {
      in.nextToken();
      while (in.nextToken() == JsonToken.FIELD_NAME) {
        String name = in.currentName();
        JsonToken value = in.nextToken();
        columns.put(
            name,
            value == JsonToken.VALUE_NULL
                ? null
                : value.isScalarValue() ? in.getText() : nested(in, row));
      }
    } catch (IOException e) {
      throw new IllegalStateException("a row is not JSON", e);
    }
    return columns;
  }

  /** Returns the array or object that begins with the current token, as it is written. */
  private static String nested(JsonParser in, String row) throws IOException {
    int start = (int) in.currentTokenLocation().getCharOffset();
    in.skipChildren();
    return row.substring(start, (int) in.currentLocation().getCharOffset());
  }
}
