package io.bsdb.http.page;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes CSV as RFC 4180 specifies it. */
record Csv(OutputStream out) {
  /** Writes a line; null is an empty field, other than an empty text. */
  void line(Collection<@Nullable String> fields) throws IOException {
    String line =
        fields.stream()
            .map(field -> field == null ? "" : quoted(field))
            .collect(Collectors.joining(",", "", "\r\n"));
    out.write(line.getBytes(StandardCharsets.UTF_8));
  }

  /** Quotes what would be taken apart, and empty fields. */
  private static String quoted(String field) {
    boolean plain = !field.isEmpty() && field.chars().noneMatch(c -> ",\"\r\n".indexOf(c) >= 0);
    return plain ? field : '"' + field.replace("\"", "\"\"") + '"';
  }
}
