package io.bsdb.cli.input;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.bsdb.cli.output.Encoding;
import io.bsdb.row.text.ValueParser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.MalformedInputException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A JSON object per line. Empty lines are passed over. */
public final class JsonLinesSource extends TextRows {
  @Override
  public boolean hasNames() {
    return true;
  }

  @Override
  void read(InputStream in, String name, List<String> columns, Fields fields) throws IOException {
    Lines.read(
        in,
        name,
        (bytes, start, end, number) -> {
          if (isBlank(bytes, start, end)) {
            return;
          }
          String problem = problem(bytes, start, end, fields);
          if (problem == null) {
            fields.end(number);
          } else {
            fields.refuse(number, problem);
          }
        });
  }

  /** Takes a line apart, and returns what is wrong with it; null if it is a row. */
  private static @Nullable String problem(byte[] bytes, int start, int end, Fields fields)
      throws IOException {
    ByteBuffer line = ByteBuffer.wrap(bytes, start, end - start);
    try (JsonParser in = ValueParser.JSON.createParser(text(line))) {
      if (in.nextToken() != JsonToken.START_OBJECT) {
        while (in.nextToken() != null) {
          // to its end, since it may be no JSON either
        }
        return "not a JSON object: " + Encoding.excerpt(bytes, start, end - start);
      }
      while (in.nextToken() != JsonToken.END_OBJECT) {
        String name = in.currentName();
        in.nextToken();
        fields.field(name, in);
      }
      return in.nextToken() == null ? null : "not JSON: more follows the object";
    } catch (MalformedInputException e) {
      return "malformed UTF-8 in byte %d of the line: %s"
          .formatted(line.position() - start + 1, Utf8Reader.malformed(line, e.getInputLength()));
    } catch (JsonProcessingException e) {
      return "not JSON: " + ValueParser.problem(e);
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static String text(ByteBuffer line) throws IOException {
    String text = UTF_8.newDecoder().decode(line).toString();
    return text.charAt(0) == Utf8Reader.BYTE_ORDER_MARK ? text.substring(1) : text;
  }

  private static boolean isBlank(byte[] bytes, int start, int end) {
    int i = start;
    while (i < end && (bytes[i] == ' ' || bytes[i] == '\t' || bytes[i] == '\r')) {
      i++;
    }
    return i == end;
  }
}
