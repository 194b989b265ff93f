package io.bsdb.cli.build;

import io.bsdb.cli.output.Report;
import io.bsdb.reload.ReloadReport;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What became of the runs of a mirror, and when the next one is due. Safe for many threads. */
final class MirrorState {
  private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
  private static final int MAX_DOUBLINGS = 20;

  /** How a run ended. */
  enum Outcome {
    PUBLISHED,
    UNCHANGED,
    FAILED
  }

  private final Duration interval;
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final Counter runs =
      Counter.builder()
          .name("bsdb_mirror_runs")
          .help("Runs that have ended, by outcome.")
          .labelNames("outcome")
          .withoutExemplars()
          .register(registry);
  private final Gauge failuresSinceSuccess =
      gauge("failures_in_a_row", "Runs that have failed since the last success.")
          .register(registry);
  private final Gauge seconds =
      gauge("run_seconds", "Duration of the last run.").register(registry);
  private final Gauge rows =
      gauge("rows", "Rows of the last run that succeeded, by what they were.")
          .labelNames("kind")
          .register(registry);
  private int failuresInARow;
  private @Nullable Instant lastSuccess;
  private @Nullable String version;
  private @Nullable String error = "the first run has not ended";
  private @Nullable Instant nextRun;

  MirrorState(Duration interval) {
    this.interval = interval;
    for (Outcome outcome : Outcome.values()) {
      runs.initLabelValues(label(outcome));
    }
    GaugeWithCallback.builder()
        .name("bsdb_mirror_last_success_timestamp_seconds")
        .help("End of the last run that succeeded.")
        .callback(this::lastSuccess)
        .register(registry);
  }

  private static Gauge.Builder gauge(String name, String help) {
    return Gauge.builder().name("bsdb_mirror_" + name).help(help).withoutExemplars();
  }

  /**
   * Records a run that succeeded.
   *
   * @param difference that it found; null if all rows were published
   */
  synchronized Outcome succeeded(
      String inService, ReloadReport.@Nullable Difference difference, Instant end, Duration took) {
    Outcome outcome = outcome(difference);
    ended(outcome, took, 0);
    error = null;
    lastSuccess = end;
    version = inService;
    rows.clear();
    if (difference != null) {
      rows.labelValues("same").set((double) difference.same());
      rows.labelValues("added").set((double) difference.added());
      rows.labelValues("changed").set((double) difference.changed());
      rows.labelValues("deleted").set((double) difference.deleted());
    }
    return outcome;
  }

  /** Records a run that failed, with its error in words. */
  synchronized void failed(String message, Duration took) {
    ended(Outcome.FAILED, took, failuresInARow + 1);
    error = message;
  }

  private void ended(Outcome outcome, Duration took, int failures) {
    failuresInARow = failures;
    runs.labelValues(label(outcome)).inc();
    seconds.set(took.toNanos() / 1e9);
    failuresSinceSuccess.set(failures);
  }

  /**
   * Returns how long to wait for the next run. After a success: an interval from the begin of the
   * last one, and up to a tenth more. After failures: from one second on twice as long each time,
   * but no longer than an interval; up to half of it less. So mirrors of one source that failed
   * together do not come back together.
   *
   * @param took how long the last run took, whatever the clock did meanwhile
   * @param now the time from which the next run is scheduled
   * @param random from 0 to 1
   */
  synchronized Duration schedule(Duration took, Instant now, double random) {
    Duration wait;
    if (failuresInARow == 0) {
      // Not in nanoseconds: a thousand years are more than a long.
      wait =
          interval.plus(Duration.ofMillis((long) (interval.toMillis() * 0.1 * random))).minus(took);
    } else {
      Duration longest =
          FIRST_RETRY.multipliedBy(1L << Math.min(failuresInARow - 1, MAX_DOUBLINGS));
      Duration bounded = longest.compareTo(interval) < 0 ? longest : interval;
      wait = Duration.ofNanos((long) (bounded.toNanos() * (1 - 0.5 * random)));
    }
    wait = wait.isNegative() ? Duration.ZERO : wait;
    nextRun = now.plus(wait);
    return wait;
  }

  /**
   * How a mirror is doing.
   *
   * @param error of the last run, in words; null if it succeeded
   */
  record Health(
      @Nullable String version,
      @Nullable Instant lastSuccess,
      @Nullable Instant nextRun,
      int failuresInARow,
      @Nullable String error) {
    String json() {
      return new Report()
          .add("healthy", error == null)
          .add("version", version)
          .add("lastSuccess", Objects.toString(lastSuccess, null))
          .add("nextRun", Objects.toString(nextRun, null))
          .add("failuresInARow", failuresInARow)
          .add("error", error)
          .json();
    }
  }

  synchronized Health health() {
    return new Health(version, lastSuccess, nextRun, failuresInARow, error);
  }

  /** Returns the figures in the text format of Prometheus. */
  synchronized String metrics() throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    PrometheusTextFormatWriter.create().write(text, registry.scrape());
    return text.toString(StandardCharsets.UTF_8);
  }

  private void lastSuccess(GaugeWithCallback.Callback callback) {
    Instant success = health().lastSuccess();
    if (success != null) {
      callback.call((double) success.getEpochSecond());
    }
  }

  /** Returns how a run ended that found a difference; null if all rows were published. */
  static Outcome outcome(ReloadReport.@Nullable Difference difference) {
    return difference != null && difference.differing() == 0
        ? Outcome.UNCHANGED
        : Outcome.PUBLISHED;
  }

  static String label(Outcome outcome) {
    return outcome.name().toLowerCase(Locale.ROOT);
  }
}
