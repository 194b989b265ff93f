package io.bsdb.http.page;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;

/** Writes CSV as RFC 4180 specifies it. */
final class Csv {
  private final OutputStream out;

  Csv(OutputStream out) {
    this.out = out;
  }

  void line(Collection<String> fields) throws IOException {
    StringBuilder line = new StringBuilder();
    for (String field : fields) {
      line.append(line.isEmpty() ? "" : ",").append(quoted(field));
    }
    out.write(line.append("\r\n").toString().getBytes(StandardCharsets.UTF_8));
  }

  /** Quotes what would be taken apart, and empty fields. */
  private static String quoted(String field) {
    boolean plain = !field.isEmpty() && field.chars().noneMatch(c -> ",\"\r\n".indexOf(c) >= 0);
    return plain ? field : '"' + field.replace("\"", "\"\"") + '"';
  }
}
