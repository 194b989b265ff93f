package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.LentBytes;
import io.bsdb.format.ValueReader;
import io.bsdb.reader.AccessContractTest.Way;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.Await;
import io.bsdb.testkit.Records;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a reader of lent values may do, and what it may not. */
@ExtendWith(NothingLeftOpen.class)
@Timeout(120)
class LentValuesTest {
  @TempDir Path table;

  private final TestData data = TestData.random(9, 300, Lengths.VARYING, Lengths.VARYING, 300);

  static Stream<Arguments> waysAndLayouts() {
    return Stream.of(Way.values())
        .flatMap(
            way ->
                Stream.of(Layout.BLOCKED, Layout.COMPRESSED, Layout.SYMBOLS)
                    .map(layout -> Arguments.of(way, layout)));
  }

  private SnapshotReader open(Way way, Layout layout) throws IOException {
    data.publish(table, WriterOptions.builder().layout(layout).partitions(2).build());
    return SnapshotReader.open(table, way.options());
  }

  private byte[] key(int record) {
    return data.keys().get(record);
  }

  /** Each record reads the next one, three deep, while it is lent; then its own bytes again. */
  @ParameterizedTest
  @MethodSource("waysAndLayouts")
  void mayUseTheTable(Way way, Layout layout) throws Exception {
    try (SnapshotReader reader = open(way, layout)) {
      for (int i = 0; i < 50; i++) {
        assertThat(nested(reader, i, 3)).isTrue();
      }
      List<Boolean> all =
          reader.getAll(
              data.keys(),
              (record, bytes, offset, length) ->
                  nested(reader, (record + 1) % data.count(), 1)
                      && reader.getAll(data.keys().subList(0, 3), data::isLent).size() == 3
                      && data.isLent(record, bytes, offset, length));
      assertThat(all).hasSize(data.count()).containsOnly(true);
      assertThat(reader.metrics().failures()).isZero();
    }
  }

  private boolean nested(SnapshotReader reader, int record, int depth) throws IOException {
    ValueReader<Boolean> lent =
        (key, bytes, offset, length) ->
            (depth == 0 || nested(reader, (record + 1) % data.count(), depth - 1))
                && data.isLent(record, bytes, offset, length);
    return reader.get(key(record), lent);
  }

  /** The next lookup of the same thread gets a buffer and a decoder that are in order. */
  @ParameterizedTest
  @MethodSource("waysAndLayouts")
  void mayThrow(Way way, Layout layout) throws Exception {
    List<Throwable> thrown =
        List.of(
            new IOException("read"),
            new IndexOutOfBoundsException("index"),
            new IllegalStateException("state"),
            new AssertionError("error"),
            new InternalError("not a fault of memory"));
    try (SnapshotReader reader = open(way, layout)) {
      for (Throwable expected : thrown) {
        ValueReader<byte[]> fails =
            (key, bytes, offset, length) -> {
              sneak(expected);
              return new byte[0];
            };
        assertThatThrownBy(() -> reader.get(key(0), fails)).isSameAs(expected);
        assertThatThrownBy(() -> reader.getAll(data.keys(), fails)).isSameAs(expected);
        assertThatThrownBy(() -> reader.async().get(key(0), fails).join())
            .isInstanceOf(CompletionException.class)
            .hasCause(expected);
        assertThatThrownBy(() -> reader.async().getAll(data.keys(), fails).join())
            .isInstanceOf(CompletionException.class)
            .hasCause(expected);
        assertThat(reader.get(key(0))).isEqualTo(data.values().get(0));
      }
      data.assertLentBy(reader);
      assertThat(reader.metrics().failures()).isEqualTo(4); // of internal errors, as of any memory
    }
  }

