package io.bsdb.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.MalformedInputException;
import java.util.LinkedHashMap;
import java.util.Map;

/** A JSON object per line. Empty lines are passed over. */
final class JsonLinesSource implements RowSource {
  private static final ObjectReader READER =
      JsonMapper.builder(JsonFactory.builder().streamReadConstraints(CONSTRAINTS).build())
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .build()
          .readerFor(JsonNode.class);

  @Override
  public boolean isTyped() {
    return true;
  }

  @Override
  public void read(InputStream in, String name, Sink sink) throws IOException {
    Map<String, JsonNode> fields = new LinkedHashMap<>();
    Lines.read(
        in,
        name,
        (bytes, start, end, number) -> {
          if (isBlank(bytes, start, end)) {
            return;
          }
          ByteBuffer line = ByteBuffer.wrap(bytes, start, end - start);
          JsonNode node;
          try {
            node = READER.readValue(withoutMark(UTF_8.newDecoder().decode(line).toString()));
          } catch (MalformedInputException e) {
            sink.refuse(
                number,
                "malformed UTF-8 in byte %d of the line: %s"
                    .formatted(
                        line.position() - start + 1,
                        Utf8Reader.malformed(line, e.getInputLength())));
            return;
          } catch (JsonProcessingException e) {
            sink.refuse(number, "not JSON: " + e.getOriginalMessage());
            return;
          }
          if (node.isObject()) {
            fields.clear();
            for (Map.Entry<String, JsonNode> field : node.properties()) {
              fields.put(field.getKey(), field.getValue());
            }
            sink.row(fields, number);
          } else {
            sink.refuse(
                number, "not a JSON object: " + Encoding.excerpt(bytes, start, end - start));
          }
        });
  }

  private static String withoutMark(String line) {
    return line.charAt(0) == Utf8Reader.BYTE_ORDER_MARK ? line.substring(1) : line;
  }

  /** A single JSON value, read as those of the lines are. */
  static JsonNode parse(String text) throws JsonProcessingException {
    return READER.readValue(text);
  }

  private static boolean isBlank(byte[] bytes, int start, int end) {
    int i = start;
    while (i < end && (bytes[i] == ' ' || bytes[i] == '\t' || bytes[i] == '\r')) {
      i++;
    }
    return i == end;
  }
}
