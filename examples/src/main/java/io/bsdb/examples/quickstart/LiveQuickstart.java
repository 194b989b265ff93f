package io.bsdb.examples.quickstart;

import io.bsdb.examples.cluster.LocalFlink;
import io.bsdb.examples.cluster.SqlJobs;
import io.bsdb.examples.quickstart.QuickstartOutput.Live;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/**
 * A stream of changes keeps a table fresh while another job joins with it. A batch job builds the
 * table of places; a streaming job changes the population of one of them again and again; a second
 * one looks that place up all the time. Flink runs inside this process; what it does is in the SQL
 * files of {@code quickstart} and {@code live}.
 *
 * @param settings whose events are the changes
 */
public record LiveQuickstart(QuickstartSettings settings, QuickstartOutput output) {
  private static final long POPULATION = 3_426_354;

  /** For how long changes are made. */
  private static final long SECONDS = 5;

  /** Runs it with {@code [directory [places.csv.gz]]}. */
  public static void main(String[] arguments) throws Exception {
    QuickstartSettings settings = QuickstartSettings.of(arguments);
    QuickstartOutput output = new QuickstartOutput(System.out, System.err, Live.NO);
    System.exit(new LiveQuickstart(settings, output).run() ? 0 : 1);
  }

  /**
   * Runs it.
   *
   * @return whether the join found the last change
   */
  public boolean run() throws IOException, InterruptedException {
    return Quickstart.run(settings, output, this::runJobs);
  }

  private boolean runJobs(QuickstartDirectory directory) throws Exception {
    Path cities = directory.cleared("live-cities");
    Map<String, String> variables =
        Map.of(
            "cities_csv", settings.citiesCsv().toUri().toString(),
            "cities", cities.toString(),
            "births", Long.toString(settings.events()),
            "rate", Long.toString(Math.max(1, settings.events() / SECONDS)));
    long last;
    try (LocalFlink flink = LocalFlink.start(2)) {
      SqlJobs jobs = new SqlJobs(flink, variables);
      try (var progress = output.start("1/2 a batch job builds the table")) {
        jobs.insert("quickstart/1-cities.sql");
      }
      output.message("2/2 a job changes it, and another one joins with it");
      output.section("What the join found, whenever it was something else");
      TableResult lookups = jobs.start("live/lookups.sql");
      try (CloseableIterator<Row> rows = lookups.collect()) {
        last = follow(rows, jobs.start("live/changes.sql").getJobClient().orElseThrow());
      }
    }
    return report(cities, last);
  }

  /** Shows what is looked up until all changes are seen. */
  private long follow(CloseableIterator<Row> rows, JobClient changes) throws Exception {
    CompletableFuture<JobExecutionResult> ended = changes.getJobExecutionResult();
    long last = -1;
    while (last < POPULATION + settings.events() && !ended.isCompletedExceptionally()) {
      Row row = rows.next();
      long population = row.<Long>getFieldAs("population");
      if (population != last) {
        output.line("  %s has %,d inhabitants", row.getField("name"), population);
        last = population;
      }
    }
    ended.get();
    return last;
  }

  private boolean report(Path cities, long last) throws IOException {
    Table table = Table.at(cities);
    Manifest manifest = table.manifest(table.requireCurrentVersion());
    output.section("Where it is");
    output.line("table  %s: version %s", cities, manifest.version());
    output.line("look one up: ./bsdb get --table '%s' -- 2950159", cities);
    output.line("");
    output.line(
        "changes=%d versions=%d population=%d",
        manifest.changes().count(), table.versions().size(), last);
    return last == POPULATION + settings.events();
  }
}