  /** Other languages do: then nothing that is declared may be all that ends a lookup. */
  @ParameterizedTest
  @EnumSource(Way.class)
  void mayThrowWhatIsNotDeclared(Way way) throws Exception {
    Exception expected = new Exception("not declared");
    ValueReader<byte[]> fails =
        (key, bytes, offset, length) -> {
          sneak(expected);
          return new byte[0];
        };
    try (SnapshotReader reader = open(way, Layout.BLOCKED)) {
      assertThatThrownBy(() -> reader.get(key(0), fails)).hasCause(expected);
      assertThatThrownBy(() -> reader.async().get(key(0), fails).join()).hasCause(expected);
      assertThatThrownBy(() -> reader.async().getAll(data.keys(), fails).join()).hasCause(expected);
      assertThat(reader.metrics().failures()).isZero();
    }
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void sneak(Throwable thrown) throws E {
    throw (E) thrown;
  }

  /** A null answer is not an absent key, and is counted as a hit. */
  @Test
  void mayReturnNull() throws Exception {
    try (SnapshotReader reader = open(Way.MAPPED, Layout.BLOCKED)) {
      AtomicInteger called = new AtomicInteger();
      ValueReader<Object> nothing =
          (key, bytes, offset, length) -> {
            called.incrementAndGet();
            return null;
          };
      assertThat(reader.get(key(0), nothing)).isNull();
      assertThat(reader.getAll(data.keys(), nothing)).containsOnlyNulls();
      assertThat(reader.async().get(key(0), nothing).join()).isNull();
      assertThat(reader.get(new byte[] {1}, nothing)).isNull();
      assertThat(called).hasValue(data.count() + 2);
      assertThat(reader.metrics().hits()).isEqualTo(data.count() + 2);
      assertThat(reader.metrics().misses()).isEqualTo(1);
    }
  }

  /** What is lent stays while the reader blocks, though the table is closed meanwhile. */
  @ParameterizedTest
  @EnumSource(Way.class)
  void mayBlockWhileTheTableIsClosed(Way way) throws Exception {
    SnapshotReader reader = open(way, Layout.BLOCKED);
    FutureTask<Boolean> lookup;
    FutureTask<Void> close =
        new FutureTask<>(
            () -> {
              reader.close();
              return null;
            });
    try (Gate gate = new Gate()) {
      lookup =
          new FutureTask<>(
              () ->
                  reader.get(
                      key(5),
                      (key, bytes, offset, length) -> {
                        gate.pass();
                        return data.isLent(5, bytes, offset, length);
                      }));
      Thread looking = new Thread(lookup, "looking");
      looking.start();
      gate.awaitFirst();
      Thread closing = new Thread(close, "closing");
      closing.start();
      awaitRefused(reader);
      assertThat(close.isDone()).isFalse();
    }
    assertThat(lookup.get()).isTrue();
    close.get();
  }

  private void awaitRefused(SnapshotReader reader) throws IOException {
    while (true) {
      try {
        reader.get(key(0));
      } catch (ClosedReaderException e) {
        return;
      }
    }
  }

  /** A table that another version takes the place of keeps the former one until the call ends. */
  @Test
  void mayBlockWhileVersionsChange() throws Exception {
    open(Way.MAPPED, Layout.BLOCKED).close();
    try (TableReader live = TableReader.builder(table).refreshEvery(Duration.ZERO).open()) {
      FutureTask<Boolean> lookup;
      FutureTask<Boolean> refresh = new FutureTask<>(live::refresh);
      try (Gate gate = new Gate()) {
        lookup =
            new FutureTask<>(
                () ->
                    live.get(
                        key(5),
                        (key, bytes, offset, length) -> {
                          gate.pass();
                          return data.isLent(5, bytes, offset, length);
                        }));
        new Thread(lookup, "looking").start();
        gate.awaitFirst();
        String former = live.version();
        TestData.empty()
            .add(key(5), new byte[1])
            .publish(table, WriterOptions.builder().partitions(1).build());
        new Thread(refresh, "refreshing").start();
        Await.until(() -> !live.version().equals(former));
        assertThat(live.get(key(5))).hasSize(1);
      }
      assertThat(lookup.get()).isTrue();
      assertThat(refresh.get()).isTrue();
    }
  }

  /** The reader's own call is what a close would wait for. */
  @ParameterizedTest
  @EnumSource(Way.class)
  void mayCloseTheReader(Way way) throws Exception {
    SnapshotReader reader = open(way, Layout.BLOCKED);
    ValueReader<Boolean> closes =
        (key, bytes, offset, length) -> {
          reader.close();
          return data.isLent(7, bytes, offset, length);
        };
    assertThat(reader.get(key(7), closes)).isTrue();
    assertThatThrownBy(() -> reader.get(key(7))).isInstanceOf(ClosedReaderException.class);
  }

  @ParameterizedTest
  @EnumSource(RecordOrder.class)
  void mayNotCloseTheCursorThatLends(RecordOrder order) throws Exception {
    data.publish(table, WriterOptions.builder().order(order).partitions(2).build());
    try (SnapshotReader reader = SnapshotReader.open(table);
        RecordCursor cursor = reader.scan()) {
      assertThat(cursor.next()).isTrue();
      ValueReader<Boolean> closing =
          (key, bytes, offset, length) -> {
            cursor.close();
            return true;
          };
      assertThatThrownBy(() -> cursor.value(closing))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("must not close the cursor");
      assertThat(cursor.next()).isTrue();
    }
  }

  @Test
  void mayNotChangeVersions() throws Exception {
    open(Way.MAPPED, Layout.BLOCKED).close();
    try (TableReader live = TableReader.follow(table, ReaderOptions.defaults())) {
      ValueReader<Boolean> refreshes = (key, bytes, offset, length) -> live.refresh();
      ValueReader<Boolean> closes =
          (key, bytes, offset, length) -> {
            live.close();
            return true;
          };
      for (ValueReader<Boolean> waits : List.of(refreshes, closes)) {
        assertThatThrownBy(() -> live.get(key(0), waits))
            .isInstanceOf(IllegalStateException.class)
            .hasMessage(
                "a ValueReader must not wait for what waits for its lookup: table %s; do this after the lookup"
                    .formatted(table));
      }
      assertThat(live.refresh()).isFalse();
    }
  }

  /** The thread that completes futures is needed for those of others. */
  @ParameterizedTest
  @EnumSource(names = {"DIRECT", "IO_URING"})
  void mayNotUseTheTableInTheThreadThatCompletesFutures(Way way) throws Exception {
    try (SnapshotReader reader = open(way, Layout.BLOCKED)) {
      List<ValueReader<Object>> using = new ArrayList<>();
      using.add((key, bytes, offset, length) -> reader.get(key(1)));
      using.add((key, bytes, offset, length) -> reader.getAll(data.keys()));
      using.add((key, bytes, offset, length) -> reader.async().get(key(1)).join());
      using.add((key, bytes, offset, length) -> reader.scan());
      for (ValueReader<Object> uses : using) {
        int record = 10 + using.indexOf(uses);
        assertThatThrownBy(() -> reader.async().get(key(record), uses).join())
            .hasCauseInstanceOf(IllegalStateException.class)
            .hasMessageContaining(
                "a ValueReader used a table in the thread that completes its future, for which"
                    + " others wait: thread=bsdb-");
        assertThatThrownBy(() -> reader.async().getAll(List.of(key(record + 100)), uses).join())
            .hasCauseInstanceOf(IllegalStateException.class);
      }
      // In a stage that depends on the future, it may.
      byte[] next =
          reader
              .async()
              .get(key(20), data::isLent)
              .thenCompose(x -> reader.async().get(key(21)))
              .join();
      assertThat(next).isEqualTo(data.values().get(21));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MAPPED", "DIRECT", "IO_URING"})
  void lookupsByOrderHaveTheSameRules(Way way) throws Exception {
    data.publish(table, WriterOptions.builder().order(RecordOrder.KEY).partitions(2).build());
    try (SnapshotReader reader = SnapshotReader.open(table, way.options())) {
      OrderedReader ordered = reader.ordered();
      AsyncOrderedReader async = reader.async().ordered();
      RecordReader<Boolean> lent =
          (key, bytes, offset, length) -> data.isLent(record(key), bytes, offset, length);
      for (int i = 0; i < 50; i++) {
        assertThat(ordered.find(Nearest.FLOOR, key(i), lent)).isTrue();
        assertThat(async.find(Nearest.CEILING, key(i), lent).join()).isTrue();
      }
      assertThat(async.range(KeyRange.all(), 1000, Long.MAX_VALUE, lent).join())
          .hasSize(data.count())
          .containsOnly(true);
      IOException thrown = new IOException("by the reader");
      RecordReader<Object> throwing =
          (key, bytes, offset, length) -> {
            throw thrown;
          };
      assertThatThrownBy(() -> ordered.find(Nearest.FLOOR, key(0), throwing)).isSameAs(thrown);
      assertThatThrownBy(() -> async.find(Nearest.FLOOR, key(0), throwing).join()).hasCause(thrown);
      assertThatThrownBy(() -> async.range(KeyRange.all(), 9, 9, throwing).join()).hasCause(thrown);
      assertThat(reader.metrics().failures()).isZero();
      if (way != Way.MAPPED) {
        RecordReader<Object> uses = (key, bytes, offset, length) -> reader.get(key);
        assertThatThrownBy(() -> async.find(Nearest.FLOOR, key(0), uses).join())
            .hasCauseInstanceOf(IllegalStateException.class);
      }
    }
  }

  /** What comes after the last record of the base is lent by the same thread. */
  @ParameterizedTest
  @EnumSource(names = {"DIRECT", "IO_URING"})
  void changesAtTheEndOfARangeHaveTheSameRules(Way way) throws Exception {
    data.publish(table, WriterOptions.builder().order(RecordOrder.KEY).build());
    byte[] last = new byte[400];
    Arrays.fill(last, (byte) -1);
    Records.empty().add(last, new byte[1]).change(Table.at(table));
    try (SnapshotReader reader = SnapshotReader.open(table, way.options())) {
      RecordReader<Object> uses =
          (key, bytes, offset, length) -> Arrays.equals(key, last) ? reader.get(key) : key;
      assertThatThrownBy(
              () ->
                  reader.async().ordered().range(KeyRange.all(), 1000, Long.MAX_VALUE, uses).join())
          .hasCauseInstanceOf(IllegalStateException.class);
    }
  }

  private int record(byte[] key) {
    for (int i = 0; i < data.count(); i++) {
      if (Arrays.equals(data.keys().get(i), key)) {
        return i;
      }
    }
    throw new AssertionError("a key that was not written");
  }

  @Test
  void offsetsOutsideOfTheMemoryAreRefused() throws Exception {
    try (SnapshotReader reader = open(Way.MAPPED, Layout.BLOCKED)) {
      ValueReader<Byte> outside = (key, bytes, offset, length) -> bytes.byteAt(-1);
      assertThatThrownBy(() -> reader.get(key(0), outside))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(LentBytes.isLending()).isFalse();
    }
  }
}
