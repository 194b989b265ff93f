package io.bsdb.flink.lookup;

import io.bsdb.reader.metrics.LatencyHistogram;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.HistogramStatistics;

/** A reader's latencies in nanoseconds, as Flink's reporters ask for them. */
record ReadLatency(Supplier<LatencyHistogram> latencies) implements Histogram {
  @Override
  public void update(long value) {
    throw new UnsupportedOperationException("the reader records latencies itself");
  }

  @Override
  public long getCount() {
    return latencies.get().count();
  }

  @Override
  public HistogramStatistics getStatistics() {
    LatencyHistogram histogram = latencies.get();
    return new Statistics(
        histogram,
        IntStream.rangeClosed(1, 100)
            .mapToLong(percent -> histogram.quantile(percent / 100.0))
            .toArray());
  }

  /** 100 percentiles stand for all values, since only their counts by size are known. */
  private static final class Statistics extends HistogramStatistics {
    private final LatencyHistogram histogram;
    private final long[] percentiles;

    Statistics(LatencyHistogram histogram, long[] percentiles) {
      this.histogram = histogram;
      this.percentiles = percentiles;
    }

    @Override
    public double getQuantile(double quantile) {
      return histogram.quantile(quantile);
    }

    @Override
    public long[] getValues() {
      return percentiles.clone();
    }

    @Override
    public int size() {
      return percentiles.length;
    }

    @Override
    public double getMean() {
      return Arrays.stream(percentiles).average().orElse(0);
    }

    @Override
    public double getStdDev() {
      double mean = getMean();
      return Math.sqrt(
          Arrays.stream(percentiles)
              .mapToDouble(value -> (value - mean) * (value - mean))
              .average()
              .orElse(0));
    }

    @Override
    public long getMax() {
      return percentiles[percentiles.length - 1];
    }

    @Override
    public long getMin() {
      return percentiles[0];
    }
  }
}
