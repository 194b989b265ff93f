package io.bsdb.format;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * A file that is one JSON object whose last member is the checksum of all bytes before it. The JSON
 * need not be understood to verify the checksum.
 */
public final class ChecksummedJson {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
  private static final String CHECKSUM = "\"checksum\"";

  private ChecksummedJson() {}

  /** The file; {@code root} gets its last member. */
  public static byte[] encode(ObjectNode root) {
    root.put("checksum", "00000000");
    try {
      String text = JSON.writeValueAsString(root);
      String covered = text.substring(0, text.lastIndexOf(CHECKSUM));
      return (covered + end(checksum(covered.getBytes(StandardCharsets.UTF_8))))
          .getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of strings and numbers cannot be written as JSON", e);
    }
  }

  /**
   * Compares a file with its checksum.
   *
   * @param what the file is, for messages, such as {@code manifest}
   * @param file named in messages
   * @throws CorruptSnapshotException if they differ
   */
  public static void verify(byte[] bytes, String what, String file)
      throws CorruptSnapshotException {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    int end = text.lastIndexOf(CHECKSUM);
    if (end < 0) {
      throw new CorruptSnapshotException("%s has no checksum: file=%s".formatted(what, file));
    }
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, end);
    String actual = SnapshotFormat.hex((int) crc.getValue());
    if (!text.substring(end).equals(end(actual))) {
      throw new CorruptSnapshotException(
          "%s checksum mismatch: file=%s offset=%d expected=%s actual=%s"
              .formatted(
                  what,
                  file,
                  end,
                  text.substring(end).replaceAll("[^0-9a-f]", "").replaceFirst("^cec", ""),
                  actual));
    }
  }

  private static String end(String checksum) {
    return CHECKSUM + " : \"" + checksum + "\"\n}\n";
  }

  private static String checksum(byte[] covered) {
    CRC32C crc = new CRC32C();
    crc.update(covered);
    return SnapshotFormat.hex((int) crc.getValue());
  }
}
