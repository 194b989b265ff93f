package io.bsdb.kstreams;

import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongToDoubleFunction;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.MeasurableStat;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.common.metrics.Sensor.RecordingLevel;
import org.apache.kafka.streams.StreamsMetrics;
import org.apache.kafka.streams.processor.api.ProcessingContext;
import org.jspecify.annotations.Nullable;

/**
 * One task's metrics of one join or processor.
 *
 * <p>What is counted for every record is a plain counter of the task's thread, which metrics read
 * on request: a Kafka sensor costs more than a lookup. Only latency, which has to be recorded, goes
 * through one, at the level DEBUG.
 *
 * <p>Kafka identifies a sensor by its name, whatever its tags, and a sensor's removal takes all its
 * metrics along. So the names hold all that distinguishes one user of a lookup in one task on one
 * thread from another.
 */
final class TaskMetrics implements AutoCloseable {
  private static final String SCOPE = "bsdb-lookup";
  private static final String GROUP = "stream-" + SCOPE + "-metrics";

  private final StreamsMetrics metrics;
  private final LookupTable<?, ?> table;
  private final Sensor latency;
  private final Sensor gauges;
  private final Map<String, String> tags = new LinkedHashMap<>();
  private final MetricName hitTotal;
  private final @Nullable Metric registered;
  private final boolean timed;
  private final AtomicLong hits = new AtomicLong();
  private final AtomicLong misses = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();

  /** A stat that is never recorded, but asked. */
  private record Gauge(LongToDoubleFunction value) implements MeasurableStat {
    @Override
    public void record(MetricConfig config, double ignored, long nowMillis) {}

    @Override
    public double measure(MetricConfig config, long nowMillis) {
      return value.applyAsDouble(nowMillis);
    }
  }

  /**
   * Registers the metrics of the calling thread's task.
   *
   * @param user distinguishes the joins and processors that use one lookup in one task
   */
  TaskMetrics(LookupTable<?, ?> table, String user, ProcessingContext context) {
    this.metrics = context.metrics();
    this.table = table;
    String lookup = table.name();
    String task = context.taskId().toString();
    String thread = Thread.currentThread().getName();
    String id = lookup + "-" + user + "-" + task;
    this.latency =
        metrics.addLatencyRateTotalSensor(
            SCOPE, id, "lookup", RecordingLevel.DEBUG, "task-id", task, "lookup", lookup);
    String sensor = SCOPE + "." + thread + "." + id;
    // There may be one of a task that was never closed, with its gauges: threads' names come again.
    metrics.removeSensor(metrics.addSensor(sensor, RecordingLevel.INFO));
    this.gauges = metrics.addSensor(sensor, RecordingLevel.INFO);
    this.timed = latency.shouldRecord();
    tags.put("thread-id", thread);
    tags.put(SCOPE + "-id", id);
    tags.put("task-id", task);
    tags.put("lookup", lookup);
    gauge("hit-total", "Lookups that found a value", now -> hits.get());
    this.hitTotal = new MetricName("hit-total", GROUP, "", tags);
    this.registered = metrics.metrics().get(hitTotal);
    gauge("miss-total", "Lookups that found none", now -> misses.get());
    gauge(
        "dropped-total",
        "Records without a value, or without a key of an inner join",
        now -> dropped.get());
    gauge("refresh-failed-total", "Refreshes that failed", now -> table.failedRefreshes());
    gauge("snapshot-sequence", "Number of the version in service; 0 for none", now -> sequence());
    gauge(
        "snapshot-age-ms",
        "Time since the version in service was published; NaN for none",
        this::age);
    MemoryBudget memory = table.memory();
    gauge(
        "memory-budget-bytes",
        "Limit of the memory that readers share; 0 for none",
        now -> memory.isLimited() ? memory.limitBytes() : 0);
    gauge("memory-index-bytes", "Of indexes and copies", now -> memory.indexBytes());
    gauge("memory-signature-bytes", "Of signatures", now -> memory.signatureBytes());
    gauge("memory-cache-bytes", "Of block caches", now -> memory.cacheBytes());
    gauge("memory-refused-total", "Versions that did not fit the limit", now -> memory.refusals());
  }

  private void gauge(String name, String description, LongToDoubleFunction value) {
    gauges.add(new MetricName(name, GROUP, description, tags), new Gauge(value));
  }

  private double sequence() {
    Manifest manifest = table.manifest();
    return manifest == null ? 0 : Table.sequence(manifest.version());
  }

  private double age(long nowMillis) {
    Manifest manifest = table.manifest();
    return manifest == null ? Double.NaN : manifest.age(Instant.ofEpochMilli(nowMillis)).toMillis();
  }

  /** Returns whether to call {@link #took}. */
  boolean isTimed() {
    return timed;
  }

  void took(long nanos) {
    latency.record((double) nanos);
  }

  void hit() {
    increment(hits);
  }

  void missed() {
    increment(misses);
  }

  void dropped() {
    increment(dropped);
  }

  /** Increments a counter: only the task's thread counts, so no atomic addition is needed. */
  private static void increment(AtomicLong counter) {
    counter.lazySet(counter.getPlain() + 1);
  }

  /** Removes the metrics, unless those of a later task have taken their names. */
  @Override
  public void close() {
    if (metrics.metrics().get(hitTotal) != registered) {
      return;
    }
    try {
      metrics.removeSensor(latency);
    } finally {
      metrics.removeSensor(gauges);
    }
  }
}
