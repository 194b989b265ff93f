package io.bsdb.flink.lookup;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.Projection;
import io.bsdb.flink.row.SnapshotMetadata;
import io.bsdb.reader.options.Access;
import io.bsdb.row.RowCodec;
import io.bsdb.table.StreamRule;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.StreamProgress.Checkpoint;
import io.bsdb.table.manifest.Validity;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotPublisher;
import io.bsdb.writer.options.WriterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Lookups that wait for the changes up to their times. */
@Timeout(60)
@ExtendWith(OpenReaders.class)
class SourceTimeWaitTest {
  private static final UUID JOB = new UUID(1, 2);

  @TempDir Path directory;
  private final MeteredContext context = new MeteredContext();
  private DeclaredTable table;
  private Checkpoint last;

  @BeforeEach
  void buildWithoutRows() throws Exception {
    table =
        new DeclaredTable(
            "prices",
            directory.toString(),
            RowType.of(
                new LogicalType[] {
                  TestLookup.STRING.copy(false),
                  new LocalZonedTimestampType(false, 3),
                  new IntType()
                },
                new String[] {"item", "changed_at", "price"}),
            List.of("item", "changed_at"),
            Set.of(),
            Set.of(),
            RecordOrder.KEY,
            Validity.FOREVER);
    SnapshotPublisher.publishEmpty(
        Table.at(directory),
        1,
        WriterOptions.builder().schema(table.schema()).history(null).partitions(1).build());
  }

  /** Publishes the changes of a checkpoint: prices at times, and how far the source was read. */
  private void publish(long sourceTime, long... times) throws Exception {
    RowCodec codec = RowCodec.of(table.schema());
    try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
      for (long time : times) {
        writer.put(
            codec.encodeKey("bread", Instant.ofEpochMilli(time)), codec.encodeValue((int) time));
      }
      Checkpoint next = new Checkpoint(JOB, last == null ? 1 : last.number() + 1);
      writer.stream(new StreamRule("s", next, last, Instant.ofEpochMilli(sourceTime)));
      writer.publish();
      last = next;
    }
    if (!SharedSnapshots.open().isEmpty()) {
      SharedSnapshots.open().get(0).refresh();
    }
  }

  private AsyncSnapshotLookupFunction open(Access access, Duration maxWait) throws Exception {
    AsyncSnapshotLookupFunction function =
        new AsyncSnapshotLookupFunction(
            new LookupSpec(
                table,
                TestLookup.settings(access, TestLookup.RARELY, null),
                new Projection(List.of(0, 2), List.of(SnapshotMetadata.FLOOR)),
                List.of(0, 2),
                InputShuffle.NONE,
                10,
                new AsOfSettings(maxWait, false)));
    function.open(context);
    return function;
  }

  private static RowData asked(long millis) {
    return GenericRowData.of(StringData.fromString("bread"), TimestampData.fromEpochMillis(millis));
  }

  private static CompletableFuture<Integer> price(
      AsyncSnapshotLookupFunction function, RowData asked) {
    CompletableFuture<Collection<RowData>> rows = function.asyncLookup(asked);
    return rows.thenApply(found -> found.isEmpty() ? -1 : found.iterator().next().getInt(1));
  }

  private long counted(String counter) {
    return context.metric(counter, Counter.class).getCount();
  }

  @ParameterizedTest
  @EnumSource(names = {"MAPPED", "DIRECT"})
  void aLookupWaitsUntilAVersionIsCompleteUpToItsTime(Access access) throws Exception {
    AsyncSnapshotLookupFunction function = open(access, Duration.ofDays(1));
    CompletableFuture<Integer> early = price(function, asked(1_000));
    CompletableFuture<Integer> late = price(function, asked(2_000));
    assertThat(context.metric("lookupsWaiting", Gauge.class).getValue()).isEqualTo(2);

    publish(999, 500);
    assertThat(early).isNotDone();
    publish(1_000, 900);
    assertThat(early.get()).isEqualTo(900);
    assertThat(late).isNotDone();
    publish(2_000, 1_500);
    assertThat(late.get()).isEqualTo(1_500);
    CompletableFuture<Integer> withoutChanges = price(function, asked(3_000));
    publish(3_000);
    assertThat(withoutChanges.get()).isEqualTo(1_500);

    assertThat(price(function, asked(1_499))).isCompletedWithValue(900);
    assertThat(context.metric("sourceTime", Gauge.class).getValue()).isEqualTo(3_000L);
    assertThat(counted("sourceTimeWaits")).isEqualTo(3);
    assertThat(counted("sourceTimeTimeouts")).isZero();
    function.close();
  }

  @Test
  void aLookupThatHasWaitedTooLongIsAnsweredByWhatIsThere() throws Exception {
    publish(1_000, 900);
    AsyncSnapshotLookupFunction function = open(Access.MAPPED, Duration.ofMillis(1));

    assertThat(price(function, asked(5_000)).get()).isEqualTo(900);

    assertThat(counted("sourceTimeTimeouts")).isEqualTo(1);
    function.close();
  }

  /** A future that failed would fail a job that stops with a savepoint, which has its row. */
  @Test
  void closingForgetsLookupsThatWait() throws Exception {
    AsyncSnapshotLookupFunction function = open(Access.MAPPED, Duration.ofDays(1));
    CompletableFuture<Collection<RowData>> waiting = function.asyncLookup(asked(1));

    function.close();

    assertThat(waiting).isNotDone();
    assertThat(context.metric("lookupsWaiting", Gauge.class).getValue()).isEqualTo(0);
  }

  /** A stream whose progress is not known may still have changes of any time. */
  @Test
  void anotherStreamWithoutATimeKeepsLookupsWaiting() throws Exception {
    publish(1_000, 900);
    try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
      writer.stream(new StreamRule("t", new Checkpoint(JOB, 1), null));
      writer.publish();
    }
    AsyncSnapshotLookupFunction function = open(Access.MAPPED, Duration.ofDays(1));

    assertThat(price(function, asked(1_000))).isNotDone();

    function.close();
  }
}
