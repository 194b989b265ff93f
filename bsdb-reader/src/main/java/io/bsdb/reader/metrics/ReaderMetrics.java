package io.bsdb.reader.metrics;

import io.bsdb.format.Internal;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What a reader has done so far. Plain counters, made for export; live: each call looks anew. Safe
 * for many threads.
 */
public final class ReaderMetrics {
  private final LookupCounters counters;
  private final LongSupplier hits;
  private final LongSupplier misses;
  private final LongSupplier inFlight;
  private final Supplier<String> effectiveAccess;

  /**
   * Made by readers.
   *
   * @param hits counts lookups that found their key
   * @param misses counts lookups of absent keys
   * @param inFlight counts asynchronous reads
   * @hidden
   */
  @Internal
  public ReaderMetrics(
      LookupCounters counters,
      LongSupplier hits,
      LongSupplier misses,
      LongSupplier inFlight,
      Supplier<String> effectiveAccess) {
    this.counters = counters;
    this.hits = hits;
    this.misses = misses;
    this.inFlight = inFlight;
    this.effectiveAccess = effectiveAccess;
  }

  /** Lookups that were answered. */
  public long lookups() {
    return hits() + misses();
  }

  /** Lookups that found their key. */
  public long hits() {
    return hits.getAsLong();
  }

  /** Lookups of absent keys. */
  public long misses() {
    return misses.getAsLong();
  }

  /** Lookups of absent keys that a signature answered, without a look at a record. */
  public long signatureRejects() {
    return counters.signatureRejects();
  }

  /** Blocks read from disk. */
  public long blockReads() {
    return counters.blockReads();
  }

  /** Bytes read from disk, whole pages. */
  public long bytesRead() {
    return counters.bytesRead();
  }

  /** Lookups whose block was in the block cache. */
  public long cacheHits() {
    return counters.cacheHits();
  }

  /** Lookups whose block was not. */
  public long cacheMisses() {
    return counters.cacheMisses();
  }

  /** Lookups that ended with an exception. */
  public long failures() {
    return counters.failures();
  }

  /** How long reads from disk took. */
  public LatencyHistogram readLatency() {
    return counters.readLatency();
  }

  /** Asynchronous reads queued or in flight right now. */
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
