package io.bsdb.flink.sink;

import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;

/** Keeps metrics by their full names. */
public final class MeteredGroup extends UnregisteredMetricsGroup {
  private final String prefix;
  private final Map<String, Metric> metrics;

  public MeteredGroup(String prefix, Map<String, Metric> metrics) {
    this.prefix = prefix;
    this.metrics = metrics;
  }

  @Override
  public MetricGroup addGroup(String name) {
    return new MeteredGroup(prefix + name + ".", metrics);
  }

  @Override
  public MetricGroup addGroup(String key, String value) {
    return addGroup(key).addGroup(value);
  }

  @Override
  public Counter counter(String name) {
    return counter(name, new SimpleCounter());
  }

  @Override
  public <C extends Counter> C counter(String name, C counter) {
    metrics.put(prefix + name, counter);
    return counter;
  }

  @Override
  public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
    metrics.put(prefix + name, gauge);
    return gauge;
  }
}
