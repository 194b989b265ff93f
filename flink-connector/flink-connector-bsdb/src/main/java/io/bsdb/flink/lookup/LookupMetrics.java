package io.bsdb.flink.lookup;

import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.metrics.ReaderMetrics;
import java.time.Instant;
import java.util.Collection;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/** Metrics of a lookup. Its counters are as safe for threads as those it is given. */
final class LookupMetrics {
  private final Counter hits;
  private final Counter misses;

  /** Registers all, under the names that Flink's own lookup caches use where there is one. */
  LookupMetrics(MetricGroup group, FollowedTable table, Counter hits, Counter misses) {
    this.hits = hits;
    this.misses = misses;
    Supplier<ReaderMetrics> reader = () -> table.latest().metrics();
    TableReader live = table.live();
    Loads loads = table.loads();
    group.counter("hitCount", hits);
    group.counter("missCount", misses);
    group.gauge("lookups", () -> hits.getCount() + misses.getCount());
    group.gauge("loadCount", loads::count);
    group.gauge("latestLoadTime", loads::latestMillis);
    group.gauge("numLoadFailures", live::failedRefreshes);
    group.gauge("latestLoadFailure", () -> Objects.toString(table.latestFailure(), ""));
    group.gauge("numCachedRecords", loads::records);
    group.gauge("numCachedBytes", loads::bytes);
    group.gauge("version", live::version);
    group.gauge("layout", () -> live.manifest().options().getOrDefault("layout", ""));
    group.gauge("versionAgeSeconds", () -> live.manifest().age(Instant.now()).toSeconds());
    group.gauge("sourceTime", () -> table.latest().sourceTime());
    group.gauge("segments", () -> live.manifest().changes().segments().size());
    group.gauge("changedKeys", () -> table.latest().changedKeys());
    group.gauge("blockReads", () -> reader.get().blockReads());
    group.gauge("bytesRead", () -> reader.get().bytesRead());
    group.gauge("readsInFlight", () -> reader.get().readsInFlight());
    group.gauge("blockCacheHits", () -> reader.get().cacheHits());
    group.gauge("blockCacheMisses", () -> reader.get().cacheMisses());
    group.gauge("falsePositiveReads", () -> reader.get().falsePositiveReads());
    group.gauge("signatureBits", () -> reader.get().signatureBits());
    MemoryBudget memory = reader.get().memory();
    group.gauge("memoryBudgetBytes", () -> memory.isLimited() ? memory.limitBytes() : 0);
    group.gauge("memoryIndexBytes", memory::indexBytes);
    group.gauge("memorySignatureBytes", memory::signatureBytes);
    group.gauge("memoryCacheBytes", memory::cacheBytes);
    group.gauge("signatureAdjustments", memory::signatureAdjustments);
    group.gauge("signatureBytesLoaded", memory::signatureBytesLoaded);
    group.gauge("refusedForMemory", memory::refusals);
    group.gauge("effectiveAccess", () -> reader.get().effectiveAccess());
    group.histogram("readLatencyNanos", new ReadLatency(() -> reader.get().readLatency()));
  }

  /** Counts a lookup by what it found. */
  void count(Collection<?> found) {
    (found.isEmpty() ? misses : hits).inc();
  }
}
