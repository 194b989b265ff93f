package io.bsdb.flink;

import io.bsdb.flink.row.SnapshotMetadata;
import io.bsdb.format.Internal;
import io.bsdb.row.text.RowJsonWriter;
import java.net.URL;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.TableDescriptor;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;

/**
 * Runs a script in Flink, in this process, and builds a table of the rows of its last statement.
 * The command line finds it by its name and with Flink's class loader.
 *
 * @hidden
 */
@Internal
public final class SqlBuild {
  private static final String TARGET = "bsdb_build_target";
  private static final Pattern SET = Pattern.compile("(?is)SET\\s+'([^']+)'\\s*=\\s*'([^']*)'");
  private static final Pattern QUERY = Pattern.compile("(?is)[\\s(]*(SELECT|WITH|VALUES)\\b.*");

  private SqlBuild() {}

  /**
   * Builds.
   *
   * @param script statements with semicolons between, the last of which is a SELECT
   * @param table directory or URI
   * @param key columns of the primary key
   * @param options of the connector
   * @throws IllegalArgumentException if the script is none
   * @throws Exception what Flink throws
   */
  public static void run(
      String script, String table, List<String> key, Map<String, String> options, int parallelism)
      throws Exception {
    List<String> statements = statements(script);
    if (statements.isEmpty() || !QUERY.matcher(statements.get(statements.size() - 1)).matches()) {
      throw new IllegalArgumentException(
          "the last statement must be a SELECT: its rows become the table");
    }
    Configuration configuration = new Configuration();
    configuration.set(CoreOptions.DEFAULT_PARALLELISM, parallelism);
    // With a class path of its own a job gets a class loader of its own, whose parent is that of
    // Flink's classes; else it would get the system's, which need not have them.
    configuration.set(PipelineOptions.CLASSPATHS, List.of(ownLocation().toString()));
    configuration.set(CoreOptions.CLASSLOADER_RESOLVE_ORDER, "parent-first");
    TableEnvironment environment =
        TableEnvironment.create(
            EnvironmentSettings.newInstance()
                .inBatchMode()
                .withConfiguration(configuration)
                .build());
    for (String statement : statements.subList(0, statements.size() - 1)) {
      Matcher set = SET.matcher(statement);
      if (set.matches()) {
        environment.getConfig().set(set.group(1), set.group(2));
      } else {
        TableResult result = environment.executeSql(statement);
        if (result.getJobClient().isPresent()) {
          result.await();
        }
      }
    }
    Table rows = environment.sqlQuery(statements.get(statements.size() - 1));
    TableDescriptor.Builder target =
        TableDescriptor.forConnector("bsdb")
            .schema(schema(rows, key, options.containsKey(BsdbOptions.HISTORY_RETENTION.key())))
            .option("path", table);
    options.forEach(target::option);
    environment.createTemporaryTable(TARGET, target.build());
    boolean overwrite = true;
    rows.insertInto(TARGET, overwrite).execute().await();
  }

  private static URL ownLocation() {
    return SqlBuild.class.getProtectionDomain().getCodeSource().getLocation();
  }

  /**
   * Returns the columns of a table of these rows.
   *
   * @param isHistory whether a BOOLEAN column may say which rows are ended, as in other inputs
   */
  private static Schema schema(Table rows, List<String> key, boolean isHistory) {
    List<String> names = rows.getResolvedSchema().getColumnNames();
    for (String name : key) {
      if (!names.contains(name)) {
        throw new IllegalArgumentException(
            "key column '%s' is not a column; the SELECT has %s".formatted(name, names));
      }
    }
    String ended = RowJsonWriter.endedColumn(names);
    Schema.Builder schema = Schema.newBuilder();
    for (Column column : rows.getResolvedSchema().getColumns()) {
      DataType type = column.getDataType();
      if (isHistory
          && column.getName().equals(ended)
          && type.getLogicalType().is(LogicalTypeRoot.BOOLEAN)
          && !key.contains(ended)) {
        schema.columnByMetadata(ended, type, SnapshotMetadata.ENDED.key());
        continue;
      }
      schema.column(column.getName(), key.contains(column.getName()) ? type.notNull() : type);
    }
    return schema.primaryKey(key).build();
  }

  /** Splits a script at the semicolons outside of quotes and comments. */
  static List<String> statements(String script) {
    List<String> statements = new ArrayList<>();
    StringBuilder statement = new StringBuilder();
    int i = 0;
    while (i < script.length()) {
      char c = script.charAt(i);
      int end = i + 1;
      if (c == '\'' || c == '"' || c == '`') {
        int close = script.indexOf(c, end);
        end = close < 0 ? script.length() : close + 1;
      } else if (script.startsWith("--", i)) {
        int close = script.indexOf('\n', i);
        i = close < 0 ? script.length() : close;
        continue;
      } else if (script.startsWith("/*", i) && !script.startsWith("/*+", i)) {
        int close = script.indexOf("*/", i + 2);
        i = close < 0 ? script.length() : close + 2;
        statement.append(' ');
        continue;
      }
      if (c == ';') {
        add(statement, statements);
      } else {
        statement.append(script, i, end);
      }
      i = end;
    }
    add(statement, statements);
    return statements;
  }

  private static void add(StringBuilder statement, List<String> statements) {
    String text = statement.toString().strip();
    if (!text.isEmpty()) {
      statements.add(text);
    }
    statement.setLength(0);
  }
}
