package io.bsdb.reader.metrics;

import io.bsdb.format.Internal;
import io.bsdb.reader.memory.SignatureUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counters that the parts of a reader increment, read through {@link ReaderMetrics}. Safe for many
 * threads.
 *
 * @hidden
 */
@Internal
public final class LookupCounters {
  private final LongAdder otherRejects = new LongAdder();
  private final Map<SignatureUnit, LongAdder> rejectsByUnit = new HashMap<>();
  private final LongAdder falsePositives = new LongAdder();
  private final LongAdder blockReads = new LongAdder();
  private final LongAdder bytesRead = new LongAdder();
  private final LongAdder cacheHits = new LongAdder();
  private final LongAdder cacheMisses = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LatencyHistogram readLatency = new LatencyHistogram();

  /** Creates counters that are zero. */
  public LookupCounters() {}

  /** Counts a read from disk. */
  public void read(int bytes, long nanos) {
    blockReads.increment();
    bytesRead.add(bytes);
    readLatency.record(nanos);
  }

  /**
   * Returns the counter of absent keys that signatures reject. To be called before this is shared.
   *
   * @param unit of the signatures; null if they are in none
   */
  public LongAdder signatureRejects(@Nullable SignatureUnit unit) {
    return unit == null
        ? otherRejects
        : rejectsByUnit.computeIfAbsent(unit, SignatureUnit::addRejected);
  }

  /** Ends the counting of rejected keys; what was counted stays. */
  public void end() {
    rejectsByUnit.forEach(SignatureUnit::endRejected);
  }

  /** Counts a record that was looked at in vain: it has another key. */
  public void falsePositive() {
    falsePositives.increment();
  }

  public void cacheHit() {
    cacheHits.increment();
  }

  public void cacheMiss() {
    cacheMisses.increment();
  }

  /** Counts a lookup that ended with an exception. */
  public void failure() {
    failures.increment();
  }

  long signatureRejects() {
    return otherRejects.sum() + rejectsByUnit.values().stream().mapToLong(LongAdder::sum).sum();
  }

  long falsePositives() {
    return falsePositives.sum();
  }

  long blockReads() {
    return blockReads.sum();
  }

  long bytesRead() {
    return bytesRead.sum();
  }

  /** Returns the number of blocks found in the cache. */
  public long cacheHits() {
    return cacheHits.sum();
  }

  long cacheMisses() {
    return cacheMisses.sum();
  }

  long failures() {
    return failures.sum();
  }

  LatencyHistogram readLatency() {
    return readLatency;
  }
}
