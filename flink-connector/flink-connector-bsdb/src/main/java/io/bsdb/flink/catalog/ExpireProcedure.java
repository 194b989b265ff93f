package io.bsdb.flink.catalog;

import io.bsdb.format.Internal;
import java.io.IOException;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.ProcedureHint;
import org.apache.flink.table.procedure.ProcedureContext;
import org.apache.flink.table.procedures.Procedure;
import org.apache.flink.types.Row;

/**
 * {@code expire(table, keep)} deletes the oldest versions beyond the newest {@code keep}.
 *
 * @hidden
 */
@Internal
@ProcedureHint(
    arguments = {
      @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
      @ArgumentHint(name = "keep", type = @DataTypeHint("INT"))
    },
    output = @DataTypeHint("ROW<deleted STRING>"))
public final class ExpireProcedure implements Procedure {
  private final TableDirectories tables;

  ExpireProcedure(TableDirectories tables) {
    this.tables = tables;
  }

  /** Answers the versions that are deleted. The one in service never is. */
  public Row[] call(ProcedureContext context, String table, Integer keep) throws IOException {
    return tables.table(tables.require(table)).prune(keep).stream()
        .map(version -> Row.of(version))
        .toArray(Row[]::new);
  }
}
