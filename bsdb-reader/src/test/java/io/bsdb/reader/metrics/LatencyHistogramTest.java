package io.bsdb.reader.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LatencyHistogramTest {
  /** A bucket ends at most a quarter of its power of two after what is in it. */
  @Test
  void quantilesAreUpperBounds() {
    LatencyHistogram histogram = new LatencyHistogram();
    assertThat(histogram.quantile(0.5)).isZero();
    for (int i = 1; i <= 1000; i++) {
      histogram.record(i * 1000L);
    }
    assertThat(histogram.count()).isEqualTo(1000);
    assertThat(histogram.quantile(0.5)).isBetween(500_000L, 625_000L);
    assertThat(histogram.quantile(0.99)).isBetween(990_000L, 1_240_000L);
    assertThat(histogram.quantile(1)).isBetween(1_000_000L, 1_250_000L);
    histogram.record(0);
    assertThat(histogram.quantile(0.0001)).isBetween(1L, 5L);
  }
}
