package io.bsdb.examples.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/**
 * Runs scripts on a cluster, each in an environment of its own, as the SQL client would.
 *
 * @param variables what scripts may use as {@code ${name}}
 */
public record SqlJobs(LocalFlink flink, Map<String, String> variables) {
  public SqlJobs {
    variables = Map.copyOf(variables);
  }

  /** Runs the INSERTs of a script; the result is for how many seconds their jobs ran. */
  public double insert(String resource) throws Exception {
    SqlScript script = SqlScript.read(resource, variables);
    TableEnvironment environment = environment(script);
    double seconds = 0;
    for (String statement : script.statements()) {
      TableResult result = environment.executeSql(statement);
      if (result.getJobClient().isPresent()) {
        long submitted = System.nanoTime();
        result.await();
        seconds += (System.nanoTime() - submitted) / 1e9;
      }
    }
    return seconds;
  }

  /** Starts the job of a script's last statement, and does not wait for it. */
  public TableResult start(String resource) throws Exception {
    SqlScript script = SqlScript.read(resource, variables);
    TableEnvironment environment = environment(script);
    List<String> statements = script.statements();
    for (String statement : statements.subList(0, statements.size() - 1)) {
      environment.executeSql(statement);
    }
    return environment.executeSql(statements.get(statements.size() - 1));
  }

  /** Runs a script; the result has the rows of each of its SELECTs. */
  public List<List<Row>> select(String resource) throws Exception {
    SqlScript script = SqlScript.read(resource, variables);
    TableEnvironment environment = environment(script);
    List<List<Row>> answers = new ArrayList<>();
    for (String statement : script.statements()) {
      TableResult result = environment.executeSql(statement);
      if (statement.startsWith("SELECT")) {
        answers.add(rows(result));
      }
    }
    return answers;
  }

  private static List<Row> rows(TableResult result) throws Exception {
    List<Row> rows = new ArrayList<>();
    try (CloseableIterator<Row> iterator = result.collect()) {
      iterator.forEachRemaining(rows::add);
    }
    return rows;
  }

  private TableEnvironment environment(SqlScript script) throws Exception {
    Configuration configuration = flink.configuration();
    configuration.addAll(Configuration.fromMap(script.settings()));
    return TableEnvironment.create(
        EnvironmentSettings.newInstance().withConfiguration(configuration).build());
  }
}
