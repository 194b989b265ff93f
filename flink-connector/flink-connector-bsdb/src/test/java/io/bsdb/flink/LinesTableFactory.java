package io.bsdb.flink;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.serialization.RuntimeContextInitializationContextAdapters;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.format.DecodingFormat;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DeserializationFormatFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.DataType;
import org.apache.flink.util.Collector;

/**
 * Makes tables of {@code 'connector' = 'lines'}: the lines of an option, each of which a format
 * decodes, as it does the records of a topic.
 */
public final class LinesTableFactory implements DynamicTableSourceFactory {
  private static final ConfigOption<String> LINES =
      ConfigOptions.key("lines").stringType().noDefaultValue();

  @Override
  public String factoryIdentifier() {
    return "lines";
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(LINES, FactoryUtil.FORMAT);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of();
  }

  @Override
  public DynamicTableSource createDynamicTableSource(Context context) {
    FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
    Lines source =
        new Lines(
            helper.getOptions().get(LINES).lines().toList(),
            helper.discoverDecodingFormat(DeserializationFormatFactory.class, FactoryUtil.FORMAT),
            context.getPhysicalRowDataType());
    helper.validate();
    return source;
  }

  private static final class Lines implements ScanTableSource, SupportsReadingMetadata {
    private final List<String> lines;
    private final DecodingFormat<DeserializationSchema<RowData>> format;
    private final DataType physical;
    private DataType produced;

    Lines(
        List<String> lines,
        DecodingFormat<DeserializationSchema<RowData>> format,
        DataType physical) {
      this.lines = lines;
      this.format = format;
      this.physical = physical;
      this.produced = physical;
    }

    @Override
    public ChangelogMode getChangelogMode() {
      return format.getChangelogMode();
    }

    @Override
    public Map<String, DataType> listReadableMetadata() {
      return format.listReadableMetadata();
    }

    @Override
    public void applyReadableMetadata(List<String> keys, DataType producedDataType) {
      format.applyReadableMetadata(keys);
      produced = producedDataType;
    }

    @Override
    public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
      Decode decode = new Decode(format.createRuntimeDecoder(context, physical));
      TypeInformation<RowData> type = context.createTypeInformation(produced);
      return new DataStreamScanProvider() {
        @Override
        public DataStream<RowData> produceDataStream(
            ProviderContext provider, StreamExecutionEnvironment env) {
          return env.fromData(lines)
              .setParallelism(1)
              .uid(provider.generateUid("lines").orElse("lines"))
              .flatMap(decode)
              .returns(type)
              .setParallelism(1)
              .uid(provider.generateUid("decode").orElse("decode"));
        }

        @Override
        public boolean isBounded() {
          return true;
        }
      };
    }

    @Override
    public DynamicTableSource copy() {
      Lines copy = new Lines(lines, format, physical);
      copy.produced = produced;
      return copy;
    }

    @Override
    public String asSummaryString() {
      return "lines";
    }
  }

  private static final class Decode extends RichFlatMapFunction<String, RowData> {
    private static final long serialVersionUID = 1L;

    private final DeserializationSchema<RowData> format;

    Decode(DeserializationSchema<RowData> format) {
      this.format = format;
    }

    @Override
    public void open(OpenContext context) throws Exception {
      format.open(
          RuntimeContextInitializationContextAdapters.deserializationAdapter(getRuntimeContext()));
    }

    @Override
    public void flatMap(String line, Collector<RowData> rows) throws IOException {
      format.deserialize(line.getBytes(StandardCharsets.UTF_8), rows);
    }
  }
}
