package io.bsdb.cli.build;

import io.bsdb.cli.output.Report;
import io.bsdb.reload.ReloadReport;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
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
  private final Map<Outcome, Long> runs = new EnumMap<>(Outcome.class);
  private int failuresInARow;
  private @Nullable Instant lastSuccess;
  private @Nullable String version;
  private @Nullable String error = "the first run has not ended";
  private @Nullable Instant nextRun;
  private double seconds;
  private ReloadReport.@Nullable Difference found;

  MirrorState(Duration interval) {
    this.interval = interval;
    for (Outcome outcome : Outcome.values()) {
      runs.put(outcome, 0L);
    }
  }

  /**
   * Notes a run that succeeded.
   *
   * @param difference that it found; null if all rows were published
   */
  synchronized Outcome succeeded(
      String inService, ReloadReport.@Nullable Difference difference, Instant end, Duration took) {
    Outcome outcome =
        difference != null && difference.differing() == 0 ? Outcome.UNCHANGED : Outcome.PUBLISHED;
    ended(outcome, took);
    failuresInARow = 0;
    error = null;
    lastSuccess = end;
    version = inService;
    found = difference;
    return outcome;
  }

  /** Notes a run that failed, with its error in words. */
  synchronized void failed(String message, Duration took) {
    ended(Outcome.FAILED, took);
    failuresInARow++;
    error = message;
  }

  private void ended(Outcome outcome, Duration took) {
    runs.merge(outcome, 1L, Long::sum);
    seconds = took.toNanos() / 1e9;
  }

  /**
   * Returns when the next run begins. After a success: an interval after the last one began, up to
   * a tenth of it later. After failures: from one second on twice as long each time, but no longer
   * than an interval; up to half of it earlier. So mirrors of one source that failed together do
   * not come back together.
   *
   * @param random from 0 to 1
   */
  synchronized Instant schedule(Instant began, Instant now, double random) {
    Duration wait;
    if (failuresInARow == 0) {
      Duration late = Duration.ofNanos((long) (interval.toNanos() * 0.1 * random));
      wait = Duration.between(now, began.plus(interval).plus(late));
    } else {
      Duration longest =
          FIRST_RETRY.multipliedBy(1L << Math.min(failuresInARow - 1, MAX_DOUBLINGS));
      Duration bounded = longest.compareTo(interval) < 0 ? longest : interval;
      wait = Duration.ofNanos((long) (bounded.toNanos() * (1 - 0.5 * random)));
    }
    Instant next = wait.isNegative() ? now : now.plus(wait);
    nextRun = next;
    return next;
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
  synchronized String metrics() {
    StringBuilder text = new StringBuilder();
    type(text, "bsdb_mirror_runs_total", "counter", "Runs that have ended, by outcome.");
    runs.forEach(
        (outcome, count) ->
            text.append(
                "bsdb_mirror_runs_total{outcome=\"%s\"} %d\n".formatted(label(outcome), count)));
    gauge(
        text, "failures_in_a_row", "Runs that have failed since the last success.", failuresInARow);
    gauge(text, "run_seconds", "Duration of the last run.", seconds);
    if (lastSuccess != null) {
      gauge(
          text,
          "last_success_timestamp_seconds",
          "End of the last run that succeeded.",
          lastSuccess.getEpochSecond());
    }
    ReloadReport.Difference rows = found;
    if (rows != null) {
      String name = "bsdb_mirror_rows";
      type(text, name, "gauge", "Rows of the last run that succeeded, by what they were.");
      row(text, name, "same", rows.same());
      row(text, name, "added", rows.added());
      row(text, name, "changed", rows.changed());
      row(text, name, "deleted", rows.deleted());
    }
    return text.toString();
  }

  private static void row(StringBuilder text, String name, String kind, long count) {
    text.append("%s{kind=\"%s\"} %d\n".formatted(name, kind, count));
  }

  private static void type(StringBuilder text, String name, String type, String help) {
    text.append("# HELP %s %s\n# TYPE %1$s %s\n".formatted(name, help, type));
  }

  private static void gauge(StringBuilder text, String name, String help, Number figure) {
    String full = "bsdb_mirror_" + name;
    type(text, full, "gauge", help);
    text.append(full + " " + figure + "\n");
  }

  static String label(Outcome outcome) {
    return outcome.name().toLowerCase(Locale.ROOT);
  }
}
