package io.bsdb.benchmarks.flink;

import java.io.IOException;
import java.util.Set;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.SinkV2Provider;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.factories.DynamicTableFactory;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.jspecify.annotations.Nullable;

/**
 * Makes tables of {@code 'connector' = 'bench-check'}, which keep no rows but fail the job at the
 * first one whose second column is not what its key, the first one, should have found, or whose
 * text is not; also if at the end there were more or fewer rows than expected. Whoever answers has
 * to produce every text; one of 16 is compared, because to make the right one takes longer than to
 * look it up.
 */
public final class CheckTableFactory implements DynamicTableSinkFactory {
  private static final ConfigOption<Boolean> CHECKED =
      ConfigOptions.key("checked").booleanType().noDefaultValue();
  private static final ConfigOption<Long> ROWS =
      ConfigOptions.key("rows").longType().noDefaultValue();

  @Override
  public String factoryIdentifier() {
    return "bench-check";
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(CHECKED, ROWS);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of();
  }

  @Override
  public DynamicTableSink createDynamicTableSink(DynamicTableFactory.Context context) {
    ReadableConfig options = FactoryUtil.createTableFactoryHelper(this, context).getOptions();
    return new CheckTable(options.get(CHECKED), options.get(ROWS));
  }

  private record CheckTable(boolean checked, long rows) implements DynamicTableSink {
    @Override
    public ChangelogMode getChangelogMode(ChangelogMode requested) {
      return ChangelogMode.insertOnly();
    }

    @Override
    public SinkRuntimeProvider getSinkRuntimeProvider(DynamicTableSink.Context context) {
      return SinkV2Provider.of(new CheckSink(checked, rows));
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

  private record CheckSink(boolean checked, long rows) implements Sink<RowData> {
    @Override
    public SinkWriter<RowData> createWriter(WriterInitContext context) {
      return new CheckWriter(checked, rows);
    }
  }

  private static final class CheckWriter implements SinkWriter<RowData> {
    private static final int COMPARED_EVERY = 16;

    private final boolean checked;
    private final long expected;
    private long written;

    CheckWriter(boolean checked, long expected) {
      this.checked = checked;
      this.expected = expected;
    }

    @Override
    public void write(RowData row, SinkWriter.Context context) throws IOException {
      StringData name = row.getString(2);
      // Asked also where it does not matter, so that each variant's rows take as long to check.
      boolean right = isRight(row.getLong(0), row, name);
      if (checked && !right) {
        throw new IOException("wrong answer: " + row);
      }
      written++;
    }

    /** Looks at the text also if the number is wrong: a constant row would else cost less. */
    private boolean isRight(long key, RowData row, @Nullable StringData name) {
      boolean isNumber = !row.isNullAt(1) && row.getLong(1) == key * WorkloadFunctions.FACTOR;
      boolean isName =
          name != null
              && (written % COMPARED_EVERY != 0
                  || WorkloadFunctions.isNameOf(key, name.toString()));
      return isNumber && isName;
    }

    @Override
    public void flush(boolean endOfInput) throws IOException {
      if (endOfInput && written != expected) {
        throw new IOException("rows: expected=%d actual=%d".formatted(expected, written));
      }
    }

    @Override
    public void close() {}
  }
}
