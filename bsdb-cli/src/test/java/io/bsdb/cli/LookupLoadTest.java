package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which keys are asked for, in rounds that have no time for more than one step. */
class LookupLoadTest {
  private static final int KEYS = 1000;
  private static final int STEP = 256;
  private static final int ROUNDS = 12;
  private static final double NO_TIME = 0;

  @TempDir private Path directory;
  private LookupKeys keys;

  @BeforeEach
  void writeKeys() throws IOException {
    List<String> lines = IntStream.range(0, KEYS).mapToObj(i -> "key " + i).toList();
    Path file = Files.write(directory.resolve("keys"), lines);
    keys = LookupKeys.ofFile(file, RecordText.of(null, null));
  }

  @Test
  void asksForEachKeyOnceToCheckItsAnswer() throws IOException {
    List<Integer> asked = new ArrayList<>();
    LookupLoad load = new LookupLoad(ignored -> recordingIn(asked), keys, 3);

    load.check(Double.POSITIVE_INFINITY);

    assertThat(asked).isEqualTo(IntStream.range(0, KEYS).boxed().toList());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void beginsBehindTheKeysThatWereChecked(int threads) throws IOException {
    List<List<Integer>> asked = new ArrayList<>();
    LookupLoad load = new LookupLoad(ignored -> recordingIn(added(asked)), keys, threads);

    load.check(NO_TIME);
    load.run(NO_TIME);

    assertThat(asked.get(0)).isEqualTo(IntStream.range(0, STEP).boxed().toList());
    for (int thread = 0; thread < threads; thread++) {
      assertThat(asked.get(1 + thread).get(0)).isEqualTo(STEP + KEYS * thread / threads);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void goesOnWhereTheLastRoundEnded(int threads) throws IOException {
    List<List<Integer>> asked = new ArrayList<>();
    LookupLoad load = new LookupLoad(ignored -> recordingIn(added(asked)), keys, threads);

    load.run(NO_TIME);

    assertThat(asked).hasSize(threads);
    for (int thread = 0; thread < threads; thread++) {
      int first = KEYS * thread / threads;
      assertThat(asked.get(thread))
          .isEqualTo(IntStream.range(0, ROUNDS * STEP).mapToObj(i -> (first + i) % KEYS).toList());
    }
  }

  @Test
  void runsBothKindsOfRoundsBeforeThoseThatCount() throws IOException {
    List<Boolean> timed = new ArrayList<>();
    LookupLoad load =
        new LookupLoad(
            ignored ->
                (position, count, latencies) -> {
                  timed.add(latencies != null);
                  if (latencies != null) {
                    latencies.recordValue(timed.size());
                  }
                },
            keys,
            1);

    LookupLoad.Outcome outcome = load.run(NO_TIME);

    assertThat(timed)
        .isEqualTo(IntStream.range(0, ROUNDS).mapToObj(round -> round % 2 == 1).toList());
    assertThat(outcome.lookups()).isEqualTo((ROUNDS - 2) * STEP);
    assertThat(outcome.latencies().getTotalCount()).isEqualTo(ROUNDS / 2 - 1);
    assertThat(outcome.latencies().getMinValue()).as("of round 4 of all").isEqualTo(4);
  }

  @Test
  void failsWithTheErrorOfAnyThread() {
    AtomicInteger created = new AtomicInteger();
    LookupLoad load =
        new LookupLoad(
            ignored -> {
              boolean fails = created.getAndIncrement() == 1;
              return (position, count, latencies) -> {
                if (fails) {
                  throw new OutOfMemoryError("injected");
                }
              };
            },
            keys,
            3);

    assertThatThrownBy(() -> load.run(NO_TIME))
        .isInstanceOf(OutOfMemoryError.class)
        .hasMessage("injected");
  }

  private static List<Integer> added(List<List<Integer>> lists) {
    List<Integer> list = new ArrayList<>();
    lists.add(list);
    return list;
  }

  /** Notes the positions, as those of keys. */
  private static Lookups recordingIn(List<Integer> asked) {
    return (position, count, latencies) ->
        IntStream.range(position, position + count).forEach(i -> asked.add(i % KEYS));
  }
}
