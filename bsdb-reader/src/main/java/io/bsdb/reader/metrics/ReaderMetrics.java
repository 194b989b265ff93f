package io.bsdb.reader.metrics;

import io.bsdb.format.Internal;
import io.bsdb.reader.memory.MemoryBudget;
import java.util.function.DoubleSupplier;
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
  private final DoubleSupplier signatureBits;
  private final MemoryBudget memory;

  /**
   * Creates the metrics of a reader; called by readers.
   *
   * @param hits counts lookups that found their key
   * @param misses counts lookups of absent keys
   * @param inFlight counts asynchronous reads
   * @param signatureBits in memory, on average
   * @param memory that the reader shares with others
   * @hidden
   */
  @Internal
  public ReaderMetrics(
      LookupCounters counters,
      LongSupplier hits,
      LongSupplier misses,
      LongSupplier inFlight,
      Supplier<String> effectiveAccess,
      DoubleSupplier signatureBits,
      MemoryBudget memory) {
    this.counters = counters;
    this.hits = hits;
    this.misses = misses;
    this.inFlight = inFlight;
    this.effectiveAccess = effectiveAccess;
    this.signatureBits = signatureBits;
    this.memory = memory;
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

  /**
   * Returns the number of records that were read from disk for keys that are absent: signatures did
   * not decide, or there were none in memory.
   */
  public long falsePositiveReads() {
    return counters.falsePositives();
  }

  /**
   * Returns how many bits of each signature are in memory, on average over all keys; with access
   * from disk only.
   */
  public double signatureBits() {
    return signatureBits.getAsDouble();
  }

  /** Returns the memory of this reader and of all others that share its limit. */
  public MemoryBudget memory() {
    return memory;
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
