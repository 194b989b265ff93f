package io.bsdb.benchmarks;

import io.bsdb.benchmarks.peers.BuildProcess;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything that one run measured: what the JSON file holds.
 *
 * @param machine facts of hardware and software
 * @param parameters of the run
 * @param sizes one entry per record count
 * @param disk reads past the page cache, at the largest record count
 */
public record Results(
    Map<String, String> machine,
    Map<String, String> parameters,
    List<Size> sizes,
    List<DiskResult> disk) {

  /**
   * One record count.
   *
   * @param pageCache whether all files fit, in words
   */
  public record Size(long records, String pageCache, List<PeerResult> peers) {}

  /**
   * One peer.
   *
   * @param build null for peers without files
   * @param nanosPerKey by what was measured
   * @param latencyNanos by quantile, of single gets in one thread
   */
  public record PeerResult(
      String name,
      String configuration,
      BuildProcess.@Nullable Cost build,
      Map<String, Series> nanosPerKey,
      Map<String, Double> latencyNanos) {

    /** The median of what was measured, or NaN if it was not. */
    public double median(String what) {
      Series series = nanosPerKey.get(what);
      return series == null ? Double.NaN : series.median();
    }
  }

  /** The rounds of one measurement. */
  public record Series(double median, double best, List<Double> rounds) {
    /** Of the rounds. */
    public static Series of(double[] rounds) {
      double[] sorted = rounds.clone();
      Arrays.sort(sorted);
      int middle = sorted.length / 2;
      double median =
          sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
      return new Series(median, sorted[0], Arrays.stream(rounds).boxed().toList());
    }
  }

  /**
   * One way to read from disk.
   *
   * @param operationsPerSecond whole lookups, or reads in fio's case
   * @param ofFio share of what fio reached in the same way; NaN for fio itself
   * @param readsPerHit NaN for fio
   * @param readsPerMiss NaN for fio
   * @param pagesPerRead 4 KiB each
   */
  public record DiskResult(
      String name,
      double operationsPerSecond,
      double ofFio,
      double readsPerHit,
      double readsPerMiss,
      double pagesPerRead) {}
}
