package io.bsdb.benchmarks.harness;

import io.bsdb.row.Schema;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.zip.GZIPInputStream;

/** Lines of a CSV file with a header, the first column the key: repeated with other keys. */
final class CsvRows {
  /** Offset between the numeric keys of two repetitions of the file. */
  private static final long NEXT_COPY = 1L << 32;

  private CsvRows() {}

  /**
   * Reads a file.
   *
   * @param file may end in {@code .gz}
   * @param typed whether columns of numbers become BIGINT or DOUBLE; else all are text
   */
  static DataSet read(Path file, boolean typed) throws IOException {
    List<Object[]> lines = new ArrayList<>();
    String[] names;
    try (var in = Files.newInputStream(file);
        var text = file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in;
        var reader = new BufferedReader(new InputStreamReader(text, StandardCharsets.UTF_8))) {
      String header = reader.readLine();
      names = header == null ? new String[0] : header.split(",", -1);
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        String[] fields = line.split(",", -1);
        if (fields.length == names.length) { // others have commas within a field
          lines.add(Arrays.copyOf(fields, fields.length, Object[].class));
        }
      }
    }
    if (lines.isEmpty()) {
      throw new IOException("no rows below a header: file=" + file);
    }
    Schema.Builder schema = Schema.builder();
    for (int i = 0; i < names.length; i++) {
      schema.column(names[i], typed ? type(lines, i) : "STRING");
    }
    String name = (typed ? "" : "text:") + file;
    return new DataSet.Rows(name, schema.primaryKey(names[0]).build(), id -> row(lines, id));
  }

  /** Finds the type of a column, and makes its fields values of it. */
  private static String type(List<Object[]> lines, int column) {
    if (parse(lines, column, Long::valueOf)) {
      return "BIGINT";
    }
    return parse(lines, column, Double::valueOf) ? "DOUBLE" : "STRING";
  }

  /** Parses the fields of a column; changes none if one is no such number. */
  private static boolean parse(List<Object[]> lines, int column, Function<String, Number> parser) {
    Number[] parsed = new Number[lines.size()];
    try {
      for (int i = 0; i < parsed.length; i++) {
        parsed[i] = parser.apply((String) lines.get(i)[column]);
      }
    } catch (NumberFormatException e) {
      return false;
    }
    for (int i = 0; i < parsed.length; i++) {
      lines.get(i)[column] = parsed[i];
    }
    return true;
  }

  private static Object[] row(List<Object[]> rows, long id) {
    Object[] fields = rows.get((int) (id % rows.size())).clone();
    long copy = id / rows.size();
    if (copy > 0) {
      fields[0] = fields[0] instanceof Long key ? key + copy * NEXT_COPY : fields[0] + "." + copy;
    }
    return fields;
  }
}
