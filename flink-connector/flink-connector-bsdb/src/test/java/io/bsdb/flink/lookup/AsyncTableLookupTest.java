package io.bsdb.flink.lookup;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.row.RowCodec;
import io.bsdb.testkit.Records;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.runtime.typeutils.MapDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.MapType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AsyncTableLookupTest {
  @TempDir Path directory;

  private void publish(String value) throws IOException {
    Records.of("a", value).publish(directory, WriterOptions.builder().partitions(1).build());
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

  /** Reads that wait for a thread when the reader closes fail there. */
  @Test
  void lookupsThatWaitForTheDiskAreAnsweredByTheNextVersion() throws Exception {
    publish("0");
    ReadSettings settings =
        new ReadSettings(
            ReaderOptions.builder().access(Access.DIRECT).queueDepth(1).build().toMap(),
            TestLookup.RARELY,
            null,
            null,
            Long.MAX_VALUE);
    LookupSpec any = spec(Access.DIRECT);
    AsyncSnapshotLookupFunction function =
        new AsyncSnapshotLookupFunction(
            new LookupSpec(
                any.table(),
                settings,
                any.projection(),
                any.keys(),
                any.shuffle(),
                10,
                any.asOf()));
    function.open(new FunctionContext(null));
    var row = GenericRowData.of(StringData.fromString("a"));
    Thread task = Thread.currentThread();
    CompletableFuture<Void> blocked = new CompletableFuture<>();
    CompletableFuture<Void> released = new CompletableFuture<>();
    while (!blocked.isDone()) { // until a lookup is not answered before this listens to it
      CompletableFuture<Void> heard =
          function
              .asyncLookup(row)
              .thenRun(
                  () -> {
                    if (Thread.currentThread() != task) {
                      blocked.complete(null);
                      released.join();
                    }
                  });
      CompletableFuture.anyOf(blocked, heard).join();
    }
    var waiting = IntStream.range(0, 5).mapToObj(i -> function.asyncLookup(row)).toList();
    publish("1");
    SharedSnapshots.open().get(0).refresh();

    var next = function.asyncLookup(row);

    for (var future : waiting) {
      assertThat(future.get(60, TimeUnit.SECONDS).iterator().next().getString(1)).hasToString("1");
    }
    assertThat(next.join().iterator().next().getString(1)).hasToString("1");
    released.complete(null);
    function.close();
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

  /** With the retry hint, Flink copies rows in the threads that read and in the task's. */
  @Test
  void rowsCanBeCopiedByOneSerializerInManyThreads() throws Exception {
    var type = new MapType(new BigIntType(false), new BigIntType());
    LookupSpec spec =
        TestLookup.spec(
            TestLookup.table(directory, type), Access.DIRECT, TestLookup.RARELY, InputShuffle.NONE);
    RowCodec codec = RowCodec.of(spec.table().schema());
    WriterOptions options = WriterOptions.builder().partitions(1).schema(codec.schema()).build();
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      for (long i = 0; i < 100; i++) {
        writer.add(codec.encodeKey("" + i), codec.encodeValue((Object) Map.of(i, i)));
      }
      writer.publish();
    }
    AsyncSnapshotLookupFunction function = new AsyncSnapshotLookupFunction(spec);
    function.open(new FunctionContext(null));
    List<RowData> rows = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      rows.addAll(function.asyncLookup(GenericRowData.of(StringData.fromString("" + i))).join());
    }
    function.close();
    var serializer = new MapDataSerializer(type.getKeyType(), type.getValueType());

    Set<String> copies = ConcurrentHashMap.newKeySet();
    IntStream.range(0, 100_000)
        .parallel()
        .forEach(
            i -> {
              MapData copy = serializer.copy(rows.get(i % 100).getMap(1));
              copies.add(
                  "%d: %d=%d"
                      .formatted(
                          i % 100, copy.keyArray().getLong(0), copy.valueArray().getLong(0)));
            });

    assertThat(copies)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 100).mapToObj(i -> "%1$d: %1$d=%1$d".formatted(i)).toList());
  }
}
