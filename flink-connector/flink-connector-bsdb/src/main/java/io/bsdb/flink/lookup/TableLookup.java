package io.bsdb.flink.lookup;

import io.bsdb.reader.LiveSnapshot;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks up in a table, from version to version. For one thread. */
final class TableLookup implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(TableLookup.class);

  private final LookupSpec spec;
  private final SharedSnapshots.Use use;
  private final LiveSnapshot live;
  private final SimpleCounter hits = new SimpleCounter();
  private final SimpleCounter misses = new SimpleCounter();
  private VersionLookup version;

  /**
   * A version that the DDL does not match: a stream that runs is not to fail because somebody
   * published another schema.
   */
  private @Nullable String refused;

  private TableLookup(LookupSpec spec, SharedSnapshots.Use use, VersionLookup version) {
    this.spec = spec;
    this.use = use;
    this.live = use.live();
    this.version = version;
  }

  /**
   * Opens the table, or uses the reader that is open.
   *
   * @throws IOException if it cannot be opened
   * @throws ValidationException if the DDL does not match it
   */
  static TableLookup open(LookupSpec spec) throws IOException {
    SharedSnapshots.Use use;
    try {
      use = SharedSnapshots.use(spec.table().directory(), spec.settings());
    } catch (IOException e) {
      throw new IOException(
          "table %s cannot be opened: path=%s: %s"
              .formatted(spec.table().name(), spec.table().path(), e),
          e);
    }
    try {
      return new TableLookup(spec, use, VersionLookup.of(use.live(), spec));
    } catch (IOException | RuntimeException e) {
      try {
        use.close();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  void register(MetricGroup group) {
    group.counter("hits", hits);
    group.counter("misses", misses);
    group.gauge("lookups", () -> hits.getCount() + misses.getCount());
    group.gauge("version", live::version);
    group.gauge(
        "versionAgeSeconds",
        () -> Duration.between(live.manifest().createdAt(), Instant.now()).toSeconds());
    group.gauge("failedRefreshes", live::failedRefreshes);
  }

  /** The row with these values; null if there is none. */
  @Nullable RowData lookup(RowData compared) throws IOException {
    if (!version.isCurrent() && !live.version().equals(refused)) {
      changeOver();
    }
    RowData found = version.lookup(compared);
    (found == null ? misses : hits).inc();
    return found;
  }

  private void changeOver() throws IOException {
    String candidate = live.version();
    VersionLookup next;
    try {
      next = VersionLookup.of(live, spec);
    } catch (ValidationException e) {
      refused = candidate;
      LOG.error("Table {} keeps its version for this task.", spec.table().name(), e);
      return;
    }
    VersionLookup previous = version;
    version = next;
    previous.close();
  }

  @Override
  public void close() throws IOException {
    try {
      version.close();
    } finally {
      use.close();
    }
  }
}
