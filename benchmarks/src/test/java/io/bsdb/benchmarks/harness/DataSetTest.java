package io.bsdb.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.benchmarks.flink.JoinBench;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataSetTest {
  @TempDir private Path directory;

  private static RowCodec codec(DataSet data) {
    return RowCodec.of(Objects.requireNonNull(data.schema()));
  }

  private static List<String> types(Schema schema) {
    return schema.columns().stream().map(column -> column.type().toString()).toList();
  }

  @Test
  void joinsInFlink() throws Exception {
    Section section = new JoinBench(directory, 3000, 3000).run(List.of("symbols"), 1).get(0);
    assertThat(section.rows()).extracting(Row::name).containsExactly("symbols");
    assertThat(section.compared())
        .containsExactly("2 of 8 columns, µs per event", "8 of 8 columns, µs per event");
  }

  @Test
  void rowsHaveTheFieldsOfTheJson() {
    DataSet rows = DataSet.rows();
    DataSet json = new JsonData();
    var row = codec(rows).decode(rows.key(3), rows.value(3));
    assertThat(
            "{\"name\":\"%s\",\"city\":\"%s\",\"score\":%s,\"token\":\"%s\"}"
                .formatted(
                    row.string("name"),
                    row.string("city"),
                    row.string("score"),
                    row.string("token")))
        .isEqualTo(new String(json.value(3), StandardCharsets.US_ASCII));
    assertThat(row.string("key")).isEqualTo(new String(json.key(3), StandardCharsets.US_ASCII));
  }

  @Test
  void namesDiffer() {
    DataSet data = DataSet.names();
    Set<String> names = new HashSet<>();
    for (long id : new long[] {0, 1, 2, 1 << 24, (1 << 24) + 1}) {
      names.add(new String(data.key(id), StandardCharsets.UTF_8));
    }
    for (long id = 1000; id < 101_000; id++) {
      names.add(new String(data.key(id), StandardCharsets.UTF_8));
    }
    assertThat(names).hasSize(100_005);
  }

  @Test
  void linesComeAgainWithOtherKeys() throws Exception {
    Path file = directory.resolve("a.csv");
    Files.writeString(file, "id,name,latitude\n1,Bern,46.9\n2,\"a, b\",1\n3,Genf,46\n");
    DataSet typed = DataSet.named(file.toString());
    DataSet text = DataSet.named("text:" + file);
    assertThat(types(Objects.requireNonNull(typed.schema())))
        .containsExactly("BIGINT NOT NULL", "STRING", "DOUBLE");
    assertThat(types(Objects.requireNonNull(text.schema())))
        .containsExactly("STRING NOT NULL", "STRING", "STRING");
    var again = codec(typed).decode(typed.key(3), typed.value(3));
    assertThat(again.value("id")).isEqualTo(3L + (1L << 32));
    assertThat(again.string("name")).isEqualTo("Genf");
    assertThat(codec(text).decode(text.key(3), text.value(3)).string("id")).isEqualTo("3.1");
  }

  @Test
  void refusesFilesWithoutRows() throws Exception {
    Path file = Files.writeString(directory.resolve("empty.csv"), "id,name\n");
    assertThatThrownBy(() -> DataSet.named(file.toString()))
        .isInstanceOf(IOException.class)
        .hasMessage("no rows below a header: file=" + file);
  }
}
