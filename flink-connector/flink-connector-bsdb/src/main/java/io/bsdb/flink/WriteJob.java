package io.bsdb.flink;

import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.scan.SnapshotSource;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.sink.build.SnapshotSink;
import io.bsdb.flink.sink.change.Change;
import io.bsdb.flink.sink.change.EncodeFunction;
import io.bsdb.flink.sink.reload.ReloadSink;
import io.bsdb.flink.sink.stream.DeltaSink;
import io.bsdb.reload.Publish;
import io.bsdb.table.Build;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.CheckpointConfig;
import org.apache.flink.streaming.api.transformations.SinkTransformation;
import org.apache.flink.streaming.api.transformations.SourceTransformation;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/**
 * The part of a job that writes a table: encodes the rows of a statement, and builds the table of
 * them, or changes it. Made on the client.
 *
 * @param reading settings with which rows are read that are changed in part
 * @param session of the job
 * @param written the columns that a statement names
 * @param history the rows, for a table with a history; null for others
 */
record WriteJob(
    DeclaredTable table,
    BuildSettings settings,
    WriteSettings writing,
    ReadSettings reading,
    ReadableConfig session,
    WriteStatement statement,
    Set<String> written,
    @Nullable HistoryInput history) {
  DataStreamSink<?> sink(ProviderContext context, DataStream<RowData> rows, boolean batch) {
    if (!batch) {
      requireCheckpoints(rows.getExecutionEnvironment().getCheckpointConfig());
      requireOneOfTheName(rows.getExecutionEnvironment().getTransformations());
    }
    Transformation<RowData> input = rows.getTransformation();
    FlatMapFunction<RowData, Change> encoder =
        history == null ? EncodeFunction.ofRows(table) : history.encoder(table, input);
    Target target = batch ? begin(input, encoder) : stream(input, encoder);
    SingleOutputStreamOperator<Change> records =
        rows.flatMap(target.encoder, Change.TYPE).name("encode");
    context.generateUid("encode").ifPresent(records::uid);
    records
        .getTransformation()
        .setParallelism(input.getParallelism(), input.isParallelismConfigured());
    DataStreamSink<Change> sink = records.sinkTo(target.sink).name(table.name());
    context
        .generateUid("sink")
        .or(
            () ->
                batch
                    ? Optional.empty()
                    : Optional.of("%s: %s".formatted(table.name(), writing.stream())))
        .ifPresent(sink::uid);
    Integer parallelism = writing.parallelism();
    if (parallelism == null && target.sink instanceof ReloadSink reload) {
      parallelism = reload.writers(input.getParallelism());
    }
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

  /** Refuses a stream that another INSERT of the job writes: neither has the state of both. */
  private void requireOneOfTheName(List<Transformation<?>> ofJob) {
    String directory = table.table().storage().toString();
    for (Transformation<?> other : ofJob) {
      if (other instanceof SinkTransformation<?, ?> transformation
          && transformation.getSink() instanceof DeltaSink sink
          && writing.stream().equals(sink.stream())
          && directory.equals(sink.table().table().storage().toString())) {
        throw new ValidationException(
            "table %s: two INSERTs of this job write the stream '%s' of the table at %s; give one of them another '%s', or put their queries together by UNION ALL"
                .formatted(
                    table.name(), writing.stream(), directory, BsdbOptions.SINK_STREAM.key()));
      }
    }
  }

  /** What takes rows: encodes them, and writes what is encoded. */
  private record Target(FlatMapFunction<RowData, Change> encoder, Sink<Change> sink) {}

  private Target stream(Transformation<RowData> input, FlatMapFunction<RowData, Change> rows) {
    boolean hasWatermark = history != null && HistoryInput.hasWatermark(table, input);
    return new Target(rows, DeltaSink.ofStream(table, settings, writing.stream(), hasWatermark));
  }

  private Target begin(Transformation<RowData> input, FlatMapFunction<RowData, Change> rows) {
    try {
      Build replacing = table.table().begin();
      String inService = replacing.parent();
      if (inService == null) {
        return new Target(rows, SnapshotSink.begin(table, settings));
      }
      return switch (statement) {
        case INSERT -> new Target(rows, DeltaSink.ofBatch(replacing, table, settings));
        case PARTIAL_INSERT ->
            new Target(
                EncodeFunction.ofColumns(table, reading.pinnedTo(inService), written),
                DeltaSink.ofVersion(inService, replacing, table, settings));
        case UPDATE -> new Target(rows, changes(replacing, inService, input));
        case DELETE ->
            new Target(EncodeFunction.ofDeletes(table), changes(replacing, inService, input));
        case OVERWRITE -> new Target(rows, overwrite(replacing, inService, input));
      };
    } catch (IOException | IllegalArgumentException e) {
      throw new ValidationException(
          "table %s cannot be built: path=%s: %s".formatted(table.name(), table.path(), e), e);
    }
  }

  private Sink<Change> changes(Build build, String inService, Transformation<RowData> input)
      throws IOException {
    String scanned = scannedVersion(input);
    return DeltaSink.ofVersion(scanned == null ? inService : scanned, build, table, settings);
  }

  private Sink<Change> overwrite(Build replacing, String inService, Transformation<RowData> input)
      throws IOException {
    String kept = writing.keepChangesAfter();
    String asOf = kept == null ? scannedVersion(input) : kept;
    BuildSettings built =
        writing.publish() == Publish.AUTO // whichever it takes
            ? settings.keepingProperties(table.table().manifest(inService))
            : settings;
    ReloadSink reload = ReloadSink.begin(writing.publish(), asOf, table, built);
    if (reload != null) {
      return reload;
    }
    if (asOf != null) {
      return SnapshotSink.beginAsOf(asOf, table, built);
    }
    table.table().replacedBy(replacing); // refuses what cannot be published at the end
    return SnapshotSink.begin(table, built);
  }

  /**
   * Returns the oldest version that the input is read from where it is read from this table, or
   * null.
   */
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
}
