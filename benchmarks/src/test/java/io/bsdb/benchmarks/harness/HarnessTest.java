package io.bsdb.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.harness.Workload.Queries;
import io.bsdb.row.RowCodec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HarnessTest {
  @TempDir private Path directory;
  private final Workload workload = new Workload(10_000);

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  @Test
  void keysAreDistinctAndValuesHaveOneLength() {
    Set<String> keys = new HashSet<>();
    for (int id = 0; id < 20_000; id++) {
      assertThat(keys.add(text(workload.key(id)))).isTrue();
      assertThat(workload.value(id)).hasSize(Workload.VALUE_LENGTH);
    }
    assertThat(keys).allMatch(key -> key.matches("[0-9a-f]{16}"));
  }

  @Test
  void staysTheSame() {
    assertThat(text(workload.key(0))).isEqualTo("5692161d100b05e5");
    assertThat(text(workload.value(1))).startsWith("{\"name\":\"").endsWith("\"}");
    assertThat(workload.value(1)).isEqualTo(new Workload(5).value(1));
  }

  @Test
  void idsByKeySortKeys() {
    long[] ids = workload.data().idsByKey(10_000);
    assertThat(Arrays.stream(ids).distinct().count()).isEqualTo(10_000);
    for (int i = 1; i < ids.length; i++) {
      assertThat(Arrays.compareUnsigned(workload.key(ids[i - 1]), workload.key(ids[i])))
          .isNegative();
    }
  }

  @Test
  void nineOfTenQueriesArePresentAndWrongAnswersAreTold() {
    for (Keys keys : List.of(Keys.UNIFORM, Keys.ZIPF)) {
      Queries queries = workload.queries(keys);
      int present = 0;
      for (int i = 0; i < queries.size(); i++) {
        present += queries.isPresent(i) ? 1 : 0;
      }
      assertThat((double) present / queries.size()).isBetween(0.89, 0.91);
      assertThatThrownBy(() -> queries.check(firstPresent(queries), null))
          .hasMessageStartingWith("wrong answer: key=");
      byte[] other = new byte[Workload.VALUE_LENGTH];
      assertThatThrownBy(() -> queries.check(firstPresent(queries), other))
          .hasMessageContaining("expected=record");
    }
  }

  private static int firstPresent(Queries queries) {
    int i = 0;
    while (!queries.isPresent(i)) {
      i++;
    }
    return i;
  }

  @Test
  void fileHoldsAllRecordsInBothOrders() throws Exception {
    RecordFile file = RecordFile.of(directory, workload);
    Set<String> keys = new HashSet<>();
    file.forEach((key, value) -> keys.add(text(key) + text(value)));
    assertThat(keys).hasSize(10_000).contains(text(workload.key(7)) + text(workload.value(7)));
    String[] last = {""};
    file.forEachSorted(
        (key, value) -> {
          assertThat(text(key)).isGreaterThan(last[0]);
          assertThat(keys.remove(text(key) + text(value))).isTrue();
          last[0] = text(key);
        });
    assertThat(keys).isEmpty();
  }

  @Test
  void rowsHaveTheFieldsOfTheJson() {
    var row =
        RowCodec.of(Objects.requireNonNull(DataSet.ROWS.schema()))
            .decode(DataSet.ROWS.key(3), DataSet.ROWS.value(3));
    assertThat(text(workload.value(3)))
        .isEqualTo(
            "{\"name\":\"%s\",\"city\":\"%s\",\"score\":%s,\"token\":\"%s\"}"
                .formatted(
                    row.string("name"),
                    row.string("city"),
                    row.string("score"),
                    row.string("token")));
    assertThat(row.string("key")).isEqualTo(text(workload.key(3)));
  }

  @Test
  void namesDiffer() {
    Set<String> names = new HashSet<>();
    LongStream.concat(LongStream.range(0, 100_000), LongStream.of(1 << 24, (1 << 24) + 1))
        .forEach(id -> names.add(text(DataSet.NAMES.key(id))));
    assertThat(names).hasSize(100_002);
  }
}
