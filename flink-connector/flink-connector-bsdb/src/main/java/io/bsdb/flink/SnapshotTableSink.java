package io.bsdb.flink;

import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.SnapshotMetadata;
import io.bsdb.flink.sink.BuildSettings;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.TableDistribution;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.RowLevelModificationScanContext;
import org.apache.flink.table.connector.sink.DataStreamSinkProvider;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.abilities.SupportsBucketing;
import org.apache.flink.table.connector.sink.abilities.SupportsDeletePushDown;
import org.apache.flink.table.connector.sink.abilities.SupportsOverwrite;
import org.apache.flink.table.connector.sink.abilities.SupportsRowLevelDelete;
import org.apache.flink.table.connector.sink.abilities.SupportsRowLevelUpdate;
import org.apache.flink.table.connector.sink.abilities.SupportsTargetColumnWriting;
import org.apache.flink.table.connector.sink.abilities.SupportsTruncate;
import org.apache.flink.table.connector.sink.abilities.SupportsWritingMetadata;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.utils.TypeConversions;
import org.jspecify.annotations.Nullable;

/**
 * A table as the target of statements: INSERT OVERWRITE builds it again, INSERT INTO, UPDATE and
 * DELETE change single rows. A stream publishes its changes at each checkpoint, a batch job once.
 */
