package io.bsdb.examples.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of SQL statements as Flink's SQL client runs them, with {@code ${name}} where a program
 * puts something in.
 *
 * @param settings of its SET statements
 * @param statements the others, in order
 */
record SqlScript(Map<String, String> settings, List<String> statements) {
  private static final Pattern COMMENT = Pattern.compile("--[^\n]*");
  private static final Pattern STATEMENT_END = Pattern.compile(";\\s*(?:\n|$)");
  private static final Pattern SET = Pattern.compile("SET\\s+'([^']+)'\\s*=\\s*'([^']*)'");
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{(\\w+)}");

  SqlScript {
    settings = Map.copyOf(settings);
    statements = List.copyOf(statements);
  }

  /** Reads a script of the examples, such as {@code quickstart/4-report.sql}. */
  static SqlScript read(String resource, Map<String, String> variables) throws IOException {
    try (InputStream in = SqlScript.class.getResourceAsStream("/io/bsdb/examples/" + resource)) {
      if (in == null) {
        throw new IOException("not in the jar: " + resource);
      }
      return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8), variables);
    }
  }

  /** Parses the text of a script. */
  static SqlScript parse(String text, Map<String, String> variables) {
    Map<String, String> settings = new LinkedHashMap<>();
    List<String> statements = new ArrayList<>();
    String code = COMMENT.matcher(text).replaceAll("");
    for (String part : STATEMENT_END.split(code, -1)) {
      String statement = part.strip();
      Matcher set = SET.matcher(statement);
      if (set.matches()) {
        settings.put(set.group(1), set.group(2));
      } else if (!statement.isEmpty()) {
        statements.add(substitute(statement, variables));
      }
    }
    return new SqlScript(settings, statements);
  }

  private static String substitute(String statement, Map<String, String> variables) {
    return VARIABLE
        .matcher(statement)
        .replaceAll(
            match -> {
              String value = variables.get(match.group(1));
              if (value == null) {
                throw new IllegalArgumentException("no value for " + match.group());
              }
              // Within a string of SQL, a quote is written twice.
              return Matcher.quoteReplacement(value.replace("'", "''"));
            });
  }
}
