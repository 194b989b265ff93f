package io.bsdb.kstreams.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TopicPositionsTest {
  private static final Duration DAY = Duration.ofDays(1);

  private static TopicPositions asOf(Instant time) {
    return TopicPositions.of(Map.of("kafka:cluster/customers/id/as-of", time.toString()));
  }

  @Test
  void timesOfClocksThatDifferALittleAreUsed() {
    assertThat(asOf(Instant.now().plusSeconds(60)).forgotten(DAY)).isNull();
    assertThat(asOf(Instant.now().minusSeconds(60)).forgotten(DAY)).isNull();
  }

  @Test
  void aTimeInTheFutureSaysNothingOfTheAge() {
    Instant future = Instant.now().plus(Duration.ofHours(1));
    assertThat(asOf(future).forgotten(DAY))
        .startsWith(
            "it has the topic as of a time in the future, so its age is unknown and deleted keys could come back: as of="
                + future)
        .endsWith(
            "; set the clock of this machine, or that of the one that built the base and build it again");
    assertThat(asOf(future).forgotten(null)).as("deletes are kept for good").isNull();
  }

  @Test
  void aTimeLongAgoIsTooOld() {
    assertThat(asOf(Instant.MIN).forgotten(DAY)).startsWith("it is older than the topic keeps");
  }
}
