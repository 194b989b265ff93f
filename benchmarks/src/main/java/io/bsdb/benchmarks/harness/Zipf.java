package io.bsdb.benchmarks.harness;

import java.util.SplittableRandom;

/**
 * Numbers in [0, n), where k is drawn in proportion to 1 / (k + 1)^s, by the approximation of Gray
 * et al., "Quickly generating billion-record synthetic databases" (1994), for s in (0, 1).
 */
public final class Zipf {
  private final long n;
  private final double s;
  private final double total;
  private final double alpha;
  private final double eta;

  Zipf(long n, double s) {
    this.n = n;
    this.s = s;
    this.total = sum(n, s);
    this.alpha = 1 / (1 - s);
    this.eta = (1 - Math.pow(2.0 / n, 1 - s)) / (1 - sum(2, s) / total);
  }

  /** Returns the sum of k^−s: exactly over the first million, as an integral over the rest. */
  private static double sum(long n, double s) {
    long exact = Math.min(n, 1_000_000);
    double sum = 0;
    for (long k = 1; k <= exact; k++) {
      sum += Math.pow((double) k, -s);
    }
    return sum + (Math.pow(n + 0.5, 1 - s) - Math.pow(exact + 0.5, 1 - s)) / (1 - s);
  }

  public long next(SplittableRandom random) {
    double share = random.nextDouble();
    double place = share * total;
    if (place < 1) {
      return 0;
    }
    if (place < 1 + Math.pow(0.5, s)) {
      return Math.min(1, n - 1);
    }
    return Math.min(n - 1, (long) (n * Math.pow(eta * share - eta + 1, alpha)));
  }
}
