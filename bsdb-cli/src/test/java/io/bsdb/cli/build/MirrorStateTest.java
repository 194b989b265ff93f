package io.bsdb.cli.build;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reload.ReloadReport.Difference;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class MirrorStateTest {
  private static final Instant START = Instant.parse("2026-07-01T00:00:00Z");
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private final MirrorState state = new MirrorState(MINUTE);

  private double seconds(Duration run, double random) {
    Duration wait = state.schedule(run, START, random);
    assertThat(state.health().nextRun()).isEqualTo(START.plus(wait));
    return wait.toNanos() / 1e9;
  }

  @Test
  void startsRunsAnIntervalApart() {
    state.succeeded("1", null, START, Duration.ZERO);
    Duration run = Duration.ofSeconds(20);
    assertThat(seconds(run, 0)).isEqualTo(40);
    assertThat(seconds(run, 0.5)).isEqualTo(43);
    assertThat(seconds(Duration.ofSeconds(90), 1)).as("late").isZero();
  }

  @Test
  void waitsForAThousandYears() {
    Duration longest = Duration.ofDays(365_000);
    MirrorState rare = new MirrorState(longest);
    rare.succeeded("1", null, START, Duration.ZERO);
    assertThat(rare.schedule(Duration.ZERO, START, 1))
        .isEqualTo(longest.plus(longest.dividedBy(10)));
    rare.failed("no such file", Duration.ZERO);
    assertThat(rare.schedule(Duration.ZERO, START, 0)).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void waitsTwiceAsLongAfterEachFailure() {
    double[] expected = {1, 2, 4, 8, 16, 32, 60, 60};
    for (double wait : expected) {
      state.failed("no such file", Duration.ZERO);
      assertThat(seconds(Duration.ofSeconds(90), 0)).isEqualTo(wait);
      assertThat(seconds(Duration.ofSeconds(90), 1)).isEqualTo(wait / 2);
    }
    for (int i = 0; i < 100; i++) {
      state.failed("no such file", Duration.ZERO);
    }
    assertThat(seconds(Duration.ZERO, 0)).isEqualTo(60);
    assertThat(state.health().failuresInARow()).isEqualTo(108);
    state.succeeded("1", null, START, Duration.ZERO);
    state.failed("no such file", Duration.ZERO);
    assertThat(seconds(Duration.ZERO, 0)).isEqualTo(1);
    assertThat(state.health().version()).isEqualTo("1");
    assertThat(state.health().error()).isEqualTo("no such file");
  }

  @Test
  void writesFiguresTheSameInEveryLocale() throws IOException {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
    try {
      state.failed("no such file", Duration.ofMillis(1500));
      assertThat(state.metrics())
          .contains(
              "bsdb_mirror_runs_total{outcome=\"failed\"} 1.0\n",
              "bsdb_mirror_runs_total{outcome=\"published\"} 0.0\n",
              "bsdb_mirror_failures_in_a_row 1.0\n",
              "bsdb_mirror_run_seconds 1.5\n")
          .doesNotContain("bsdb_mirror_last_success_timestamp_seconds ", "bsdb_mirror_rows{");
      state.succeeded("1", new Difference("0", 70, 1, 2, 3, 4), START, Duration.ZERO);
      assertThat(state.metrics())
          .contains(
              "bsdb_mirror_runs_total{outcome=\"published\"} 1.0\n",
              "bsdb_mirror_failures_in_a_row 0.0\n",
              "bsdb_mirror_last_success_timestamp_seconds " + (double) START.getEpochSecond(),
              "bsdb_mirror_rows{kind=\"same\"} 70.0\n",
              "bsdb_mirror_rows{kind=\"deleted\"} 3.0\n");
      state.succeeded("2", null, START, Duration.ZERO);
      assertThat(state.metrics()).as("all were published").doesNotContain("bsdb_mirror_rows{");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void writesTheFiguresOfOneRunWhileAnotherEnds() throws Exception {
    AtomicBoolean ends = new AtomicBoolean();
    Runnable run =
        () -> state.succeeded("1", new Difference("0", 70, 1, 2, 3, 4), START, Duration.ZERO);
    run.run();
    Thread runs =
        new Thread(
            () -> {
              while (!ends.get()) {
                run.run();
              }
            });
    runs.start();
    try {
      for (int i = 0; i < 500; i++) {
        assertThat(state.metrics()).contains("bsdb_mirror_rows{kind=\"deleted\"} 3.0\n");
      }
    } finally {
      ends.set(true);
      runs.join();
    }
  }
}
