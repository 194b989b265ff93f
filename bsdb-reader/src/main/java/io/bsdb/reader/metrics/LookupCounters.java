package io.bsdb.reader.metrics;

import io.bsdb.format.Internal;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters that the parts of a reader increment, read through {@link ReaderMetrics}. Safe for many
 * threads.
 *
 * @hidden
 */
@Internal
public final class LookupCounters {
  private final LongAdder signatureRejects = new LongAdder();
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

  /** Counts an absent key that a signature told. */
  public void signatureReject() {
    signatureRejects.increment();
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
    return signatureRejects.sum();
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
