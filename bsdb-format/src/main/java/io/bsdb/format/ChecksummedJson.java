package io.bsdb.format;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A file that is one JSON object whose last member is the checksum of all bytes before it. The JSON
 * need not be understood to verify the checksum.
 *
 * @hidden
 */
@Internal
@SuppressWarnings("exports") // Jackson, to this project only
public final class ChecksummedJson {
  /**
   * Maximum number of names, values, brackets and braces. A manifest with as many partitions and
   * texts as allowed has fewer than half as many.
   */
  static final int MAX_TOKENS = 1 << 22;

  /** Maximum number of objects and arrays within each other. */
  static final int MAX_DEPTH = 32;

  /** Maximum number of characters of a number; the parser counts digits only. */
  private static final int MAX_NUMBER = 1000;

  private static final String VERSION = "formatVersion";
  private static final String CHECKSUM = "\"checksum\"";
  private static final Pattern END = Pattern.compile(CHECKSUM + " : \"([0-9a-f]{8})\"\n}\n");
  private static final int END_LENGTH = end("00000000").length();

  /** Limits are ours, not those of the parser, so that what can be written can be read. */
  private static final ObjectMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNameLength(Integer.MAX_VALUE)
                          .maxStringLength(Integer.MAX_VALUE)
                          .build())
                  .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                  .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                  .build())
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private ChecksummedJson() {}

  /** Returns the file; {@code root} gets its last member. */
  public static byte[] encode(ObjectNode root) {
    root.put("checksum", "00000000");
    try {
      String text = JSON.writeValueAsString(root);
      String covered = text.substring(0, text.lastIndexOf(CHECKSUM));
      byte[] bytes = covered.getBytes(StandardCharsets.UTF_8);
      return (covered + end(checksum(bytes, bytes.length))).getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of strings and numbers cannot be written as JSON", e);
    }
  }

  /**
   * Reads a file: looks for a format version that is too high, then verifies the checksum, and only
   * then builds the tree, of bounded size.
   *
   * @param supported highest format version
   * @param what the file is, for messages, such as {@code manifest}
   * @param file named in messages
   * @throws CorruptSnapshotException if it is damaged
   * @throws UnsupportedVersionException if its format version is higher
   */
  public static ObjectNode decode(byte[] bytes, int supported, String what, String file)
      throws CorruptSnapshotException, UnsupportedVersionException {
    BigInteger version = findVersion(bytes);
    if (version != null && version.compareTo(BigInteger.valueOf(supported)) > 0) {
      throw new UnsupportedVersionException(
          "%s has format version %s, this bsdb reads version %d: file=%s; upgrade bsdb, or rebuild the table with this one"
              .formatted(what, Excerpt.of(version.toString()), supported, file));
    }
    verify(bytes, what, file);
    try {
      requireBounded(bytes);
      JsonNode root = JSON.readTree(parser(bytes));
      if (!(root instanceof ObjectNode object)) {
        throw new IllegalArgumentException("expected an object");
      }
      if (version == null || version.signum() <= 0) {
        throw new IllegalArgumentException(
            object.has(VERSION)
                ? VERSION + " out of range: " + object.get(VERSION)
                : "'" + VERSION + "' is missing");
      }
      return object;
    } catch (JsonProcessingException e) {
      String where =
          e.getLocation() == null
              ? ""
              : " line=%d column=%d"
                  .formatted(e.getLocation().getLineNr(), e.getLocation().getColumnNr());
      throw unreadable(what, file + where, e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw unreadable(what, file, "not UTF-8", e);
    } catch (IllegalArgumentException e) {
      throw unreadable(what, file, e.getMessage(), e);
    }
  }

  /** Returns the exception for a file whose content is not what it must be. */
  public static CorruptSnapshotException unreadable(
      String what, String file, @Nullable String why, Exception cause) {
    return new CorruptSnapshotException(
        "%s cannot be read: file=%s %s".formatted(what, file, Excerpt.of(String.valueOf(why))),
        cause);
  }

  /** Reads UTF-8 and nothing else. Names are kept nowhere, however many there are. */
  private static JsonParser parser(byte[] bytes) throws IOException {
    return JSON.createParser(
        new InputStreamReader(
            new ByteArrayInputStream(bytes), StandardCharsets.UTF_8.newDecoder()));
  }

  /**
   * Returns the format version, of whatever else the file holds; null if no whole number can be
   * found.
   */
  private static @Nullable BigInteger findVersion(byte[] bytes) {
    try (JsonParser parser = parser(bytes)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return null;
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        boolean found = parser.currentName().equals(VERSION);
        JsonToken value = parser.nextToken();
        if (found) {
          return value == JsonToken.VALUE_NUMBER_INT ? parser.getBigIntegerValue() : null;
        }
        parser.skipChildren();
      }
      return null;
    } catch (IOException damaged) {
      return null; // the checksum of the whole reports the damage
    }
  }

  /** Checks what a tree may be built of. */
  private static void requireBounded(byte[] bytes) throws IOException {
    CharsetEncoder utf8 = StandardCharsets.UTF_8.newEncoder();
    try (JsonParser parser = parser(bytes)) {
      int depth = 0;
      int tokens = 0;
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        if (depth > MAX_DEPTH) {
          throw new IllegalArgumentException("nested deeper than " + MAX_DEPTH);
        }
        if (++tokens > MAX_TOKENS) {
          throw new IllegalArgumentException("more than " + MAX_TOKENS + " names and values");
        }
        if (token.isNumeric() && parser.getTextLength() > MAX_NUMBER) {
          throw new IllegalArgumentException("number of more than " + MAX_NUMBER + " characters");
        }
        if ((token == JsonToken.FIELD_NAME || token == JsonToken.VALUE_STRING)
            && !utf8.canEncode(parser.getText())) {
          throw new IllegalArgumentException("half a surrogate pair in a name or text");
        }
      }
    }
  }

  /** Compares a file with its checksum. */
  private static void verify(byte[] bytes, String what, String file)
      throws CorruptSnapshotException {
    int end = Math.max(0, bytes.length - END_LENGTH);
    Matcher stated =
        END.matcher(new String(bytes, end, bytes.length - end, StandardCharsets.ISO_8859_1));
    if (!stated.matches()) {
      throw new CorruptSnapshotException(
          "%s does not end with a checksum, perhaps it was cut off: file=%s length=%d"
              .formatted(what, file, bytes.length));
    }
    String actual = checksum(bytes, end);
    if (!actual.equals(stated.group(1))) {
      throw new CorruptSnapshotException(
          "%s checksum mismatch: file=%s offset=%d expected=%s actual=%s"
              .formatted(what, file, end, stated.group(1), actual));
    }
  }

  private static String end(String checksum) {
    return CHECKSUM + " : \"" + checksum + "\"\n}\n";
  }

  private static String checksum(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return SnapshotFormat.hex((int) crc.getValue());
  }
}
