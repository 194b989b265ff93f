package io.bsdb.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.io.FileMemory;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Writable tables that are used in every way, beside a map. {@code mvn test -Pmodel}; runs for
 * {@code -Dcampaign.minutes}, and {@code -Dcampaign.seed} begins with the round that failed.
 */
@Tag("model")
class WritableModelCampaignTest {
  private static final double MINUTES =
      Double.parseDouble(System.getProperty("campaign.minutes", "2"));

  /** A round takes a few seconds. */
  private static final long HANGS_AFTER_SECONDS = 300;

  @TempDir Path directory;

  @Test
  void holdsWhatTheModelHolds() throws Exception {
    long first = Long.getLong("campaign.seed", System.nanoTime());
    System.out.printf(
        Locale.ROOT, "model of a writable table: %s minutes from seed %d%n", MINUTES, first);
    long end = System.nanoTime() + (long) (MINUTES * TimeUnit.MINUTES.toNanos(1));
    Map<String, Long> counts = new TreeMap<>();
    long seed = first;
    try (Watchdog watchdog = new Watchdog(HANGS_AFTER_SECONDS)) {
      do {
        WritableModel round = new WritableModel(directory.resolve("seed" + seed), seed, counts);
        try {
          watchdog.run(List.of(round));
          assertThat(FileMemory.openCount()).as("mappings left").isZero();
        } catch (Exception | AssertionError e) {
          throw new AssertionError(
              "-Dcampaign.seed=%d %s: %s".formatted(seed, round, e.getMessage()), e);
        }
        seed++;
      } while (System.nanoTime() < end);
    } finally {
      System.out.printf(
          Locale.ROOT,
          "model of a writable table: seeds from %d to %d, counted %s%n",
          first,
          seed,
          counts);
    }
  }
}
