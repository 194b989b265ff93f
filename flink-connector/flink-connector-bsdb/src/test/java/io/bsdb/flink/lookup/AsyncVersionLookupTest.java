package io.bsdb.flink.lookup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.ClosedReaderException;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.WriterOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.IntStream;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.functions.FunctionContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AsyncVersionLookupTest {
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
  void staysOpenUntilItsLastFutureHasCompleted() throws Exception {
    publish("old");
    LookupSpec spec = spec(Access.DIRECT);
    try (TableReader live =
        TableReader.builder(directory)
            .options(spec.settings().readerOptions(KeyShare.ALL))
            .refreshEvery(Duration.ZERO)
            .open()) {
      AsyncVersionLookup version = new AsyncVersionLookup(VersionLookup.of(live.lease(), spec));
      version.hold();
      publish("new");
      live.refresh();
      version.release();

      assertThat(version.isCurrent()).isFalse();
      assertThat(version.read(KEY).get()).asString().isEqualTo("old");
      version.release();

      assertThatThrownBy(() -> version.read(KEY).get()).isInstanceOf(ClosedReaderException.class);
    }
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
