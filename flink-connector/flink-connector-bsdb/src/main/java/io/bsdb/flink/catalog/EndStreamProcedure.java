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
 * {@code end_stream(table, stream)} forgets a stream whose job has stopped for good.
 *
 * @hidden
 */
@Internal
@ProcedureHint(
    arguments = {
      @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
      @ArgumentHint(name = "stream", type = @DataTypeHint("STRING"))
    },
    output = @DataTypeHint("ROW<version STRING>"))
public final class EndStreamProcedure implements Procedure {
  private final TableDirectories tables;

  EndStreamProcedure(TableDirectories tables) {
    this.tables = tables;
  }

  /** Answers the version that is in service now, with the same rows as before. */
  public Row[] call(ProcedureContext context, String table, String stream) throws IOException {
    return new Row[] {Row.of(tables.table(tables.require(table)).endStream(stream).version())};
  }
}
