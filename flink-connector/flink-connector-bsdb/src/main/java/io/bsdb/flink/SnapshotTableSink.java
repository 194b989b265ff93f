package io.bsdb.flink;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.scan.SnapshotSource;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.sink.Change;
import io.bsdb.flink.sink.DeltaSink;
import io.bsdb.flink.sink.EncodeFunction;
import io.bsdb.flink.sink.SnapshotSink;
import io.bsdb.table.Build;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.CheckpointConfig;
import org.apache.flink.streaming.api.transformations.SourceTransformation;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.TableDistribution;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.sink.DataStreamSinkProvider;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.abilities.SupportsBucketing;
import org.apache.flink.table.connector.sink.abilities.SupportsOverwrite;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/**
 * A table as the target of INSERT: OVERWRITE builds it anew, INTO changes single rows. A stream
 * publishes its changes at each checkpoint, a batch job once.
 */
final class SnapshotTableSink implements DynamicTableSink, SupportsOverwrite, SupportsBucketing {
  private final DeclaredTable table;
  private final BuildSettings settings;
  private final @Nullable Integer parallelism;
  private final String stream;
  private final @Nullable String keepChangesAfter;
  private final ReadableConfig session;
  private Insertion insertion = Insertion.APPEND;

  private enum Insertion {
    APPEND,
    OVERWRITE
  }

  /**
   * @param stream id of the stream that a streaming job writes
   * @param keepChangesAfter a version that the input of a build is at least as new as; null if
   *     unknown
   * @param session of the job
   */
  SnapshotTableSink(
      DeclaredTable table,
      BuildSettings settings,
      @Nullable Integer parallelism,
      String stream,
      @Nullable String keepChangesAfter,
      ReadableConfig session) {
    this.table = table;
    this.settings = settings;
    this.parallelism = parallelism;
    this.stream = stream;
    this.keepChangesAfter = keepChangesAfter;
    this.session = session;
  }

  @Override
  public ChangelogMode getChangelogMode(ChangelogMode requestedMode) {
    return insertion == Insertion.OVERWRITE ? ChangelogMode.insertOnly() : ChangelogMode.upsert();
  }

  @Override
  public void applyOverwrite(boolean overwrite) {
    insertion = overwrite ? Insertion.OVERWRITE : Insertion.APPEND;
  }

  @Override
  public Set<TableDistribution.Kind> listAlgorithms() {
    return Set.of(TableDistribution.Kind.UNKNOWN, TableDistribution.Kind.HASH);
  }

  @Override
  public boolean requiresBucketCount() {
    return false;
  }

  /**
   * Returns the sink; not as a {@code SinkV2Provider}, because Flink would shuffle the rows by
   * primary key once more whenever the writers' parallelism is set.
   */
  @Override
  public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
    boolean batch = context.isBounded();
    if (!batch && insertion == Insertion.OVERWRITE) {
      throw new ValidationException(
          "table %s is built as a whole, from a bounded input, by a batch job; SET 'execution.runtime-mode' = 'batch' and use INSERT OVERWRITE, or use INSERT INTO, which changes single rows"
              .formatted(table.name()));
    }
    return new DataStreamSinkProvider() {
      @Override
      public DataStreamSink<?> consumeDataStream(
          ProviderContext providerContext, DataStream<RowData> rows) {
        return sink(providerContext, rows, batch);
      }
    };
  }

  private DataStreamSink<?> sink(ProviderContext context, DataStream<RowData> rows, boolean batch) {
    if (!batch) {
      requireCheckpoints(rows.getExecutionEnvironment().getCheckpointConfig());
    }
    Transformation<RowData> input = rows.getTransformation();
    SingleOutputStreamOperator<Change> records =
        rows.flatMap(new EncodeFunction(table), Change.TYPE).name("encode");
    context.generateUid("encode").ifPresent(records::uid);
    records
        .getTransformation()
        .setParallelism(input.getParallelism(), input.isParallelismConfigured());
    DataStreamSink<Change> sink = records.sinkTo(begin(input, batch)).name(table.name());
    context
        .generateUid("sink")
        .or(() -> batch ? Optional.empty() : Optional.of("%s: %s".formatted(table.name(), stream)))
        .ifPresent(sink::uid);
    sink.getTransformation()
        .setParallelism(
            parallelism == null ? input.getParallelism() : parallelism,
            parallelism != null || input.isParallelismConfigured());
    return sink;
  }

  private void requireCheckpoints(CheckpointConfig environment) {
    if (!environment.isCheckpointingEnabled()
        && session.getOptional(CheckpointingOptions.CHECKPOINTING_INTERVAL).isEmpty()) {
      throw new ValidationException(
          "table %s: a stream is published at checkpoints, and the job has none; SET 'execution.checkpointing.interval' = '10 s', or SET 'execution.runtime-mode' = 'batch'"
              .formatted(table.name()));
    }
  }

  private Sink<Change> begin(Transformation<RowData> input, boolean batch) {
    if (!batch) {
      return DeltaSink.ofStream(table, settings, stream);
    }
    try {
      Build replacing = table.table().begin();
      if (replacing.parent() == null) {
        return SnapshotSink.begin(table, settings);
      }
      if (insertion == Insertion.APPEND) {
        return DeltaSink.ofBatch(table, settings);
      }
      String asOf = keepChangesAfter == null ? scannedVersion(input) : keepChangesAfter;
      if (asOf != null) {
        return SnapshotSink.beginAsOf(asOf, table, settings);
      }
      table.table().replacedBy(replacing); // refuses what cannot be published at the end
      return SnapshotSink.begin(table, settings);
    } catch (IOException | IllegalArgumentException e) {
      throw new ValidationException(
          "table %s cannot be built: path=%s: %s".formatted(table.name(), table.path(), e), e);
    }
  }

  /** Returns the oldest version of this table that the input is read from, or null. */
  private @Nullable String scannedVersion(Transformation<RowData> input) throws IOException {
    String oldest = null;
    for (Transformation<?> transformation : input.getTransitivePredecessors()) {
      if (transformation instanceof SourceTransformation<?, ?, ?> source
          && source.getSource() instanceof SnapshotSource scan) {
        String version = scan.versionOf(table);
        if (version != null && (oldest == null || version.compareTo(oldest) < 0)) {
          oldest = version;
        }
      }
    }
    return oldest;
  }

  @Override
  public DynamicTableSink copy() {
    SnapshotTableSink copy =
        new SnapshotTableSink(table, settings, parallelism, stream, keepChangesAfter, session);
    copy.insertion = insertion;
    return copy;
  }

  @Override
  public String asSummaryString() {
    return "bsdb";
  }
}
