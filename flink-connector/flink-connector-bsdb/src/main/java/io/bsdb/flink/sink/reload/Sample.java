package io.bsdb.flink.sink.reload;

import io.bsdb.flink.sink.change.Change;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.Partitioning;
import java.util.BitSet;
import java.util.function.IntPredicate;
import org.apache.flink.api.common.functions.FilterFunction;

/**
 * The keys whose hashes are below a bound: a random share of all keys, in the first partitions if
 * these are ranges of hashes. It shows how much of a table differs from an input, to 1 or 2 % of
 * its rows, and exactly for a table of few rows.
 *
 * @param bound of the upper half of the high word of a hash, unsigned
 * @param maxDiffering rows of the sample that may differ before all rows are built
 */
record Sample(long bound, double maxDiffering) implements FilterFunction<Change> {
  private static final long serialVersionUID = 1L;
  private static final long ALL = 1L << Integer.SIZE;
  private static final double ROWS = 1 << 14;

  /**
   * Returns a sample of the keys of a version.
   *
   * @param maxDiffering of all rows
   */
  static Sample of(Manifest manifest, long maxDiffering) {
    double rows = manifest.recordCount() + (double) manifest.changes().count();
    double share = Math.min(1, ROWS / Math.max(1, rows));
    return new Sample((long) (share * ALL), share * maxDiffering);
  }

  boolean has(byte[] key) {
    return KeyHash.hash(key).getMostSignificantBits() >>> Integer.SIZE < bound;
  }

  @Override
  public boolean filter(Change change) {
    return has(change.key());
  }

  /** Returns which of some partitions may have such keys. */
  IntPredicate in(IntPredicate partitions, Partitioning partitioning) {
    BitSet sampled = new BitSet();
    partitioning
        .partitions(0, (bound << Integer.SIZE) - 1)
        .filter(partitions)
        .forEach(sampled::set);
    return sampled::get;
  }
}
