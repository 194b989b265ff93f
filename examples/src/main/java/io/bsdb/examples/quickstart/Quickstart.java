package io.bsdb.examples.quickstart;

import io.bsdb.examples.cluster.LineCount;
import io.bsdb.examples.cluster.LocalFlink;
import io.bsdb.examples.cluster.SqlJobs;
import io.bsdb.examples.quickstart.QuickstartOutput.Live;
import io.bsdb.examples.quickstart.QuickstartReport.CountryCount;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.flink.types.Row;
import org.jspecify.annotations.Nullable;

/**
 * The main job: a Flink batch job builds a table of places, and a Flink SQL streaming job looks up
 * the place of each of 1,000,000 check-ins in it. Everything that Flink does stands in the SQL
 * files beside this class; Flink runs inside this process.
 *
 * @param settings also the stream and the enriched stream go to their directory
 */
public record Quickstart(QuickstartSettings settings, QuickstartOutput output) {
  private static final int PARALLELISM = 2;

  /** Runs it with {@code [directory [places.csv.gz]]}. */
  public static void main(String[] arguments) throws Exception {
    QuickstartSettings settings = QuickstartSettings.of(arguments);
    QuickstartOutput output = new QuickstartOutput(System.out, System.err, Live.NO);
    System.exit(new Quickstart(settings, output).run() ? 0 : 1);
  }

  /**
   * Runs it.
   *
   * @return whether every check-in came out
   */
  public boolean run() throws IOException, InterruptedException {
    return run(settings, output, this::runJobs);
  }

  /** Jobs of a quickstart. */
  interface Jobs {
    /** Runs them, and returns whether all went as it should. */
    boolean run(QuickstartDirectory directory) throws Exception;
  }

  /** Runs jobs in the directory of a quickstart, with the log of Flink in it. */
  static boolean run(QuickstartSettings settings, QuickstartOutput output, Jobs jobs)
      throws IOException, InterruptedException {
    settings.requireCities();
    QuickstartDirectory directory = QuickstartDirectory.claim(settings.directory());
    Path log = directory.resolve("flink.log");
    QuickstartLog.writeTo(log);
    output.message("Flink runs inside this process; its log is " + log);
    try {
      return jobs.run(directory);
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

  private boolean runJobs(QuickstartDirectory directory) throws Exception {
    Path cities = directory.resolve("cities");
    Path checkIns = directory.cleared("check-ins");
    Path enriched = directory.cleared("enriched");
    Map<String, String> variables =
        Map.of(
            "cities_csv", settings.citiesCsv().toUri().toString(),
            "cities", cities.toString(),
            "check_ins", checkIns.toUri().toString(),
            "enriched", enriched.toUri().toString(),
            "events", Long.toString(settings.events()),
            "last_event", Long.toString(settings.events() - 1));

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
          output.start(
              "3/4 a streaming job looks up their places",
              new LineCount(enriched)::look,
              settings.events())) {
        seconds = jobs.insert("quickstart/3-enrich.sql");
      }
      try (var progress = output.start("4/4 two queries count what came out")) {
        answers = jobs.select("quickstart/4-report.sql");
      }
    }
    return report(answers, seconds).print(output, cities, enriched.toString(), settings.events());
  }

  /** Returns the fields of each row. */
  static List<List<@Nullable Object>> fields(List<Row> rows) {
    return rows.stream()
        .map(row -> IntStream.range(0, row.getArity()).mapToObj(row::getField).toList())
        .toList();
  }

  private static QuickstartReport report(List<List<Row>> answers, double seconds) {
    List<CountryCount> countries = new ArrayList<>();
    for (Row row : answers.get(1)) {
      countries.add(new CountryCount(row.getFieldAs(0), row.<Long>getFieldAs(1)));
    }
    return new QuickstartReport(fields(answers.get(0)), countries, seconds);
  }
}
