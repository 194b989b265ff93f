package io.bsdb.http.api;

import io.bsdb.http.exchange.Access;
import io.bsdb.http.exchange.Activity;
import io.bsdb.http.table.Held;
import io.bsdb.http.table.ServedTable;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.metrics.ReaderMetrics;
import io.bsdb.table.VersionFacts;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Figures of server and readers, in the text format of Prometheus. Safe for use by many threads.
 */
public final class Metrics {
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final Counter requests =
      Counter.builder()
          .name("bsdb_http_requests")
          .help("Requests that were answered, by what they asked for and status.")
          .labelNames("kind", "status")
          .withoutExemplars()
          .register(registry);
  private final Histogram seconds =
      Histogram.builder()
          .name("bsdb_http_request_seconds")
          .help("Time from the request's header to the end of its answer.")
          .classicOnly()
          .withoutExemplars()
          .classicUpperBounds(
              0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
              2.5, 5)
          .labelNames("kind")
          .register(registry);
  private final Counter answerBytes =
      Counter.builder()
          .name("bsdb_http_answer_bytes")
          .help("Bytes of the bodies of answers.")
          .withoutExemplars()
          .register(registry);
  private final Activity activity = new Activity();
  private final Collection<ServedTable> tables;

  /**
   * The labels of a counter. A search by labels takes as long as counting, so counters are kept.
   */
  private record Counted(Access.Kind kind, int status) {}

  private final Map<Counted, CounterDataPoint> counts = new ConcurrentHashMap<>();
  private final Map<Access.Kind, DistributionDataPoint> times = new EnumMap<>(Access.Kind.class);

  /**
   * @param memory that the readers of all tables share
   */
  public Metrics(
      Collection<ServedTable> tables,
      MemoryBudget memory,
      LongSupplier connections,
      LongSupplier pinned) {
    this.tables = tables;
    for (Access.Kind kind : Access.Kind.values()) {
      times.put(kind, seconds.labelValues(kind.label()));
    }
    counter("bsdb_lookup_hits", "Keys that were found.", ReaderMetrics::hits);
    counter("bsdb_lookup_misses", "Keys that are absent.", ReaderMetrics::misses);
    counter("bsdb_lookup_failures", "Lookups that failed.", ReaderMetrics::failures);
    counter(
        "bsdb_signature_rejects",
        "Absent keys that a signature rejected, without a look at a record.",
        ReaderMetrics::signatureRejects);
    counter(
        "bsdb_false_positive_reads",
        "Reads for keys that are absent.",
        ReaderMetrics::falsePositiveReads);
    gauge(
        "bsdb_signature_bits",
        "Bits of each signature in memory, on average over the keys.",
        table -> metrics(table).signatureBits());
    counter("bsdb_block_reads", "Blocks read from disk.", ReaderMetrics::blockReads);
    counter("bsdb_read_bytes", "Bytes read from disk.", ReaderMetrics::bytesRead);
    counter("bsdb_block_cache_hits", "Blocks found in the cache.", ReaderMetrics::cacheHits);
    counter(
        "bsdb_block_cache_misses", "Blocks not found in the cache.", ReaderMetrics::cacheMisses);
    gauge(
        "bsdb_reads_in_flight",
        "Reads from disk that are queued or in flight.",
        table -> metrics(table).readsInFlight());
    gauge(
        "bsdb_table_records",
        "Records in the partition files of the version in use.",
        table -> table.reader().manifest().recordCount());
    gauge(
        "bsdb_table_bytes",
        "Bytes of the partition files and segments of the version in use.",
        table -> new VersionFacts(table.reader().manifest()).bytes());
    gauge(
        "bsdb_version_age_seconds",
        "Time since the version in use was published.",
        table -> table.reader().manifest().age(Instant.now()).toSeconds());
    gauge(
        "bsdb_refresh_failures",
        "Refreshes of the table that failed.",
        table -> table.reader().failedRefreshes());
    gauge("bsdb_http_connections", "Connections that are open.", connections);
    gauge("bsdb_pinned_versions", "Versions that are open though they are not in service.", pinned);
    gauge(
        "bsdb_memory_budget_bytes",
        "Limit of the memory that readers hold; 0 for none.",
        () -> memory.isLimited() ? memory.limitBytes() : 0);
    gauge("bsdb_memory_index_bytes", "Memory of indexes and copies.", memory::indexBytes);
    gauge("bsdb_memory_signature_bytes", "Memory of signatures.", memory::signatureBytes);
    gauge("bsdb_memory_cache_bytes", "Memory of block caches.", memory::cacheBytes);
    counter(
        "bsdb_signature_adjustments",
        "Adjustments of the bits of signatures.",
        memory::signatureAdjustments);
    counter(
        "bsdb_signature_loaded_bytes",
        "Bytes of signatures read from disk.",
        memory::signatureBytesLoaded);
    counter(
        "bsdb_signature_load_failures",
        "Signatures that could not be read.",
        memory::failedSignatureLoads);
    counter("bsdb_memory_refusals", "Versions that did not fit the limit.", memory::refusals);
  }

  private void gauge(String name, String help, LongSupplier figure) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .callback(callback -> callback.call((double) figure.getAsLong()))
        .register(registry);
  }

  private void counter(String name, String help, LongSupplier figure) {
    CounterWithCallback.builder()
        .name(name)
        .help(help)
        .callback(callback -> callback.call((double) figure.getAsLong()))
        .register(registry);
  }

  private static ReaderMetrics metrics(ServedTable table) {
    try (Held held = table.hold()) {
      return held.reader().metrics();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private void counter(String name, String help, ToLongFunction<ReaderMetrics> figure) {
    CounterWithCallback.builder()
        .name(name)
        .help(help + " Of the version in use; starts again at 0 with each new build.")
        .labelNames("table")
        .callback(
            callback ->
                tables.forEach(
                    table ->
                        callback.call((double) figure.applyAsLong(metrics(table)), table.name())))
        .register(registry);
  }

  private void gauge(String name, String help, ToDoubleFunction<ServedTable> figure) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .labelNames("table")
        .callback(
            callback ->
                tables.forEach(table -> callback.call(figure.applyAsDouble(table), table.name())))
        .register(registry);
  }

  /** Counts a request that was answered. */
  public void answered(Access access, long nanos) {
    counts
        .computeIfAbsent(
            new Counted(access.kind, access.status),
            counted -> requests.labelValues(counted.kind.label(), Integer.toString(counted.status)))
        .inc();
    Objects.requireNonNull(times.get(access.kind)).observe(nanos / 1e9);
    answerBytes.inc(access.bytes);
    activity.add(access, nanos);
  }

  public Activity activity() {
    return activity;
  }

  public ByteBuffer text() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrometheusTextFormatWriter.create().write(out, registry.scrape());
    return ByteBuffer.wrap(out.toByteArray());
  }
}
