package io.bsdb.reader;

import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Rounds of a random test until time is up: {@code -Dcampaign.minutes} (2 unless given) and at
 * least one round. A failed round is run again as the first by {@code -Dcampaign.seed}. What was
 * counted is printed at the end.
 */
final class Campaign implements AutoCloseable {
  private static final double MINUTES =
      Double.parseDouble(System.getProperty("campaign.minutes", "2"));

  private final String name;
  private final long firstSeed = Long.getLong("campaign.seed", System.nanoTime());
  private final long end = System.nanoTime() + (long) (MINUTES * TimeUnit.MINUTES.toNanos(1));
  private final Map<String, Long> counts = new TreeMap<>();
  private long rounds;

  private Campaign(String name) {
    this.name = name;
  }

  static Campaign start(String name) {
    Campaign campaign = new Campaign(name);
    System.out.printf(
        Locale.ROOT, "%s: %s minutes from -Dcampaign.seed=%d%n", name, MINUTES, campaign.firstSeed);
    return campaign;
  }

  /** Whether another round begins. */
  boolean nextRound() {
    return rounds++ == 0 || System.nanoTime() < end;
  }

  /** The numbers of this round. */
  Random random() {
    return new Random(seed());
  }

  /** That of this round. */
  long seed() {
    return firstSeed + rounds - 1;
  }

  synchronized void count(String what) {
    counts.merge(what, 1L, Long::sum);
  }

  @Override
  public synchronized void close() {
    System.out.printf(
        Locale.ROOT, "%s: seeds from %d to %d, counted %s%n", name, firstSeed, seed() - 1, counts);
  }
}
