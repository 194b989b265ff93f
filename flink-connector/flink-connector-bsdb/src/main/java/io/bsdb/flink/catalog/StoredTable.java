package io.bsdb.flink.catalog;

import io.bsdb.flink.BsdbOptions;
import io.bsdb.flink.SnapshotTableFactory;
import io.bsdb.row.Column;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.Validity;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.util.TimeUtils;

/** Table as its files describe it, in Flink's terms. */
final class StoredTable {
  private static final Set<String> OPTIONS =
      new SnapshotTableFactory()
          .optionalOptions().stream().map(ConfigOption::key).collect(Collectors.toSet());

  /** Stands for a table that is half dropped, which Flink looks up before it drops it again. */
  static final CatalogTable DROPPED =
      CatalogTable.newBuilder()
          .schema(Schema.newBuilder().build())
          .comment("DROP TABLE was interrupted: run it again")
          .build();

  private final Table table;
  private final Map<String, String> location;

  /**
   * Creates the description of a table.
   *
   * @param path what its option {@code path} is to say
   */
  StoredTable(Table table, String path) {
    this.table = table;
    this.location =
        Map.of(
            FactoryUtil.CONNECTOR.key(),
            SnapshotTableFactory.IDENTIFIER,
            BsdbOptions.PATH.key(),
            path);
  }

  /**
   * Returns the table as it was declared; without a declaration, as the version in service was
   * built. So the next build is like the last one.
   */
  CatalogTable table() throws IOException {
    CatalogTable declared = TableDeclaration.read(table.storage());
    if (declared != null) {
      return declared.copy(with(declared.getOptions()));
    }
    Manifest manifest = table.manifest(table.requireCurrentVersion());
    Map<String, String> options = new LinkedHashMap<>();
    options.put(BsdbOptions.SINK_PARTITIONS.key(), Integer.toString(manifest.partitions().size()));
    WriterOptions.described(manifest.options())
        .forEach((name, value) -> options.put("sink." + name, value));
    options.keySet().retainAll(OPTIONS);
    return table(manifest, options);
  }

  /** Returns one version, whichever is in service, with the columns that it was built with. */
  CatalogTable version(String wanted) throws IOException {
    return pinned(table.manifest(Versions.resolve(table, wanted)));
  }

  /** Returns the version of a time, with the columns that it was built with. */
  CatalogTable asOf(Instant time) throws IOException {
    return pinned(Versions.asOf(table, time));
  }

  private CatalogTable pinned(Manifest manifest) throws IOException {
    Map<String, String> options = new LinkedHashMap<>();
    CatalogTable declared = TableDeclaration.read(table.storage());
    if (declared != null) {
      options.putAll(declared.getOptions());
    }
    options.put(BsdbOptions.SNAPSHOT_VERSION.key(), manifest.version());
    // What comes after the version is of no concern to those who read it.
    options.remove(BsdbOptions.SCAN_FOLLOW.key());
    options.remove(BsdbOptions.LOOKUP_WAIT_FOR_SOURCE_TIME.key());
    return table(manifest, options);
  }

  /** Returns a version with its own columns; options may be those of a later one. */
  private CatalogTable table(Manifest manifest, Map<String, String> options) {
    options.remove(BsdbOptions.SINK_IP_COLUMNS.key());
    io.bsdb.row.Schema stored = manifest.schema();
    if (stored != null) {
      String addresses =
          stored.columns().stream()
              .filter(column -> column.type().isAddress())
              .map(Column::name)
              .collect(Collectors.joining(";"));
      if (!addresses.isEmpty()) {
        options.put(BsdbOptions.SINK_IP_COLUMNS.key(), addresses);
      }
    }
    options.put(BsdbOptions.SINK_ORDER.key(), manifest.order().name().toLowerCase(Locale.ROOT));
    Validity validity = manifest.validity();
    if (validity == null) {
      options.remove(BsdbOptions.HISTORY_RETENTION.key());
      options.remove(BsdbOptions.LOOKUP_BEFORE_HORIZON.key());
    } else {
      options.put(BsdbOptions.HISTORY_RETENTION.key(), retention(validity));
    }
    return CatalogTable.newBuilder().schema(schema(manifest)).options(with(options)).build();
  }

  private static String retention(Validity validity) {
    Duration retention = validity.retention();
    return retention == null
        ? Validity.FOREVER.toString()
        : TimeUtils.formatWithHighestUnit(retention);
  }

  private Map<String, String> with(Map<String, String> options) {
    Map<String, String> all = new LinkedHashMap<>(location);
    all.putAll(options);
    return all;
  }

  /**
   * Refuses a build that would make rows of values that are plain bytes, though nobody asked for
   * that.
   *
   * @param name of the table, for the message
   */
  void requireRows(String name) throws IOException {
    String current = table.currentVersion();
    if (current != null
        && table.manifest(current).schema() == null
        && TableDeclaration.read(table.storage()) == null) {
      throw new ValidationException(
          "table %s was built from plain bytes, and INSERT OVERWRITE would make rows of its values; build it with the command line, or declare it with CREATE TABLE in another catalog: 'connector' = 'bsdb', 'path' = '%s'"
              .formatted(name, location.get(BsdbOptions.PATH.key())));
    }
  }

  /**
   * Returns the columns of a snapshot; plain bytes are two columns, {@code key} and {@code value}.
   */
  private static Schema schema(Manifest manifest) {
    Schema.Builder columns = Schema.newBuilder();
    io.bsdb.row.Schema stored = manifest.schema();
    if (stored == null) {
      return columns
          .column("key", DataTypes.BYTES().notNull())
          .column("value", DataTypes.BYTES().notNull())
          .primaryKey("key")
          .build();
    }
    for (Column column : stored.columns()) {
      columns.column(column.name(), column.type().toString());
    }
    return columns.primaryKey(stored.primaryKey()).build();
  }
}
