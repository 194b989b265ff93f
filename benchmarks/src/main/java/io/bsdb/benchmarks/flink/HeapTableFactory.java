package io.bsdb.benchmarks.flink;

import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.lookup.LookupFunctionProvider;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;

/** Makes tables of {@code 'connector' = 'bench-heap'}, looked up with {@link HeapLookup}. */
public final class HeapTableFactory implements DynamicTableSourceFactory {
  private static final ConfigOption<Long> ROWS =
      ConfigOptions.key("rows").longType().noDefaultValue();

  @Override
  public String factoryIdentifier() {
    return "bench-heap";
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(ROWS);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of();
  }

  @Override
  public DynamicTableSource createDynamicTableSource(Context context) {
    return new HeapTable(
        FactoryUtil.createTableFactoryHelper(this, context).getOptions().get(ROWS));
  }

  private record HeapTable(long rows) implements LookupTableSource {
    @Override
    public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
      return LookupFunctionProvider.of(new HeapLookup(rows));
    }

    @Override
    public DynamicTableSource copy() {
      return this;
    }

    @Override
    public String asSummaryString() {
      return "bench-heap";
    }
  }
}
