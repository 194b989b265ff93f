package io.bsdb.examples;

import io.bsdb.format.Manifest;
import io.bsdb.table.Table;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.types.Row;

/**
 * The main job: a Flink batch job builds a table of places, and a Flink SQL streaming job looks up
 * the place of each of 1,000,000 check-ins in it. Everything that Flink does stands in the SQL
 * files beside this class; Flink runs inside this process.
 */
public final class Quickstart {
  /** Check-ins in the stream. */
  static final long EVENTS = 1_000_000;

  private static final int PARALLELISM = 2;
  private static final int SHOWN = 10;
  private static final String MARKER = ".bsdb-quickstart";

  private final Path directory;
  private final Path citiesCsv;
  private final QuickstartOutput output;

  /**
   * Prepares a run.
   *
   * @param directory gets the table, the stream, the enriched stream and Flink's log
   * @param citiesCsv the places
   * @param results gets what came out
   * @param messages gets the progress
   * @param live whether a person watches {@code messages}
   */
  public Quickstart(
      Path directory, Path citiesCsv, PrintStream results, PrintStream messages, Live live) {
    this.directory = directory.toAbsolutePath().normalize();
    this.citiesCsv = citiesCsv.toAbsolutePath().normalize();
    this.output = new QuickstartOutput(results, messages, live);
  }

  /** Whether progress may overwrite itself. */
  public enum Live {
    YES,
    NO
  }

  /** Runs it with {@code [directory [places.csv.gz]]}. */
  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments.length > 0 ? arguments[0] : "bsdb-quickstart");
    Path cities = Path.of(arguments.length > 1 ? arguments[1] : "examples/data/cities500.csv.gz");
    Quickstart quickstart = new Quickstart(directory, cities, System.out, System.err, Live.NO);
    System.exit(quickstart.run() ? 0 : 1);
  }

  /**
   * Runs it.
   *
   * @return whether every check-in came out
   */
  public boolean run() throws IOException, InterruptedException {
    if (!Files.isReadable(citiesCsv)) {
      throw new IOException("cannot read the places: " + citiesCsv);
    }
    claimDirectory();
    Path log = directory.resolve("flink.log");
    QuickstartLog.writeTo(log);
    output.message("Flink runs inside this process; its log is " + log);
    try {
      return runJobs();
    } catch (InterruptedException | IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("Flink failed: %s; see %s".formatted(rootCause(e), log), e);
    }
  }

  private static Throwable rootCause(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  private boolean runJobs() throws Exception {
    Path cities = directory.resolve("cities");
    Path checkIns = directory.resolve("check-ins");
    Path enriched = directory.resolve("enriched");
    deleteFiles(checkIns);
    deleteFiles(enriched);
    Map<String, String> variables =
        Map.of(
            "cities_csv", citiesCsv.toUri().toString(),
            "cities", cities.toString(),
            "check_ins", checkIns.toUri().toString(),
            "enriched", enriched.toUri().toString(),
            "events", Long.toString(EVENTS),
            "last_event", Long.toString(EVENTS - 1));

    double seconds;
    List<List<Row>> answers;
    try (LocalFlink flink = LocalFlink.start(PARALLELISM)) {
      SqlJobs jobs = new SqlJobs(flink, variables);
      try (var progress = output.start("1/4 a batch job builds the table")) {
        jobs.insert("quickstart/1-cities.sql");
      }
      try (var progress = output.start("2/4 a batch job makes up the check-ins")) {
        jobs.insert("quickstart/2-check-ins.sql");
      }
      try (var progress =
          output.start("3/4 a streaming job looks up their places", enriched, EVENTS)) {
        seconds = jobs.insert("quickstart/3-enrich.sql");
      }
      try (var progress = output.start("4/4 two queries count what came out")) {
        answers = jobs.select("quickstart/4-report.sql");
      }
    }
    return report(Table.at(cities), enriched, answers, seconds);
  }

  /** Files are deleted below the directory, so it has to be one that an earlier run made. */
  private void claimDirectory() throws IOException {
    Files.createDirectories(directory);
    Path marker = directory.resolve(MARKER);
    if (!Files.exists(marker)) {
      try (Stream<Path> entries = Files.list(directory)) {
        if (entries.findAny().isPresent()) {
          throw new IOException(
              "the directory is not empty, and no quickstart made it: " + directory);
        }
      }
      Files.createFile(marker);
    }
  }

  private boolean report(Table table, Path enriched, List<List<Row>> answers, double seconds)
      throws IOException {
    output.section("Ten enriched check-ins");
    output.table(
        answers.get(0),
        "check_in",
        "user",
        "geoname_id",
        "city",
        "country",
        "timezone",
        "population");

    long total = 0;
    long unmatched = 0;
    List<Row> countries = new ArrayList<>();
    for (Row row : answers.get(1)) {
      long count = (Long) row.getFieldAs(1);
      total += count;
      if (row.getField(0) == null) {
        unmatched += count;
      } else {
        countries.add(row);
      }
    }
    output.section("The ten countries with most check-ins");
    output.table(countries.subList(0, Math.min(SHOWN, countries.size())), "country", "check_ins");

    Manifest manifest = table.manifest(table.requireCurrentVersion());
    output.section("Where it is");
    output.line(
        "snapshot  %s/snapshots/%s: %,d records, %,d bytes, %.1f bytes per record",
        directory.resolve("cities"),
        manifest.version(),
        manifest.recordCount(),
        manifest.length(),
        (double) manifest.length() / manifest.recordCount());
    output.line("enriched  %s", enriched);
    output.line("look one up: ./bsdb get --table '%s' -- 2950159", directory.resolve("cities"));
    output.line("");
    output.line(
        "events=%d enriched=%d unmatched=%d rows_per_second=%.0f",
        EVENTS, total - unmatched, unmatched, EVENTS / seconds);
    return total == EVENTS && unmatched == EVENTS / 20;
  }

  private static void deleteFiles(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
