package io.bsdb.flink.lookup;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.TaskInfoImpl;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.table.functions.FunctionContext;

/** The second of two subtasks, whose metrics can be seen. */
final class MeteredContext extends FunctionContext {
  private final Map<String, Metric> metrics = new HashMap<>();

  MeteredContext() {
    super(null);
  }

  @Override
  public TaskInfo getTaskInfo() {
    return new TaskInfoImpl("task", 128, 1, 2, 0);
  }

  @Override
  public MetricGroup getMetricGroup() {
    return new UnregisteredMetricsGroup() {
      @Override
      public MetricGroup addGroup(String name) {
        return this;
      }

      @Override
      public <C extends Counter> C counter(String name, C counter) {
        metrics.put(name, counter);
        return counter;
      }

      @Override
      public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
        metrics.put(name, gauge);
        return gauge;
      }

      @Override
      public <H extends Histogram> H histogram(String name, H histogram) {
        metrics.put(name, histogram);
        return histogram;
      }
    };
  }

  <M> M metric(String name, Class<M> type) {
    return type.cast(Objects.requireNonNull(metrics.get(name), name));
  }

  Object gauge(String name) {
    return metric(name, Gauge.class).getValue();
  }
}
