package io.bsdb.flink.lookup;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.options.Access;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.functions.FunctionContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AsyncTableLookupTest {
  private static final byte[] KEY = "a".getBytes(StandardCharsets.UTF_8);

  @TempDir Path directory;

  private void publish(String value) throws IOException {
    try (SnapshotWriter writer =
        SnapshotWriter.create(directory, WriterOptions.builder().partitions(1).build())) {
      writer.add(KEY, value.getBytes(StandardCharsets.UTF_8));
      writer.publish();
    }
  }

  private LookupSpec spec(Access access) {
    return TestLookup.spec(directory, access, InputShuffle.NONE);
  }

  @Test
  void everyLookupIsAnsweredWhileVersionsChange() throws Exception {
    publish("0");
    AsyncSnapshotLookupFunction function = new AsyncSnapshotLookupFunction(spec(Access.DIRECT));
    function.open(new FunctionContext(null));
    var row = GenericRowData.of(StringData.fromString("a"));
    List<CompletableFuture<Collection<RowData>>> futures = new ArrayList<>();
    for (int version = 1; version <= 5; version++) {
      for (int i = 0; i < 50; i++) {
        futures.add(function.asyncLookup(row));
      }
      publish(Integer.toString(version));
      SharedSnapshots.open().get(0).refresh();
    }

    function.close();

    for (int i = 0; i < futures.size(); i++) {
      assertThat(futures.get(i).join().iterator().next().getString(1))
          .hasToString(Integer.toString(i / 50));
    }
    assertThat(OpenReaders.count()).isZero();
  }

  @Test
  void closingWaitsForLookupsUnderWay() throws Exception {
    publish("x");
    AsyncSnapshotLookupFunction function = new AsyncSnapshotLookupFunction(spec(Access.DIRECT));
    function.open(new FunctionContext(null));
    var row = GenericRowData.of(StringData.fromString("a"));
    var futures = IntStream.range(0, 50).mapToObj(i -> function.asyncLookup(row)).toList();

    function.close();

    assertThat(futures)
        .allSatisfy(
            future ->
                assertThat(future)
                    .isCompletedWithValueMatching(
                        rows -> rows.iterator().next().getString(1).toString().equals("x")));
    assertThat(OpenReaders.count()).isZero();
  }
}
