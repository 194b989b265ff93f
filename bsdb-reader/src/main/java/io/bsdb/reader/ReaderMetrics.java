package io.bsdb.reader;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What a reader has done so far. Plain counters, made for export; live: each call looks anew. Safe
 * for many threads.
 */
public final class ReaderMetrics {
  private final Calls calls;
  private final Counters counters;
  private final LongSupplier inFlight;
  private final Supplier<String> effectiveAccess;

  ReaderMetrics(
      Calls calls, Counters counters, LongSupplier inFlight, Supplier<String> effectiveAccess) {
    this.calls = calls;
    this.counters = counters;
    this.inFlight = inFlight;
    this.effectiveAccess = effectiveAccess;
  }

  /** Written by the parts of a reader. */
  static final class Counters {
    final LongAdder signatureRejects = new LongAdder();
    final LongAdder blockReads = new LongAdder();
    final LongAdder bytesRead = new LongAdder();
    final LongAdder cacheHits = new LongAdder();
    final LongAdder cacheMisses = new LongAdder();
    final LongAdder failures = new LongAdder();
    final LatencyHistogram readLatency = new LatencyHistogram();

    void read(int bytes, long nanos) {
      blockReads.increment();
      bytesRead.add(bytes);
      readLatency.record(nanos);
    }
  }

  /** Lookups that were answered. */
  public long lookups() {
    return hits() + misses();
  }

  /** Lookups that found their key. */
  public long hits() {
    return calls.hits();
  }

  /** Lookups of absent keys. */
  public long misses() {
    return calls.misses();
  }

  /** Lookups of absent keys that a signature answered, without a look at a record. */
  public long signatureRejects() {
    return counters.signatureRejects.sum();
  }

  /** Blocks read from disk. */
  public long blockReads() {
    return counters.blockReads.sum();
  }

  /** Bytes read from disk, whole pages. */
  public long bytesRead() {
    return counters.bytesRead.sum();
  }

  /** Lookups whose block was in the block cache. */
  public long cacheHits() {
    return counters.cacheHits.sum();
  }

  /** Lookups whose block was not. */
  public long cacheMisses() {
    return counters.cacheMisses.sum();
  }

  /** Lookups that ended with an exception. */
  public long failures() {
    return counters.failures.sum();
  }

  /** How long reads from disk took. */
  public LatencyHistogram readLatency() {
    return counters.readLatency;
  }

  /** Asynchronous reads under way, or waiting for their turn, right now. */
  public long readsInFlight() {
    return inFlight.getAsLong();
  }

  /**
   * How blocks are really reached: the access asked for, or, once asynchronous reads have begun,
   * what it fell back to and why.
   */
  public String effectiveAccess() {
    return effectiveAccess.get();
  }
}
