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
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableException;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/**
 * The main job: a Flink batch job builds a table of places, and a Flink SQL streaming job looks up
 * the place of each of 1,000,000 check-ins in it. Everything that Flink does stands in the SQL
 * files beside this class; Flink runs inside this process.
 */
public final class Quickstart {
  /** Check-ins in the stream. */
  static final long EVENTS = 1_000_000;

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
    } catch (ExecutionException | TableException | ValidationException e) {
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

  private boolean runJobs() throws IOException, InterruptedException, ExecutionException {

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

    insert("1-cities.sql", variables, "1/4 a batch job builds the table", null);
    insert("2-check-ins.sql", variables, "2/4 a batch job makes up the check-ins", null);
    double seconds =
        insert("3-enrich.sql", variables, "3/4 a streaming job looks up their places", enriched);
    List<List<Row>> answers = select("4-report.sql", variables, "4/4 counting");
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

  /** Runs the INSERT of a script; the result is how many seconds the job took. */
  private double insert(
      String script, Map<String, String> variables, String task, @Nullable Path lines)
      throws IOException, InterruptedException, ExecutionException {
    try (var progress = output.start(task, lines, EVENTS)) {
      SqlScript sql = SqlScript.read("quickstart/" + script, variables);
      TableEnvironment environment = environment(sql);
      double seconds = 0;
      for (String statement : sql.statements()) {
        long started = System.nanoTime();
        TableResult result = environment.executeSql(statement);
        if (result.getJobClient().isPresent()) {
          result.await();
          seconds += (System.nanoTime() - started) / 1e9;
        }
      }
      return seconds;
    }
  }

  /** Runs the SELECTs of a script. */
  private List<List<Row>> select(String script, Map<String, String> variables, String task)
      throws IOException, InterruptedException, ExecutionException {
    try (var progress = output.start(task, null, 0)) {
      SqlScript sql = SqlScript.read("quickstart/" + script, variables);
      TableEnvironment environment = environment(sql);
      List<List<Row>> answers = new ArrayList<>();
      for (String statement : sql.statements()) {
        TableResult result = environment.executeSql(statement);
        if (statement.startsWith("SELECT")) {
          answers.add(rows(result));
        }
      }
      return answers;
    }
  }

  private static List<Row> rows(TableResult result) throws ExecutionException {
    List<Row> rows = new ArrayList<>();
    try (CloseableIterator<Row> iterator = result.collect()) {
      iterator.forEachRemaining(rows::add);
    } catch (Exception e) {
      throw new ExecutionException(e);
    }
    return rows;
  }

  private static TableEnvironment environment(SqlScript sql) {
    Configuration configuration = Configuration.fromMap(sql.settings());
    return TableEnvironment.create(
        EnvironmentSettings.newInstance().withConfiguration(configuration).build());
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
    output.line("look one up: bsdb get --table '%s' -- 2950159", directory.resolve("cities"));
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
