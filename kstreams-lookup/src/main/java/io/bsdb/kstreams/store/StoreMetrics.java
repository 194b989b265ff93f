package io.bsdb.kstreams.store;

import io.bsdb.live.WritableStats;
import io.bsdb.reader.ClosedReaderException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.MeasurableStat;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.common.metrics.Sensor.RecordingLevel;
import org.apache.kafka.streams.StreamsMetrics;
import org.jspecify.annotations.Nullable;

/**
 * Gauges of a store in Kafka's registry. They look at the table when somebody asks, at most once a
 * second for all of them; NaN means that the table is closed or cannot be read.
 */
final class StoreMetrics implements AutoCloseable {
  private static final String SCOPE = "bsdb-store";
  private static final String GROUP = "stream-" + SCOPE + "-metrics";
  private static final long SAMPLED_MILLIS = 1_000;

  private final StreamsMetrics metrics;
  private final StoreTable table;
  private final Sensor sensor;
  private final Map<String, String> tags;
  private @Nullable Sample sample;

  /**
   * The table at a time.
   *
   * @param stats null if the table cannot be read
   */
  private record Sample(long millis, @Nullable WritableStats stats, @Nullable Manifest version) {}

  private interface Value {
    double of(WritableStats stats, Manifest version, long nowMillis);
  }

  /** A stat that is never recorded, but asked. */
  private final class Gauge implements MeasurableStat {
    private final Value value;

    Gauge(Value value) {
      this.value = value;
    }

    @Override
    public void record(MetricConfig config, double ignored, long nowMillis) {}

    @Override
    public double measure(MetricConfig config, long nowMillis) {
      Sample now = sample(nowMillis);
      return now.stats() == null || now.version() == null
          ? Double.NaN
          : value.of(now.stats(), now.version(), nowMillis);
    }
  }

  /**
   * Registers the gauges.
   *
   * @param committed when offsets were committed last, in milliseconds since 1970
   */
  StoreMetrics(String store, StoreTable table, StreamsMetrics metrics, LongSupplier committed) {
    this.metrics = metrics;
    this.table = table;
    String thread = Thread.currentThread().getName();
    this.sensor = metrics.addSensor(SCOPE + "." + thread + "." + store, RecordingLevel.INFO);
    this.tags = Map.of("thread-id", thread, SCOPE + "-id", store);
    gauge(
        "write-total",
        "Changes since the store was opened",
        (stats, version, now) -> stats.writes().changes());
    gauge(
        "changed-keys",
        "Changed keys that are not folded into partition files",
        (stats, version, now) -> stats.memory().logKeys() + stats.memory().publishedKeys());
    gauge(
        "index-bytes",
        "Bytes of the index of changed keys, outside of the heap",
        (stats, version, now) -> stats.memory().indexBytes());
    gauge(
        "log-bytes",
        "Bytes of the log, which a start after a crash replays",
        (stats, version, now) -> stats.disk().logBytes());
    gauge(
        "disk-bytes",
        "Bytes of all files, old versions included",
        (stats, version, now) -> stats.disk().totalBytes());
    gauge(
        "publication-total",
        "Versions published since the store was opened",
        (stats, version, now) -> stats.upkeep().publications());
    gauge(
        "fold-total",
        "Partitions folded since the store was opened",
        (stats, version, now) -> stats.upkeep().folds());
    gauge(
        "load",
        "Changes that wait to be published and folded: writes are slowed down from 1.5 and wait at 2",
        (stats, version, now) -> stats.upkeep().load());
    gauge(
        "upkeep-failed",
        "1 if the last publication or fold failed, else 0",
        (stats, version, now) -> stats.upkeep().failure() == null ? 0 : 1);
    gauge(
        "snapshot-sequence",
        "Number of the version in service",
        (stats, version, now) -> Table.sequence(version.version()));
    gauge(
        "snapshot-age-ms",
        "Time since changes were last published or folded",
        (stats, version, now) -> version.age(Instant.ofEpochMilli(now)).toMillis());
    gauge(
        "commit-age-ms",
        "Time since offsets were last committed; since the start, before they are",
        (stats, version, now) -> Math.max(0, now - committed.getAsLong()));
  }

  private void gauge(String name, String description, Value value) {
    sensor.add(new MetricName(name, GROUP, description, tags), new Gauge(value));
  }

  private synchronized Sample sample(long nowMillis) {
    Sample last = sample;
    if (last != null && Math.abs(nowMillis - last.millis()) < SAMPLED_MILLIS) {
      return last;
    }
    Sample now;
    try {
      now = new Sample(nowMillis, table.table().stats(), table.inService());
    } catch (ClosedReaderException | IOException unreadable) {
      now = new Sample(nowMillis, null, null); // which the gauges show
    }
    sample = now;
    return now;
  }

  @Override
  public void close() {
    metrics.removeSensor(sensor);
  }
}
