package io.bsdb.reader.metrics;

import io.bsdb.format.Internal;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Counters of a reader, made for export; live: each call returns the current value. Safe for many
 * threads.
 */
public final class ReaderMetrics {
  private final LookupCounters counters;
  private final LongSupplier hits;
  private final LongSupplier misses;
  private final LongSupplier inFlight;
  private final Supplier<String> effectiveAccess;

  /**
   * Creates the metrics of a reader; called by readers.
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

  /** Returns the number of lookups that were answered. */
  public long lookups() {
    return hits() + misses();
  }

  /** Returns the number of lookups that found their key. */
  public long hits() {
    return hits.getAsLong();
  }

  /** Returns the number of lookups of absent keys. */
  public long misses() {
    return misses.getAsLong();
  }

  /**
   * Returns the number of lookups of absent keys that a signature answered, without a look at a
   * record.
   */
  public long signatureRejects() {
    return counters.signatureRejects();
  }

  /** Returns the number of blocks read from disk. */
  public long blockReads() {
    return counters.blockReads();
  }

  /** Returns the number of bytes read from disk, in whole pages. */
  public long bytesRead() {
    return counters.bytesRead();
  }

  /** Returns the number of lookups whose block was in the block cache. */
  public long cacheHits() {
    return counters.cacheHits();
  }

  /** Returns the number of lookups whose block was not. */
  public long cacheMisses() {
    return counters.cacheMisses();
  }

  /** Returns the number of lookups that ended with an exception. */
  public long failures() {
    return counters.failures();
  }

  /** Returns how long reads from disk took. */
  public LatencyHistogram readLatency() {
    return counters.readLatency();
  }

  /** Returns the number of asynchronous reads queued or in flight right now. */
  public long readsInFlight() {
    return inFlight.getAsLong();
  }

  /**
   * Returns how blocks are really reached: the access asked for, or, once asynchronous reads have
   * begun, what it fell back to and why.
   */
  public String effectiveAccess() {
    return effectiveAccess.get();
  }
}
