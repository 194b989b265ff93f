package io.bsdb.benchmarks.flink;

import java.io.IOException;
import java.util.Set;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.SinkV2Provider;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DynamicTableFactory;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.FactoryUtil;

/**
 * Makes tables of {@code 'connector' = 'bench-check'}, which keep no rows but fail the job at the
 * first one whose second column is not what its key, the first one, should have found.
 */
public final class CheckTableFactory implements DynamicTableSinkFactory {
  private static final ConfigOption<Boolean> CHECKED =
      ConfigOptions.key("checked").booleanType().noDefaultValue();

  @Override
  public String factoryIdentifier() {
    return "bench-check";
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(CHECKED);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of();
  }

  @Override
  public DynamicTableSink createDynamicTableSink(DynamicTableFactory.Context context) {
    return new CheckTable(
        FactoryUtil.createTableFactoryHelper(this, context).getOptions().get(CHECKED));
  }

  private record CheckTable(boolean checked) implements DynamicTableSink {
    @Override
    public ChangelogMode getChangelogMode(ChangelogMode requested) {
      return ChangelogMode.insertOnly();
    }

    @Override
    public SinkRuntimeProvider getSinkRuntimeProvider(DynamicTableSink.Context context) {
      return SinkV2Provider.of(new CheckSink(checked));
    }

    @Override
    public DynamicTableSink copy() {
      return this;
    }

    @Override
    public String asSummaryString() {
      return "bench-check";
    }
  }

  private record CheckSink(boolean checked) implements Sink<RowData> {
    @Override
    public SinkWriter<RowData> createWriter(WriterInitContext context) {
      return new CheckWriter(checked);
    }
  }

  private record CheckWriter(boolean checked) implements SinkWriter<RowData> {
    @Override
    public void write(RowData row, SinkWriter.Context context) throws IOException {
      long expected = row.getLong(0) * WorkloadFunctions.FACTOR;
      if (checked && (row.isNullAt(1) || row.getLong(1) != expected || row.isNullAt(2))) {
        throw new IOException("wrong answer: " + row);
      }
    }

    @Override
    public void flush(boolean endOfInput) {}

    @Override
    public void close() {}
  }
}