final class SnapshotTableSink
    implements DynamicTableSink,
        SupportsOverwrite,
        SupportsBucketing,
        SupportsTargetColumnWriting,
        SupportsWritingMetadata,
        SupportsRowLevelUpdate,
        SupportsRowLevelDelete,
        SupportsDeletePushDown,
        SupportsTruncate {
  private final DeclaredTable table;
  private final List<String> columns;
  private final BuildSettings settings;
  private final WriteSettings writing;
  private final ReadSettings reading;
  private final ReadableConfig session;
  private WriteStatement statement = WriteStatement.INSERT;

  /** The columns that an INSERT names; all if it names none. */
  private Set<String> targets;

  private List<byte[]> deletedKeys = List.of();

  /** The first mode that was asked for, which is that of the input; later ones are not. */
  private @Nullable ChangelogMode inputMode;

  private boolean marksEnds;

  /**
   * @param columns all columns of the DDL, computed ones too
   * @param reading settings with which rows are read that are changed in part
   * @param session of the job
   */
  SnapshotTableSink(
      DeclaredTable table,
      List<String> columns,
      BuildSettings settings,
      WriteSettings writing,
      ReadSettings reading,
      ReadableConfig session) {
    this.table = table;
    this.columns = columns;
    this.settings = settings;
    this.writing = writing;
    this.reading = reading;
    this.session = session;
    this.targets = Set.copyOf(columns);
  }

  @Override
  public ChangelogMode getChangelogMode(ChangelogMode requestedMode) {
    if (inputMode == null) {
      inputMode = requestedMode;
    }
    if (statement == WriteStatement.OVERWRITE) {
      return ChangelogMode.insertOnly();
    }
    // A history needs what updates replace: the planner would ask others to leave it out.
    return table.validity() == null
        ? ChangelogMode.upsert(takesDeletesByKey())
        : ChangelogMode.all();
  }

  /**
   * Returns whether deletes may be keys alone. Flink's check of NOT NULL fails the job, or drops
   * the delete, where other columns are NOT NULL (FLINK-40477).
   */
  private boolean takesDeletesByKey() {
    return table.rowType().getFields().stream()
        .allMatch(
            field -> field.getType().isNullable() || table.primaryKey().contains(field.getName()));
  }

  @Override
  public Map<String, DataType> listWritableMetadata() {
    return Map.of(SnapshotMetadata.ENDED.key(), SnapshotMetadata.ENDED.type(table));
  }

  @Override
  public void applyWritableMetadata(List<String> metadataKeys, DataType consumedDataType) {
    metadataKeys.forEach(key -> SnapshotMetadata.of(key, table));
    marksEnds = !metadataKeys.isEmpty();
  }

  @Override
  public void applyOverwrite(boolean overwrite) {
    statement = overwrite ? WriteStatement.OVERWRITE : WriteStatement.INSERT;
  }

  @Override
  public Set<TableDistribution.Kind> listAlgorithms() {
    return Set.of(TableDistribution.Kind.UNKNOWN, TableDistribution.Kind.HASH);
  }

  @Override
  public boolean requiresBucketCount() {
    return false;
  }

  /** Takes the columns that an INSERT names, and those of an UPDATE, whose rows are complete. */
  @Override
  public boolean applyTargetColumns(int[][] targetColumns) {
    Set<String> named = new HashSet<>();
    for (int[] path : targetColumns) {
      String column = columns.get(path[0]);
      if (path.length > 1) {
        throw new ValidationException(
            "table %s: a field of column '%s' cannot be written alone; write the whole column"
                .formatted(table.name(), column));
      }
      named.add(column);
    }
    targets = named;
    return true;
  }

  @Override
  public RowLevelUpdateInfo applyRowLevelUpdate(
      List<Column> updatedColumns, @Nullable RowLevelModificationScanContext context) {
    requireNoHistory("UPDATE");
    for (Column column : updatedColumns) {
      if (table.primaryKey().contains(column.getName())) {
        throw new ValidationException(
            "table %s: UPDATE cannot change column '%s' of the primary key; delete the row, and insert it with the other key"
                .formatted(table.name(), column.getName()));
      }
    }
    statement = WriteStatement.UPDATE;
    return new RowLevelUpdateInfo() {
      @Override
      public Optional<List<Column>> requiredColumns() {
        return Optional.of(columns(table.rowType().getFieldNames()));
      }
    };
  }

  private List<Column> columns(List<String> names) {
    return names.stream()
        .<Column>map(
            name -> Column.physical(name, TypeConversions.fromLogicalToDataType(table.type(name))))
        .toList();
  }

  @Override
  public RowLevelDeleteInfo applyRowLevelDelete(@Nullable RowLevelModificationScanContext context) {
    requireNoHistory("DELETE");
    statement = WriteStatement.DELETE;
    return new RowLevelDeleteInfo() {
      @Override
      public Optional<List<Column>> requiredColumns() {
        return Optional.of(columns(table.primaryKey()));
      }
    };
  }

  /** Takes a filter that is the whole key of some rows: these are deleted without a job. */
  @Override
  public boolean applyDeleteFilters(List<ResolvedExpression> filters) {
    requireNoHistory("DELETE");
    KeyFilters keys = KeyFilters.of(table, filters);
    if (keys == null || !new HashSet<>(keys.accepted()).containsAll(filters)) {
      return false;
    }
    deletedKeys = keys.keys();
    return true;
  }

  @Override
  public Optional<Long> executeDeletion() {
    try {
      new ClientStatements(table, settings).delete(deletedKeys);
    } catch (IOException e) {
      throw failed(e);
    }
    return Optional.empty(); // it would have to look which keys there are
  }

  @Override
  public void executeTruncation() {
    requireNoHistory("TRUNCATE TABLE");
    try {
      new ClientStatements(table, settings).truncate();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private void requireNoHistory(String refused) {
    if (table.validity() != null) {
      throw new ValidationException(
          "table %s keeps a history, and %s is not supported; INSERT a row with the time of the change, and with TRUE in a column 'ended BOOLEAN METADATA' where a row ends, or build the table again by INSERT OVERWRITE"
              .formatted(table.name(), refused));
    }
  }

  private ValidationException failed(IOException cause) {
    return new ValidationException(
        "table %s cannot be changed: path=%s: %s".formatted(table.name(), table.path(), cause),
        cause);
  }

  /**
   * Returns the sink; not as a {@code SinkV2Provider}, because Flink would shuffle the rows by
   * primary key once more whenever the writers' parallelism is set.
   */
  @Override
  public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
    boolean batch = context.isBounded();
    if (!batch && statement == WriteStatement.OVERWRITE) {
      throw new ValidationException(
          "table %s is built as a whole, from a bounded input, by a batch job; SET 'execution.runtime-mode' = 'batch' and use INSERT OVERWRITE, or use INSERT INTO, which changes single rows"
              .formatted(table.name()));
    }
    WriteStatement written =
        switch (statement) {
          case INSERT, PARTIAL_INSERT, OVERWRITE -> insert(batch);
          case UPDATE, DELETE -> statement;
        };
    HistoryInput history =
        table.validity() == null
            ? null
            : new HistoryInput(inputMode, marksEnds ? table.rowType().getFieldCount() : -1);
    WriteJob job =
        new WriteJob(table, settings, writing, reading, session, written, targets, history);
    return new DataStreamSinkProvider() {
      @Override
      public DataStreamSink<?> consumeDataStream(
          ProviderContext providerContext, DataStream<RowData> rows) {
        return job.sink(providerContext, rows, batch);
      }
    };
  }

  /** Refuses to change some columns, unless the others can be kept. */
  private WriteStatement insert(boolean batch) {
    List<String> unnamed =
        table.rowType().getFieldNames().stream().filter(name -> !targets.contains(name)).toList();
    if (unnamed.isEmpty() || statement == WriteStatement.OVERWRITE) {
      return statement;
    }
    if (batch && writing.keepsOtherColumns()) {
      return WriteStatement.PARTIAL_INSERT;
    }
    throw new ValidationException(
        "table %s: the statement writes some columns only, and would set %s to NULL; name all columns, with NULL where that is meant, or let rows keep what they have%s: '%s' = 'true'"
            .formatted(
                table.name(),
                unnamed,
                batch ? "" : ", in a batch job",
                BsdbOptions.SINK_PARTIAL_UPDATE.key()));
  }

  @Override
  public DynamicTableSink copy() {
    SnapshotTableSink copy =
        new SnapshotTableSink(table, columns, settings, writing, reading, session);
    copy.statement = statement;
    copy.targets = targets;
    copy.deletedKeys = deletedKeys;
    copy.inputMode = inputMode;
    copy.marksEnds = marksEnds;
    return copy;
  }

  @Override
  public String asSummaryString() {
    return "bsdb";
  }
}
