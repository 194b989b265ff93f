package io.bsdb.flink;

import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.row.Row;
import io.bsdb.row.RowCodec;
import io.bsdb.row.RowLayout;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.types.RowKind;

/** A table with the history of prices, and the changelogs that are written into it. */
final class Histories {
  static final TypeInformation<org.apache.flink.types.Row> ROW =
      Types.ROW_NAMED(new String[] {"item", "price", "ts"}, Types.STRING, Types.INT, Types.INSTANT);

  /** Into all columns but {@code ended}. */
  static final String INSERT = "INSERT INTO prices (item, price, changed_at) ";

  private Histories() {}

  static String ddl(Path directory, String... options) {
    return """
    CREATE TABLE prices (item STRING, price INT, changed_at TIMESTAMP_LTZ(3), ended BOOLEAN METADATA,
      valid_at TIMESTAMP_LTZ(3) METADATA FROM 'floor' VIRTUAL, PRIMARY KEY (item, changed_at) NOT ENFORCED)
    WITH ('connector' = 'bsdb', 'path' = '%s', 'history.retention' = 'forever', 'sink.partitions' = '4'%s)"""
        .formatted(directory, String.join("", options));
  }

  /** A row of a changelog. */
  static org.apache.flink.types.Row row(RowKind kind, String item, Integer price, long millis) {
    return org.apache.flink.types.Row.ofKind(kind, item, price, Instant.ofEpochMilli(millis));
  }

  /** Declares a changelog with the columns {@code item}, {@code price} and {@code ts}. */
  static void declare(
      Sql session,
      String name,
      ChangelogMode mode,
      Schema.Builder schema,
      org.apache.flink.types.Row... rows) {
    session.changelog(
        name,
        session.env.fromData(ROW, rows).setParallelism(1),
        mode,
        schema
            .column("item", DataTypes.STRING().notNull())
            .column("price", DataTypes.INT())
            .column("ts", DataTypes.TIMESTAMP_LTZ(3))
            .columnByExpression("pt", "PROCTIME()"));
  }

  static Schema.Builder byItem() {
    return Schema.newBuilder().primaryKey("item");
  }

  /** Returns all that a table holds, such as {@code bread 1000=7} and {@code bread 3000 ended}. */
  static List<String> versions(Path directory) throws Exception {
    List<String> versions = new ArrayList<>();
    try (SnapshotReader reader = SnapshotReader.open(directory);
        RecordCursor records = reader.allVersions().scan()) {
      RowCodec codec = RowCodec.of(Objects.requireNonNull(reader.manifest().schema()));
      while (records.next()) {
        boolean ended = RowLayout.isEnded(records.value());
        Row row =
            codec.decode(records.key(), ended ? codec.encodeValue((Object) null) : records.value());
        versions.add(
            "%s %d%s"
                .formatted(
                    row.string("item"),
                    row.instant("changed_at").toEpochMilli(),
                    ended ? " ended" : "=" + row.value("price")));
      }
    }
    return versions;
  }
}
