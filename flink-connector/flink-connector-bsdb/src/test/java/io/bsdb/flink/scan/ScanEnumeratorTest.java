package io.bsdb.flink.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.lookup.TestLookup;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.Projection;
import io.bsdb.flink.state.EnumeratorState;
import io.bsdb.reader.options.Access;
import io.bsdb.table.Table;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScanEnumeratorTest {
  @TempDir Path directory;

  private final Map<String, Gauge<?>> gauges = new HashMap<>();

  /** What Flink gives to an enumerator; calls it back at once, and keeps its gauges. */
  @SuppressWarnings("unchecked")
  private SplitEnumeratorContext<ScanSplit> context() {
    MetricGroup group =
        new UnregisteredMetricsGroup() {
          @Override
          public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
            gauges.put(name, gauge);
            return gauge;
          }
        };
    Object metrics =
        proxy(
            SplitEnumeratorMetricGroup.class,
            (name, arguments) -> {
              assertThat(name).isEqualTo("addGroup");
              assertThat(arguments).containsExactly("bsdb");
              return group;
            });
    return (SplitEnumeratorContext<ScanSplit>)
        proxy(
            SplitEnumeratorContext.class,
            (name, arguments) -> {
              if (name.equals("metricGroup")) {
                return metrics;
              }
              assertThat(name).isEqualTo("callAsync");
              Object found = ((Callable<Object>) arguments[0]).call();
              ((BiConsumer<Object, Throwable>) arguments[1]).accept(found, null);
              return null;
            });
  }

  private interface Answer {
    Object to(String method, Object[] arguments) throws Exception;
  }

  private static Object proxy(Class<?> type, Answer answer) {
    return Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) -> answer.to(method.getName(), arguments));
  }

  private Object gauge(String name) {
    return gauges.get(name).getValue();
  }

  @Test
  void showsWhatIsScanned() throws Exception {
    WriterOptions options = WriterOptions.builder().layout(Layout.COMPACT).build();
    Records.of("a", "a").publish(directory, options);
    DeclaredTable table = TestLookup.table(directory, TestLookup.STRING);
    ReadSettings settings = TestLookup.settings(Access.MAPPED, Duration.ZERO, null);
    ScanSpec spec = new ScanSpec(table, settings, Projection.all(table), new Extent.AllRows());

    new ScanEnumerator(spec, context(), EnumeratorState.pending()).start();

    assertThat(gauge("version")).isEqualTo(Table.at(directory).requireCurrentVersion());
    assertThat(gauge("layout")).isEqualTo("compact");
  }
}
