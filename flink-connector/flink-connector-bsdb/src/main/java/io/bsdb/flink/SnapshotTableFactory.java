package io.bsdb.flink;

import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.storage.TableLocation;
import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.reader.options.Access;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.Validity;
import io.bsdb.writer.options.WriterOptions;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.logical.RowType;
import org.jspecify.annotations.Nullable;

/** Makes tables of {@code 'connector' = 'bsdb'}. Touches no files. */
public final class SnapshotTableFactory
    implements DynamicTableSourceFactory, DynamicTableSinkFactory {
  /** Identifier of the connector and of the catalog. */
  public static final String IDENTIFIER = "bsdb";

  private static final String SUX4J = "it.unimi.dsi.sux4j.io.BucketedHashStore";

  @Override
  public String factoryIdentifier() {
    return IDENTIFIER;
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(BsdbOptions.PATH);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    Set<ConfigOption<?>> options =
        new HashSet<>(
            Set.of(
                BsdbOptions.LOOKUP_ASYNC,
                BsdbOptions.LOOKUP_REFRESH_INTERVAL,
                BsdbOptions.LOOKUP_LOCAL_DIR,
                BsdbOptions.LOOKUP_MAX_LOCAL_SIZE,
                BsdbOptions.LOOKUP_MAX_ROWS,
                BsdbOptions.LOOKUP_WAIT_FOR_SOURCE_TIME,
                BsdbOptions.LOOKUP_BEFORE_HORIZON,
                BsdbOptions.SCAN_FOLLOW,
                BsdbOptions.SNAPSHOT_VERSION,
                BsdbOptions.HISTORY_RETENTION,
                BsdbOptions.SINK_PARALLELISM,
                BsdbOptions.SINK_IP_COLUMNS,
                BsdbOptions.SINK_PARTIAL_UPDATE,
                BsdbOptions.SINK_PUBLISH,
                BsdbOptions.SINK_PARTITIONS,
                BsdbOptions.SINK_STREAM,
                BsdbOptions.SINK_COMPACTION,
                BsdbOptions.SINK_KEEP_CHANGES_AFTER,
                BsdbOptions.SINK_RETAIN_VERSIONS,
                BsdbOptions.SINK_STAGING_RETENTION,
                BsdbOptions.SINK_SOURCE_POSITIONS,
                BsdbOptions.SINK_PROPERTIES));
    options.addAll(BsdbOptions.READER);
    options.addAll(BsdbOptions.WRITER);
    return options;
  }

  /** Returns the options that a restored plan may override: how to read, and where. */
  @Override
  public Set<ConfigOption<?>> forwardOptions() {
    Set<ConfigOption<?>> options =
        new HashSet<>(
            Set.of(
                BsdbOptions.PATH,
                BsdbOptions.LOOKUP_REFRESH_INTERVAL,
                BsdbOptions.LOOKUP_LOCAL_DIR,
                BsdbOptions.LOOKUP_MAX_LOCAL_SIZE,
                BsdbOptions.LOOKUP_MAX_ROWS));
    options.addAll(BsdbOptions.READER);
    return options;
  }

  @Override
  public DynamicTableSource createDynamicTableSource(Context context) {
    return createDynamicTableSource(context, Set.of());
  }

  /**
   * Makes the source of a table that has got columns.
   *
   * @param addedColumns that a version may lack
   */
  public DynamicTableSource createDynamicTableSource(Context context, Set<String> addedColumns) {
    ReadableConfig options = options(FactoryUtil.createTableFactoryHelper(this, context));
    DeclaredTable table = declaredTable(context, options, addedColumns);
    ReadSettings settings = readSettings(table, options);
    return new SnapshotTableSource(
        table,
        settings,
        new LookupPlanning(
            table,
            settings,
            options.get(BsdbOptions.LOOKUP_ASYNC),
            maxRows(table, options),
            HistoryDeclaration.asOf(table, settings, options, context.getConfiguration()),
            context.getConfiguration()),
        follows(table, settings, options));
  }

  @Override
  public DynamicTableSink createDynamicTableSink(Context context) {
    ReadableConfig options = options(FactoryUtil.createTableFactoryHelper(this, context));
    DeclaredTable table = declaredTable(context, options, Set.of());
    String pinned = options.get(BsdbOptions.SNAPSHOT_VERSION);
    if (pinned != null) {
      throw new ValidationException(
          "table %s is version %s and cannot be written; INSERT into the table without '%s' makes a new version"
              .formatted(table.name(), pinned, BsdbOptions.SNAPSHOT_VERSION.key()));
    }
    String kept = options.get(BsdbOptions.SINK_KEEP_CHANGES_AFTER);
    if (kept != null && !Manifest.isVersion(kept)) {
      throw new ValidationException(
          "table %s: '%s' = '%s' is no version; expected its full name, such as 0000000001-0a1b2c3d"
              .formatted(table.name(), BsdbOptions.SINK_KEEP_CHANGES_AFTER.key(), kept));
    }
    if (table.validity() != null) {
      HistoryDeclaration.requireWritable(table, options);
    }
    BuildSettings settings = buildSettings(context, table, options);
    return new SnapshotTableSink(
        table,
        context.getCatalogTable().getResolvedSchema().getColumnNames(),
        settings,
        new WriteSettings(
            parallelism(table, options),
            options.get(BsdbOptions.SINK_STREAM),
            kept,
            options.get(BsdbOptions.SINK_PARTIAL_UPDATE),
            options.get(BsdbOptions.SINK_PUBLISH)),
        readSettings(table, options),
        context.getConfiguration());
  }

  /** Returns how many writers are asked for; null if none are. */
  private static @Nullable Integer parallelism(DeclaredTable table, ReadableConfig options) {
    Integer parallelism = options.getOptional(BsdbOptions.SINK_PARALLELISM).orElse(null);
    int most = Transformation.UPPER_BOUND_MAX_PARALLELISM;
    if (parallelism != null && (parallelism < 1 || parallelism > most)) {
      throw new ValidationException(
          "table %s: '%s': expected 1 to %d, actual %d"
              .formatted(table.name(), BsdbOptions.SINK_PARALLELISM.key(), most, parallelism));
    }
    return parallelism;
  }

  private static ReadableConfig options(FactoryUtil.TableFactoryHelper helper) {
    helper.validate();
    return helper.getOptions();
  }

  private static DeclaredTable declaredTable(
      Context context, ReadableConfig options, Set<String> addedColumns) {
    ResolvedSchema schema = context.getCatalogTable().getResolvedSchema();
    String name = context.getObjectIdentifier().asSummaryString();
    if (options.get(BsdbOptions.PATH).isBlank()) {
      throw new ValidationException(
          "table %s: '%s' is empty; expected the table's directory"
              .formatted(name, BsdbOptions.PATH.key()));
    }
    UniqueConstraint primaryKey =
        schema
            .getPrimaryKey()
            .orElseThrow(
                () ->
                    new ValidationException(
                        "table %s has no primary key; declare the columns that identify a row: PRIMARY KEY (…) NOT ENFORCED"
                            .formatted(name)));
    RowType rowType = (RowType) context.getPhysicalRowDataType().getLogicalType();
    try {
      Validity validity = HistoryDeclaration.validity(options);
      DeclaredTable table =
          new DeclaredTable(
              name,
              options.get(BsdbOptions.PATH),
              rowType,
              primaryKey.getColumns(),
              addedColumns,
              Set.copyOf(options.getOptional(BsdbOptions.SINK_IP_COLUMNS).orElse(List.of())),
              validity == null ? options.get(BsdbOptions.SINK_ORDER) : RecordOrder.KEY,
              validity);
      if (validity == null) {
        table.schema();
      } else {
        HistoryDeclaration.requireTime(table);
      }
      return table;
    } catch (ValidationException e) {
      throw new ValidationException("table %s: %s".formatted(name, e.getMessage()), e);
    }
  }

  /** Returns whether a scan follows the table. */
  private static boolean follows(
      DeclaredTable table, ReadSettings settings, ReadableConfig options) {
    if (!options.get(BsdbOptions.SCAN_FOLLOW)) {
      return false;
    }
    if (table.validity() != null) {
      throw HistoryDeclaration.unsupported(
          table,
          BsdbOptions.SCAN_FOLLOW,
          true,
          "read a version of it, or follow what it is written from");
    }
    boolean isPinned = settings.version() != null;
    if (isPinned || settings.refreshInterval().isZero()) {
      throw new ValidationException(
          "table %s cannot be followed: '%s' = 'true' reads the changes between versions, and %s"
              .formatted(
                  table.name(),
                  BsdbOptions.SCAN_FOLLOW.key(),
                  isPinned
                      ? "version %s was chosen; read the table without '%s'"
                          .formatted(settings.version(), BsdbOptions.SNAPSHOT_VERSION.key())
                      : "new ones are not looked for; set '%s' to more than 0"
                          .formatted(BsdbOptions.LOOKUP_REFRESH_INTERVAL.key())));
    }
    return true;
  }

  private static int maxRows(DeclaredTable table, ReadableConfig options) {
    int maxRows = options.get(BsdbOptions.LOOKUP_MAX_ROWS);
    if (maxRows < 1 || maxRows == Integer.MAX_VALUE) {
      throw new ValidationException(
          "table %s: '%s': expected 1 to %d, actual %d"
              .formatted(
                  table.name(), BsdbOptions.LOOKUP_MAX_ROWS.key(), Integer.MAX_VALUE - 1, maxRows));
    }
    return maxRows;
  }

  private static ReadSettings readSettings(DeclaredTable table, ReadableConfig options) {
    String copies = options.get(BsdbOptions.LOOKUP_LOCAL_DIR);
    if (copies != null && (copies.isBlank() || TableLocation.isUri(copies))) {
      throw new ValidationException(
          "table %s: '%s' = '%s' is no local path; expected a directory of the task managers, such as /data/bsdb"
              .formatted(table.name(), BsdbOptions.LOOKUP_LOCAL_DIR.key(), copies));
    }
    Map<String, String> reader = texts(options, BsdbOptions.READER, "lookup.");
    reader.put("access", text(access(options)));
    return new ReadSettings(
        reader,
        options.get(BsdbOptions.LOOKUP_REFRESH_INTERVAL),
        options.get(BsdbOptions.SNAPSHOT_VERSION),
        copies,
        options.get(BsdbOptions.LOOKUP_MAX_LOCAL_SIZE).getBytes());
  }

  /** Returns options of the library by its names for them, which are Flink's after a prefix. */
  private static Map<String, String> texts(
      ReadableConfig options, List<ConfigOption<?>> chosen, String prefix) {
    Map<String, String> texts = new HashMap<>();
    for (ConfigOption<?> option : chosen) {
      texts.put(option.key().substring(prefix.length()), text(options.get(option)));
    }
    return texts;
  }

  private static String text(Object value) {
    return value instanceof MemorySize size
        ? Long.toString(size.getBytes())
        : value.toString().toLowerCase(Locale.ROOT);
  }

  /** Futures gain nothing where the calling thread waits for a page fault. */
  private static Access access(ReadableConfig options) {
    return options
        .getOptional(BsdbOptions.LOOKUP_ACCESS)
        .orElse(
            options.get(BsdbOptions.LOOKUP_ASYNC) == AsyncLookup.TRUE
                ? Access.IO_URING
                : BsdbOptions.LOOKUP_ACCESS.defaultValue());
  }

  private static BuildSettings buildSettings(
      Context context, DeclaredTable table, ReadableConfig options) {
    try {
      WriterOptions.Builder writer = WriterOptions.builder();
      texts(options, BsdbOptions.WRITER, "sink.").forEach(writer::set);
      Validity validity = table.validity();
      if (validity != null) {
        writer.history(validity.retention());
      }
      WriterOptions built =
          writer
              .partitions(Distribution.partitions(context.getCatalogTable(), table, options))
              .sourcePositions(options.get(BsdbOptions.SINK_SOURCE_POSITIONS))
              .properties(options.get(BsdbOptions.SINK_PROPERTIES))
              .build()
              .begunAt(Instant.now()); // all tasks of a build drop the same rows
      requireBuilder(built.perfectHash());
      return new BuildSettings(
          built.toMap(),
          options.get(BsdbOptions.SINK_RETAIN_VERSIONS),
          options.get(BsdbOptions.SINK_STAGING_RETENTION),
          options.get(BsdbOptions.SINK_COMPACTION) == Compaction.AUTO);
    } catch (IllegalArgumentException e) {
      throw new ValidationException(
          "table %s: a 'sink.' option is wrong: %s".formatted(table.name(), e.getMessage()), e);
    }
  }

  /**
   * Checks that Sux4J is there: it and its dependencies are larger than the rest together, so they
   * do not come with the connector.
   */
  private static void requireBuilder(PerfectHashConstruction kind) {
    if (kind == PerfectHashConstruction.SUX4J) {
      try {
        Class.forName(SUX4J, false, PerfectHashConstruction.class.getClassLoader());
      } catch (ClassNotFoundException e) {
        throw new IllegalArgumentException(
            "'%s' = 'sux4j' needs it.unimi.dsi:sux4j and its dependencies beside the connector; add them, or choose 'pilot'"
                .formatted(BsdbOptions.SINK_PERFECT_HASH.key()),
            e);
      }
    }
  }
}
