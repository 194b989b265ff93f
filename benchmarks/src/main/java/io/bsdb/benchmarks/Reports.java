package io.bsdb.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Where results go: a JSON file, a page with charts, and standard output. */
public final class Reports {
  private static final String JSON = "results.json";
  private static final String PAGE = "report.html";

  private Reports() {}

  /** Writes both files. */
  public static void write(Results results, Path directory) throws IOException {
    Files.createDirectories(directory);
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(directory.resolve(JSON).toFile(), results);
    Files.writeString(directory.resolve(PAGE), HtmlReport.of(results));
  }

  /** What was written before. */
  static Results read(Path directory) throws IOException {
    return new ObjectMapper().readValue(directory.resolve(JSON).toFile(), Results.class);
  }

  /** Prints results, and where they were written to. */
  public static void print(Results results, Path directory) {
    System.out.print(TextReport.of(results));
    System.out.printf(
        Locale.ROOT, "%nWritten to %s: %s, %s%n", directory.toAbsolutePath(), JSON, PAGE);
  }
}
