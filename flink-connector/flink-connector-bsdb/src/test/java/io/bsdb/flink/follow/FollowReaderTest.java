package io.bsdb.flink.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.compact.Compactor;
import io.bsdb.flink.lookup.OpenReaders;
import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.lookup.SharedSnapshots;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.Projection;
import io.bsdb.flink.row.RecordEncoder;
import io.bsdb.flink.scan.Extent;
import io.bsdb.flink.scan.ScanSpec;
import io.bsdb.flink.sink.MeteredGroup;
import io.bsdb.flink.state.EnumeratorState;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.connector.testutils.source.reader.TestingReaderOutput;
import org.apache.flink.connector.testutils.source.reader.TestingSplitEnumeratorContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Readers of a table that changes, and is rebuilt and folded, against the rows that it has. */
@Timeout(60)
class FollowReaderTest {
  private static final int KEYS = 60;

  @TempDir private Path directory;
  private DeclaredTable declared;
  private RecordEncoder encoder;
  private ScanSpec spec;

  /** The rows of the table. */
  private final Map<Integer, Integer> rows = new TreeMap<>();

  /** The rows that the readers' changes make. */
  private Map<Integer, Integer> followed = new TreeMap<>();

  private List<FollowReader> readers = List.of();
  private final TestingReaderOutput<RowData> output = new TestingReaderOutput<>();
  private final Map<String, Metric> metrics = new HashMap<>();

  private DeclaredTable table(RecordOrder order, String... columns) {
    LogicalType[] types = new LogicalType[columns.length];
    Arrays.fill(types, new IntType());
    types[0] = new IntType(false);
    return new DeclaredTable(
        "t",
        directory.toString(),
        RowType.of(types, columns),
        List.of("id"),
        Set.of(),
        Set.of(),
        order);
  }

  private void declare(RecordOrder order) {
    declared = table(order, "id", "number");
    encoder = new RecordEncoder(declared);
    spec = spec(Duration.ofMillis(1));
  }

  private ScanSpec spec(Duration refreshInterval) {
    return new ScanSpec(
        declared,
        new ReadSettings(
            ReaderOptions.defaults().toMap(), refreshInterval, null, null, Long.MAX_VALUE),
        Projection.all(declared),
        new Extent.AllRows());
  }

  @AfterEach
  void close() throws IOException {
    for (FollowReader reader : readers) {
      reader.close();
    }
    assertThat(OpenReaders.count()).isZero();
  }

  private Table table() {
    return Table.at(directory);
  }

  private void build(int partitions) throws IOException {
    build(partitions, declared);
  }

  private void build(int partitions, DeclaredTable built) throws IOException {
    build(built, WriterOptions.builder().partitions(partitions));
  }

