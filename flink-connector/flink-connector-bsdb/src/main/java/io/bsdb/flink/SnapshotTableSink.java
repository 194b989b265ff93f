package io.bsdb.flink;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.sink.EncodeFunction;
import io.bsdb.flink.sink.SnapshotSink;
import java.io.IOException;
import java.util.Set;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
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

/** A table as the target of INSERT OVERWRITE. */
final class SnapshotTableSink implements DynamicTableSink, SupportsOverwrite, SupportsBucketing {
  private final DeclaredTable table;
  private final BuildSettings settings;
  private final @Nullable Integer parallelism;
  private Insertion insertion = Insertion.APPEND;

  private enum Insertion {
    APPEND,
    OVERWRITE
  }

  SnapshotTableSink(DeclaredTable table, BuildSettings settings, @Nullable Integer parallelism) {
    this.table = table;
    this.settings = settings;
    this.parallelism = parallelism;
  }

  @Override
  public ChangelogMode getChangelogMode(ChangelogMode requestedMode) {
    return ChangelogMode.insertOnly();
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
   * Not a {@code SinkV2Provider}, because Flink would shuffle the rows by primary key once more
   * whenever the writers' parallelism is set.
   */
  @Override
  public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
    if (!context.isBounded()) {
      throw new ValidationException(
          "table %s is built as a whole, from a bounded input, by a batch job; SET 'execution.runtime-mode' = 'batch' and use INSERT OVERWRITE"
              .formatted(table.name()));
    }
    if (insertion == Insertion.APPEND) {
      throw new ValidationException(
          "table %s cannot be appended to: a snapshot is immutable, and a new one replaces it as a whole; use INSERT OVERWRITE with all rows. CREATE TABLE … AS SELECT comes here unless 'table.rtas-ctas.atomicity-enabled' is true, when it has declared the table"
              .formatted(table.name()));
    }
    return new DataStreamSinkProvider() {
      @Override
      public DataStreamSink<?> consumeDataStream(
          ProviderContext providerContext, DataStream<RowData> rows) {
        return build(providerContext, rows);
      }
    };
  }

  private DataStreamSink<?> build(ProviderContext context, DataStream<RowData> rows) {
    Transformation<RowData> input = rows.getTransformation();
    SingleOutputStreamOperator<Tuple2<byte[], byte[]>> records =
        rows.map(new EncodeFunction(table), EncodeFunction.RECORD_TYPE).name("encode");
    context.generateUid("encode").ifPresent(records::uid);
    records
        .getTransformation()
        .setParallelism(input.getParallelism(), input.isParallelismConfigured());
    DataStreamSink<Tuple2<byte[], byte[]>> sink = records.sinkTo(begin()).name(table.name());
    context.generateUid("sink").ifPresent(sink::uid);
    sink.getTransformation()
        .setParallelism(
            parallelism == null ? input.getParallelism() : parallelism,
            parallelism != null || input.isParallelismConfigured());
    return sink;
  }

  private SnapshotSink begin() {
    try {
      return SnapshotSink.begin(table, settings);
    } catch (IOException e) {
      throw new ValidationException(
          "table %s cannot be built: path=%s: %s".formatted(table.name(), table.path(), e), e);
    }
  }

  @Override
  public DynamicTableSink copy() {
    SnapshotTableSink copy = new SnapshotTableSink(table, settings, parallelism);
    copy.insertion = insertion;
    return copy;
  }

  @Override
  public String asSummaryString() {
    return "bsdb";
  }
}
