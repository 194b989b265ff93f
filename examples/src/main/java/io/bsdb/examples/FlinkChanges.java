package io.bsdb.examples;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/**
 * A stream of changes keeps a table fresh while another job joins with it. A batch job builds the
 * table of places; a streaming job changes the population of one of them again and again; a second
 * one looks that place up, and sees each change after the next checkpoint. Flink runs inside this
 * process; what it does is in the SQL files of {@code quickstart} and {@code live}.
 */
public final class FlinkChanges {
  private final Path citiesCsv;
  private final Path table;
  private final PrintStream out;

  /**
   * Prepares a run.
   *
   * @param citiesCsv the places
   * @param table a directory that does not exist yet
   * @param out gets what is looked up whenever it has changed
   */
  public FlinkChanges(Path citiesCsv, Path table, PrintStream out) {
    this.citiesCsv = citiesCsv;
    this.table = table;
    this.out = out;
  }

  /** Runs it with {@code places.csv.gz directory}. */
  public static void main(String[] arguments) throws Exception {
    new FlinkChanges(Path.of(arguments[0]), Path.of(arguments[1]), System.out).run(10);
    System.exit(0);
  }

  /** Runs it until a number of changes have been seen. */
  public void run(int changes) throws Exception {
    Map<String, String> variables =
        Map.of(
            "cities_csv", citiesCsv.toUri().toString(), "cities", table.toString(), "rate", "50");
    try (LocalFlink flink = LocalFlink.start(2)) {
      SqlJobs jobs = new SqlJobs(flink, variables);
      jobs.insert("quickstart/1-cities.sql");
      JobClient stream = jobs.start("live/changes.sql").getJobClient().orElseThrow();
      TableResult lookups = jobs.start("live/lookups.sql");
      try (CloseableIterator<Row> rows = lookups.collect()) {
        long last = rows.next().<Long>getFieldAs("population");
        for (int seen = 0; seen < changes; ) {
          Row row = rows.next();
          long population = row.<Long>getFieldAs("population");
          if (population != last) {
            out.println(row.getField("name") + " has " + population + " inhabitants");
            last = population;
            seen++;
          }
        }
      }
      stream.cancel().get();
    }
  }
}
