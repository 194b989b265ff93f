package io.bsdb.flink.catalog;

import io.bsdb.format.Internal;
import io.bsdb.table.Table;
import java.io.IOException;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.ProcedureHint;
import org.apache.flink.table.procedure.ProcedureContext;
import org.apache.flink.table.procedures.Procedure;
import org.apache.flink.types.Row;
import org.jspecify.annotations.Nullable;

/**
 * {@code rollback(table, version, stream)} puts another version in service; by default the one
 * before.
 *
 * @hidden
 */
@Internal
@ProcedureHint(
    arguments = {
      @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
      @ArgumentHint(name = "version", type = @DataTypeHint("STRING"), isOptional = true),
      @ArgumentHint(name = "stream", type = @DataTypeHint("STRING"), isOptional = true)
    },
    output = @DataTypeHint("ROW<version STRING>"))
public final class RollbackProcedure implements Procedure {
  private final TableDirectories tables;

  RollbackProcedure(TableDirectories tables) {
    this.tables = tables;
  }

  /**
   * Answers the version that is in service now.
   *
   * @param stream that is recorded in the table, where the storage has no locks; its job must have
   *     stopped
   */
  public Row[] call(
      ProcedureContext context, String table, @Nullable String version, @Nullable String stream)
      throws IOException {
    Table stored = tables.table(tables.require(table));
    String target = version == null ? Versions.previous(stored) : Versions.resolve(stored, version);
    stored.rollback(target, stream);
    return new Row[] {Row.of(target)};
  }
}
