package io.bsdb.http.api;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.bsdb.http.exchange.MediaType;
import io.bsdb.http.exchange.Problem;
import io.bsdb.http.table.VersionRows;
import io.bsdb.row.Column;
import io.bsdb.row.Schema;
import io.bsdb.row.text.ValueParser;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request for many keys.
 *
 * @param columns that rows should have; null if the body does not contain them
 * @param match rule by which keys select rows; null if the body does not contain it
 */
record KeyList(List<byte[]> keys, @Nullable List<String> columns, @Nullable String match) {
  private static final String MALFORMED = "the body is malformed: ";
  private static final List<String> MEMBERS = List.of("keys", "columns", "match");

  /**
   * Reads keys: a JSON object, JSON values one after the other, or keys after their lengths.
   *
   * @param encoding of plain bytes, unless the body has one
   * @param most keys that are taken
   */
  static KeyList read(
      MediaType type, byte[] body, VersionRows rows, @Nullable String encoding, int most)
      throws IOException {
    if (type == MediaType.BYTES) {
      return new KeyList(framed(body, most), null, null);
    }
    requireUtf8(body);
    try (JsonParser in = ValueParser.JSON.createParser(body)) {
      return type == MediaType.NDJSON
          ? new KeyList(lines(in, rows, encoding, most), null, null)
          : object(in, rows, encoding, most);
    } catch (JsonProcessingException e) {
      JsonLocation location = e.getLocation(); // null if a limit of the parser is exceeded
      throw new Problem(
          Problem.Kind.BAD_REQUEST,
          MALFORMED
              + ValueParser.problem(e)
              + (location == null ? "" : ", at byte " + location.getByteOffset()));
    }
  }

  /** Refuses what the parser takes for other characters, and so for another key. */
  private static void requireUtf8(byte[] body) {
    for (byte each : body) {
      if (each == 0) { // as in UTF-16, which the parser would take, too
        throw malformed("it is not UTF-8");
      }
    }
    try {
      var unused = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body));
    } catch (CharacterCodingException e) {
      throw malformed("it is not UTF-8");
    }
  }

  @SuppressWarnings("AnnotateFormatMethod") // as of the problem's
  private static Problem malformed(String format, Object... values) {
    return new Problem(Problem.Kind.BAD_REQUEST, MALFORMED + format, values);
  }

  private static void require(List<byte[]> keys, int most) {
    if (keys.size() >= most) {
      throw new Problem(Problem.Kind.TOO_MANY_KEYS, "one lookup has at most %d keys", most);
    }
  }

  private static List<byte[]> framed(byte[] body, int most) {
    ByteBuffer in = ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN);
    List<byte[]> keys = new ArrayList<>();
    while (in.hasRemaining()) {
      require(keys, most);
      int at = in.position();
      int length = in.remaining() < Integer.BYTES ? -1 : in.getInt();
      if (length < 0 || length > in.remaining()) {
        throw malformed("the key at byte %d is cut off", at);
      }
      byte[] key = new byte[length];
      in.get(key);
      keys.add(VersionRows.checked(key));
    }
    return keys;
  }

  private static List<byte[]> lines(
      JsonParser in, VersionRows rows, @Nullable String encoding, int most) throws IOException {
    List<byte[]> keys = new ArrayList<>();
    while (in.nextToken() != null) {
      require(keys, most);
      keys.add(key(in, rows, encoding));
    }
    return keys;
  }

  private static KeyList object(
      JsonParser in, VersionRows rows, @Nullable String encoding, int most) throws IOException {
    if (in.nextToken() != JsonToken.START_OBJECT) {
      throw malformed("expected an object with 'keys'");
    }
    List<byte[]> keys = null;
    List<String> columns = null;
    String match = null;
    while (in.nextToken() != JsonToken.END_OBJECT) {
      String name = in.currentName();
      JsonToken value = in.nextToken();
      if (!MEMBERS.contains(name)) {
        throw malformed("there is no member '%s'; there are %s", name, MEMBERS);
      }
      if (value != (name.equals("match") ? JsonToken.VALUE_STRING : JsonToken.START_ARRAY)) {
        throw malformed("'%s' is not %s", name, name.equals("match") ? "a string" : "an array");
      }
      switch (name) {
        case "match" -> match = in.getText();
        case "keys" -> {
          keys = new ArrayList<>();
          while (in.nextToken() != JsonToken.END_ARRAY) {
            require(keys, most);
            keys.add(key(in, rows, encoding));
          }
        }
        default -> {
          columns = new ArrayList<>();
          while (in.nextToken() != JsonToken.END_ARRAY) {
            if (!in.hasToken(JsonToken.VALUE_STRING)) {
              throw malformed("a column is not a string");
            }
            columns.add(in.getText());
          }
        }
      }
    }
    if (keys == null || in.nextToken() != null) {
      throw malformed(keys == null ? "'keys' is missing" : "more follows the object");
    }
    return new KeyList(keys, columns, match);
  }

  /** Reads the key at the current token: its columns if there is a schema, else a string. */
  private static byte[] key(JsonParser in, VersionRows rows, @Nullable String encoding)
      throws IOException {
    Schema schema = rows.schema();
    if (schema != null && encoding == null) {
      List<Column> columns = schema.keyColumns();
      try {
        return rows.key(ValueParser.readKey(columns, in));
      } catch (IllegalArgumentException e) {
        throw new Problem(Problem.Kind.BAD_KEY, String.valueOf(e.getMessage()));
      }
    }
    if (!in.hasToken(JsonToken.VALUE_STRING)) {
      throw new Problem(Problem.Kind.BAD_KEY, "expected a string, not " + in.currentToken());
    }
    return rows.key(in.getText(), encoding);
  }
}
