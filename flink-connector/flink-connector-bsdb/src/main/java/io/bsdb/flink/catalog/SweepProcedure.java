package io.bsdb.flink.catalog;

import io.bsdb.flink.BsdbOptions;
import io.bsdb.format.Internal;
import java.io.IOException;
import java.time.Duration;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.ProcedureHint;
import org.apache.flink.table.procedure.ProcedureContext;
import org.apache.flink.table.procedures.Procedure;
import org.apache.flink.types.Row;
import org.apache.flink.util.TimeUtils;
import org.jspecify.annotations.Nullable;

/**
 * {@code sweep(table, age)} deletes what failed builds left behind.
 *
 * @hidden
 */
@Internal
@ProcedureHint(
    arguments = {
      @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
      @ArgumentHint(name = "age", type = @DataTypeHint("STRING"), isOptional = true)
    },
    output = @DataTypeHint("ROW<deleted STRING>"))
public final class SweepProcedure implements Procedure {
  private final TableDirectories tables;

  SweepProcedure(TableDirectories tables) {
    this.tables = tables;
  }

  /**
   * Answers what is deleted, relative to the table directory.
   *
   * @param age for how long nothing must have changed in it, as Flink's options write it; null for
   *     the default of {@code sink.staging-retention}
   */
  public Row[] call(ProcedureContext context, String table, @Nullable String age)
      throws IOException {
    Duration retention =
        age == null
            ? BsdbOptions.SINK_STAGING_RETENTION.defaultValue()
            : TimeUtils.parseDuration(age);
    return tables.table(tables.require(table)).sweep(retention).stream()
        .map(path -> Row.of(path))
        .toArray(Row[]::new);
  }
}
