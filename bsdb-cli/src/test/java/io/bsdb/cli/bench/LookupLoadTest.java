package io.bsdb.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.cli.output.RecordText;
import io.bsdb.reader.SnapshotReader;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which keys are looked up, with no time for more than one step. */
class LookupLoadTest {
  private static final int KEYS = 1000;
  private static final int STEP = 256;
  private static final double NO_TIME = 0;

  @TempDir private Path directory;
  private LookupKeys keys;

  /** Numbers of the keys in the order in which each thread asked for them. */
  private final Map<Thread, List<Integer>> asked = new ConcurrentHashMap<>();

  @BeforeEach
  void writeKeys() throws IOException {
    List<String> lines = IntStream.range(0, KEYS).mapToObj(i -> "key " + i).toList();
    Path file = Files.write(directory.resolve("keys"), lines);
    keys = LookupKeys.ofFile(file, RecordText.of(null, null));
  }

  /** A reader of an empty table that tells what it is asked for. */
  private static SnapshotReader reader(Consumer<byte[]> listener) {
    return (SnapshotReader)
        Proxy.newProxyInstance(
            SnapshotReader.class.getClassLoader(),
            new Class<?>[] {SnapshotReader.class},
            (proxy, method, arguments) -> {
              listener.accept((byte[]) arguments[0]);
              return null;
            });
  }

  private LookupLoad recording(int threads) {
    SnapshotReader reader =
        reader(
            key -> {
              String text = new String(key, StandardCharsets.UTF_8);
              asked
                  .computeIfAbsent(Thread.currentThread(), none -> new ArrayList<>())
                  .add(Integer.parseInt(text.substring(4)));
            });
    return new LookupLoad(reader, keys, threads, 1, 0);
  }

  private static List<Integer> from(int first, int count) {
    return IntStream.range(first, first + count).mapToObj(i -> i % KEYS).toList();
  }

  @Test
  void looksEachKeyUpOnceToCheckItsAnswer() throws IOException {
    recording(3).check(Double.POSITIVE_INFINITY);

    assertThat(asked.values()).containsExactly(from(0, KEYS));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void startsEachThreadAtAnotherKey(int threads) throws IOException {
    LookupLoad.Outcome outcome = recording(threads).run(NO_TIME);

    assertThat(asked.values().stream().flatMap(List::stream))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, threads)
                .mapToObj(thread -> from(KEYS * thread / threads, STEP))
                .flatMap(List::stream)
                .toList());
    assertThat(outcome.lookups()).isEqualTo((long) threads * STEP);
    assertThat(outcome.latencies().getTotalCount()).isEqualTo((long) threads * STEP / 16);
    assertThat(outcome.perSecond()).isPositive();
  }

  @Test
  void failsWithTheErrorOfAnyThread() {
    SnapshotReader failing =
        reader(
            key -> {
              if (new String(key, StandardCharsets.UTF_8).equals("key 333")) {
                throw new OutOfMemoryError("injected");
              }
            });
    LookupLoad load = new LookupLoad(failing, keys, 3, 1, 0);

    assertThatThrownBy(() -> load.run(NO_TIME))
        .isInstanceOf(OutOfMemoryError.class)
        .hasMessage("injected");
  }

  @Test
  void keepsTheOrderOfAFile() {
    assertThat(keys.keys(0, keys.size()))
        .extracting(key -> new String(key, StandardCharsets.UTF_8))
        .isEqualTo(IntStream.range(0, KEYS).mapToObj(i -> "key " + i).toList());
  }
}