  private void build(DeclaredTable built, WriterOptions.Builder settings) throws IOException {
    WriterOptions options = settings.order(built.order()).schema(built.schema()).build();
    RecordEncoder records = new RecordEncoder(built);
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      for (Map.Entry<Integer, Integer> row : rows.entrySet()) {
        RowData encoded = GenericRowData.of(row.getKey(), row.getValue(), null);
        writer.add(records.key(encoded), records.value(encoded));
      }
      writer.publish();
    }
  }

  private void change(Random random) throws IOException {
    try (DeltaWriter delta = DeltaWriter.create(table())) {
      for (int i = random.nextInt(4); i >= 0; i--) {
        RowData row = GenericRowData.of(random.nextInt(KEYS), random.nextInt(5));
        if (random.nextInt(3) == 0) {
          rows.remove(row.getInt(0));
          delta.delete(encoder.key(row));
        } else {
          rows.put(row.getInt(0), row.getInt(1));
          delta.put(encoder.key(row), encoder.value(row));
        }
      }
      delta.publish();
    }
  }

  /** Starts readers, and deals splits out to them. */
  private void start(int count, List<FollowSplit> splits, Random random) {
    readers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      FollowReader reader = new FollowReader(spec, new MeteredGroup("", metrics));
      reader.start();
      readers.add(reader);
    }
    for (FollowSplit split : splits) {
      readers.get(random.nextInt(count)).addSplits(List.of(split));
    }
  }

  private List<FollowSplit> splits() throws IOException {
    return new FollowEnumerator(
            spec, new TestingSplitEnumeratorContext<>(1), EnumeratorState.pending())
        .discover();
  }

  /** What a checkpoint keeps of all readers. */
  private List<FollowSplit> checkpoint() throws IOException {
    FollowSplit.Serializer serializer = new FollowSplit.Serializer();
    List<FollowSplit> splits = new ArrayList<>();
    for (FollowReader reader : readers) {
      for (FollowSplit split : reader.snapshotState(1)) {
        splits.add(serializer.deserialize(serializer.getVersion(), serializer.serialize(split)));
      }
    }
    return splits;
  }

  private InputStatus poll(FollowReader reader) throws IOException {
    InputStatus status = reader.pollNext(output);
    output.getEmittedRecords().forEach(this::apply);
    output.clearEmittedRecords();
    return status;
  }

  /** Applies a change, which must be one of the rows that there are. */
  private void apply(RowData row) {
    Integer id = row.getInt(0);
    Integer number = row.getInt(1);
    if (row.getRowKind() == RowKind.INSERT || row.getRowKind() == RowKind.UPDATE_AFTER) {
      assertThat(followed.put(id, number)).as("row before +%d,%d", id, number).isNull();
    } else {
      assertThat(followed.remove(id)).as("row to remove of key %d", id).isEqualTo(number);
    }
  }

  /** Reads until all readers have come to the version in service. */
  private void catchUp() throws IOException {
    String current = table().requireCurrentVersion();
    while (!checkpoint().stream()
        .allMatch(split -> current.equals(split.from()) && split.to() == null)) {
      for (FollowReader reader : readers) {
        poll(reader);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(RecordOrder.class)
  void givesEachChangeOnceThoughReadersAreRestored(RecordOrder order) throws Exception {
    long seed = System.nanoTime();
    try {
      followsAtRandom(order, new Random(seed));
    } catch (Exception | AssertionError e) {
      throw new AssertionError("seed=" + seed, e);
    }
  }

  private void followsAtRandom(RecordOrder order, Random random) throws Exception {
    declare(order);
    for (int id = 0; id < KEYS; id += 2) {
      rows.put(id, 0);
    }
    build(3);
    List<FollowSplit> saved = splits();
    Map<Integer, Integer> savedRows = Map.of();
    start(2, saved, random);
    for (int step = 0; step < 150; step++) {
      switch (random.nextInt(16)) {
        case 0, 1, 2 -> change(random);
        case 3 -> build(1 + random.nextInt(4));
        case 4 -> new Compactor(directory).foldFraction(random.nextInt(2) / 10.0).run();
        case 5, 6 -> {
          saved = checkpoint();
          savedRows = new TreeMap<>(followed);
        }
        case 7 -> {
          close();
          followed = new TreeMap<>(savedRows);
          start(1 + random.nextInt(3), saved, random);
        }
        case 8 -> {
          catchUp();
          assertThat(followed).isEqualTo(rows);
        }
        default -> {
          for (int i = random.nextInt(30); i >= 0; i--) {
            poll(readers.get(random.nextInt(readers.size())));
          }
        }
      }
    }
    catchUp();
    assertThat(followed).isEqualTo(rows);
  }

  @Test
  void endsTheJobIfItsVersionWasDeleted() throws Exception {
    declare(RecordOrder.HASH);
    rows.put(1, 1);
    build(1);
    start(1, splits(), new Random());
    catchUp();
    List<FollowSplit> saved = checkpoint();
    close();
    build(1);
    table().prune(1);

    start(1, saved, new Random());

    assertThatThrownBy(() -> readers.get(0).pollNext(output))
        .isInstanceOf(SuppressRestartsException.class)
        .cause()
        .hasMessageContaining("table t cannot be followed any more: version ")
        .hasMessageContaining("has been deleted");
  }

  @Test
  void endsTheJobIfTheColumnsHaveChanged() throws Exception {
    declare(RecordOrder.HASH);
    rows.put(1, 1);
    build(1);
    start(1, splits(), new Random());
    catchUp();

    build(1, table(RecordOrder.HASH, "id", "number", "more"));

    assertThatThrownBy(this::catchUp)
        .isInstanceOf(SuppressRestartsException.class)
        .cause()
        .hasMessageContaining("table t cannot be followed from version ")
        .hasMessageContaining("start the query again without its state");
  }

  /** Ends in a history are no rows, whoever declares the table without one. */
  @Test
  void aHistoryCannotBeFollowed() throws Exception {
    declared =
        new DeclaredTable(
            "t",
            directory.toString(),
            RowType.of(
                new LogicalType[] {new IntType(false), new TimestampType(false, 3)},
                new String[] {"id", "at"}),
            List.of("id", "at"),
            Set.of(),
            Set.of(),
            RecordOrder.KEY);
    spec = spec(Duration.ofMillis(1));
    build(declared, WriterOptions.builder().minRows(0));
    start(1, splits(), new Random());
    catchUp();

    build(declared, WriterOptions.builder().minRows(0).history(null));

    assertThatThrownBy(this::catchUp)
        .isInstanceOf(SuppressRestartsException.class)
        .cause()
        .hasMessageContaining("of table t keeps a history, which cannot be followed");
    assertThatThrownBy(this::splits)
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("of table t keeps a history, which cannot be followed");
  }

  @Test
  void endsTheJobIfKeysAreNotStoredAnyMore() throws Exception {
    declare(RecordOrder.HASH);
    rows.put(1, 1);
    build(1);
    start(1, splits(), new Random());
    catchUp();

    build(declared, WriterOptions.builder().partitions(1).approximate());

    assertThatThrownBy(this::catchUp)
        .isInstanceOf(SuppressRestartsException.class)
        .cause()
        .hasMessageContaining("table t cannot be followed from version ")
        .hasMessageContaining("is approximate: it stores no keys to compare");
  }

  /** The slices of two partitions, the second of which has been read up to an older version. */
  private List<FollowSplit> slicesOfTwoVersions(String older, String newer) throws IOException {
    List<FollowSplit> slices = splits();
    FollowSplit first = slices.get(0);
    FollowSplit second = slices.get(1);
    return List.of(
        new FollowSplit(first.number(), first.slice(), null, newer, ""),
        new FollowSplit(second.number(), second.slice(), older, null, ""));
  }

  @Test
  void holdsTheVersionsOfAllSlicesFromTheBeginning() throws Exception {
    declare(RecordOrder.HASH);
    for (int id = 0; id < KEYS; id++) {
      rows.put(id, id);
    }
    build(2);
    String older = table().requireCurrentVersion();
    build(2);
    start(1, slicesOfTwoVersions(older, table().requireCurrentVersion()), new Random());

    poll(readers.get(0));
    table().prune(1);
    catchUp();

    assertThat(followed).isNotEmpty().hasSizeLessThan(KEYS);
  }

  @Test
  void doesNotGoBackToWhatAnotherReaderOfTheProcessHasOpened() throws Exception {
    declare(RecordOrder.HASH);
    spec = spec(Duration.ofDays(1));
    rows.put(1, 1);
    build(1);
    String first = table().requireCurrentVersion();
    try (SharedSnapshots.Use other = SharedSnapshots.use(declared, spec.settings(), KeyShare.ALL)) {
      rows.put(1, 2);
      build(1);
      String second = table().requireCurrentVersion();
      start(
          1,
          splits().stream()
              .map(split -> new FollowSplit(split.number(), split.slice(), second, null, ""))
              .toList(),
          new Random());
      followed.put(1, 2);

      assertThat(poll(readers.get(0))).isEqualTo(InputStatus.NOTHING_AVAILABLE);
      assertThat(checkpoint().get(0).from()).isEqualTo(second);
      assertThat(other.live().version()).isEqualTo(first);

      table().rollback(first);
      catchUp();
      assertThat(followed).isEqualTo(Map.of(1, 1));
    }
  }

  private Object gauge(String name) {
    return ((Gauge<?>) metrics.get("bsdb." + name)).getValue();
  }

  @Test
  void showsHowFarItIsBehindTheNewestVersion() throws Exception {
    declare(RecordOrder.HASH);
    spec = spec(Duration.ofDays(1));
    for (int id = 0; id < KEYS; id++) {
      rows.put(id, 1);
    }
    build(2);
    String first = table().requireCurrentVersion();
    start(1, splits(), new Random());
    assertThat(gauge("version")).isEqualTo("");
    assertThat(gauge("versionsBehind")).isEqualTo(0L);
    catchUp();
    assertThat(gauge("version")).isEqualTo(first);
    assertThat(gauge("versionsBehind")).isEqualTo(0L);
    assertThat((long) gauge("versionAgeSeconds")).isNotNegative();

    for (int number = 2; number < 5; number++) {
      rows.replace(1, number);
      build(2);
    }
    String newest = table().requireCurrentVersion();
    try (SharedSnapshots.Use shared =
        SharedSnapshots.use(declared, spec.settings(), KeyShare.ALL)) {
      shared.live().refresh();
      assertThat(gauge("version")).isEqualTo(first);
      assertThat(gauge("versionsBehind")).isEqualTo(3L);
      catchUp();
      assertThat(gauge("version")).isEqualTo(newest);
      assertThat(gauge("versionsBehind")).isEqualTo(0L);

      table().rollback(first);
      shared.live().refresh();
      assertThat(gauge("versionsBehind")).isEqualTo(1L);
      catchUp();
      assertThat(gauge("version")).isEqualTo(first);
      assertThat(gauge("latestLoadFailure")).isEqualTo("");
    }
  }
}
