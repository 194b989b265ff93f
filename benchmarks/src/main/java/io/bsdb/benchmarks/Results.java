package io.bsdb.benchmarks;

import io.bsdb.benchmarks.peers.BuildProcess;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Everything that one run measured: what the JSON file holds.
 *
 * @param machine facts of hardware and software
 * @param parameters of the run
 * @param sizes one entry per record count
 * @param disk reads past the page cache, at the largest record count
 * @param enrichment lookups within stream processors
 */
public record Results(
    Map<String, String> machine,
    Map<String, String> parameters,
    List<Size> sizes,
    List<DiskResult> disk,
    List<Enrichment> enrichment) {

  private static <T> List<T> joined(List<T> all, List<T> more) {
    List<T> joined = new ArrayList<>(all);
    joined.addAll(more);
    return List.copyOf(joined);
  }

  Results with(Size size) {
    return new Results(machine, parameters, joined(sizes, List.of(size)), disk, enrichment);
  }

  Results withDisk(List<DiskResult> read) {
    return new Results(machine, parameters, sizes, read, enrichment);
  }

  /** The same with more enrichment. */
  public Results with(List<Enrichment> more) {
    return new Results(machine, parameters, sizes, disk, joined(enrichment, more));
  }

  /**
   * One record count.
   *
   * @param turns whether the stores took turns or ran one at a time, and why, in words
   * @param leftOut stores that could not run, with the reason
   * @param pageCache how much of the files was in memory, in words
   * @param memory what the memory gives; null if nothing was read, or beside each store alone
   */
  public record Size(
      long records,
      String turns,
      List<String> leftOut,
      String pageCache,
      @Nullable Limit memory,
      List<PeerResult> peers) {

    Size with(String newTurns, List<String> newLeftOut) {
      return new Size(records, newTurns, newLeftOut, pageCache, memory, peers);
    }
  }

  /**
   * Random reads of single bytes of mapped files, in nanoseconds each.
   *
   * @param bytes over which the reads are spread
   * @param dependent one after the other
   * @param independent as many at once as the processor can
   */
  public record Limit(long bytes, Series dependent, Series independent) {}

  /**
   * One peer.
   *
   * @param build the round of median duration; null for peers without files
   * @param buildSeconds of all rounds
   * @param nanosPerKey by what was measured
   * @param latencies of single gets in one thread, in the order of quantiles
   * @param memory what the memory gave beside a store that ran alone; else null
   */
  public record PeerResult(
      String name,
      String configuration,
      BuildProcess.@Nullable Cost build,
      List<Double> buildSeconds,
      Map<String, Series> nanosPerKey,
      List<Latency> latencies,
      @Nullable Limit memory) {

    PeerResult beside(@Nullable Limit limit) {
      return new PeerResult(
          name, configuration, build, buildSeconds, nanosPerKey, latencies, limit);
    }

    /** The median of what was measured, or NaN if it was not. */
    public double median(String what) {
      Series series = nanosPerKey.get(what);
      return series == null ? Double.NaN : series.median();
    }

    /** The latency below which this share of all lies, or NaN. */
    public double latency(double quantile) {
      return latencies.stream()
          .filter(latency -> latency.quantile() == quantile)
          .mapToDouble(Latency::nanos)
          .findFirst()
          .orElse(Double.NaN);
    }
  }

  /** A quantile of the duration of single gets. */
  public record Latency(double quantile, double nanos) {
    private static final List<Double> QUANTILES =
        List.of(0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9999);

    static List<Latency> of(Histogram histogram) {
      return QUANTILES.stream()
          .map(quantile -> new Latency(quantile, histogram.getValueAtPercentile(100 * quantile)))
          .toList();
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
   * @param cores that the process used, asking and checking included; NaN for fio
   */
  public record DiskResult(
      String name,
      double operationsPerSecond,
      double ofFio,
      double readsPerHit,
      double readsPerMiss,
      double pagesPerRead,
      double cores) {}
}
