package io.bsdb.flink.catalog;

import io.bsdb.compact.Compactor;
import io.bsdb.flink.storage.TableLocation;
import io.bsdb.format.Internal;
import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.ProcedureHint;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.procedure.ProcedureContext;
import org.apache.flink.table.procedures.Procedure;
import org.apache.flink.types.Row;
import org.jspecify.annotations.Nullable;

/**
 * {@code compact(table, fraction)} folds changes into partition files, and merges the rest.
 *
 * @hidden
 */
@ProcedureHint(
    arguments = {
      @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
      @ArgumentHint(name = "fraction", type = @DataTypeHint("DOUBLE"), isOptional = true)
    },
    output = @DataTypeHint("ROW<version STRING, folded_partitions INT, merged_segments INT>"))
@Internal
public final class CompactProcedure implements Procedure {
  private final TableDirectories tables;

  CompactProcedure(TableDirectories tables) {
    this.tables = tables;
  }

  /**
   * Answers the version in service, and what was done to it.
   *
   * @param fraction of the records of a partition from which it is folded if so many were changed;
   *     0 folds all changes; null for the default
   */
  public Row[] call(ProcedureContext context, String table, @Nullable Double fraction)
      throws IOException {
    ObjectPath path = tables.require(table);
    TableLocation location = tables.location(path);
    double foldFraction = fraction == null ? Compactor.FOLD_FRACTION : fraction;
    if (location.isLocal()) {
      return answer(new Compactor(location.directory()).foldFraction(foldFraction).run());
    }
    Path copies = Files.createTempDirectory("bsdb-compact-");
    try {
      return answer(Compactor.remote(tables.table(path), copies).foldFraction(foldFraction).run());
    } finally {
      Table.at(copies).storage().delete("");
    }
  }

  private static Row[] answer(Compactor.Result result) {
    return new Row[] {
      Row.of(result.manifest().version(), result.foldedPartitions(), result.mergedSegments())
    };
  }
}
