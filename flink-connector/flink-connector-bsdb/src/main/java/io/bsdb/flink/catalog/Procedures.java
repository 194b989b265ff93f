package io.bsdb.flink.catalog;

import java.util.List;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.procedures.Procedure;
import org.jspecify.annotations.Nullable;

/** The procedures of a catalog: {@code CALL catalog.sys.name(…)}. */
final class Procedures {
  static final String DATABASE = "sys";

  private Procedures() {}

  static List<String> names() {
    return List.of("compact", "end_stream", "expire", "rollback", "rollback_to", "sweep", "verify");
  }

  /** Returns the procedure of this name, or null. */
  static @Nullable Procedure get(ObjectPath path, TableDirectories tables) {
    if (!path.getDatabaseName().equals(DATABASE)) {
      return null;
    }
    return switch (path.getObjectName()) {
      case "compact" -> new CompactProcedure(tables);
      case "end_stream" -> new EndStreamProcedure(tables);
      case "expire" -> new ExpireProcedure(tables);
      // ROLLBACK is a keyword of SQL, so that the first name needs backticks.
      case "rollback", "rollback_to" -> new RollbackProcedure(tables);
      case "sweep" -> new SweepProcedure(tables);
      case "verify" -> new VerifyProcedure(tables);
      default -> null;
    };
  }
}
