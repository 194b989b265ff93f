package io.bsdb.flink.lookup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.Projection;
import io.bsdb.flink.row.RecordEncoder;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.testkit.Await;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class KeyShareLookupTest {
  private static final int KEYS = 200;

  @TempDir Path directory;

  private static byte[] bytes(int i) {
    return ("key " + i).getBytes(StandardCharsets.UTF_8);
  }

  @BeforeEach
  void build() throws Exception {
    Records.numbered(KEYS, i -> "key " + i, i -> "key " + i)
        .publish(directory, WriterOptions.builder().partitions(4).build());
  }

  private SnapshotLookupFunction function(InputShuffle shuffle) {
    return new SnapshotLookupFunction(TestLookup.spec(directory, Access.MAPPED, shuffle));
  }

  @Test
  void opensOnlyThePartitionsOfItsShare() throws Exception {
    Table table = Table.at(directory);
    String version = table.requireCurrentVersion();
    for (PartitionFile file : table.manifest(version).partitions().subList(0, 2)) {
      Files.delete(directory.resolve("snapshots").resolve(version).resolve(file.name()));
    }
    SnapshotLookupFunction function = function(InputShuffle.BY_KEY);
    function.open(new MeteredContext());

    for (int i = 0; i < KEYS; i++) {
      GenericRowData compared = GenericRowData.of(StringData.fromBytes(bytes(i)));
      if (KeyShare.indexOf(bytes(i), 2) == 1) {
        assertThat(function.lookup(compared)).hasSize(1);
      } else {
        assertThatThrownBy(() -> function.lookup(compared))
            .hasMessageContaining("cannot be opened");
      }
    }
    function.close();
    assertThatThrownBy(() -> function(InputShuffle.NONE).open(new MeteredContext()))
        .hasMessageContaining("cannot be opened");
    assertThat(OpenReaders.count()).isZero();
  }

  /** Flink hands rows that an unaligned checkpoint has to any task if the parallelism changed. */
  @Test
  void findsKeysOfOtherShares() throws Exception {
    SnapshotLookupFunction function = function(InputShuffle.BY_KEY);
    function.open(new MeteredContext());

    for (int i = 0; i < KEYS; i++) {
      StringData key = StringData.fromBytes(bytes(i));
      assertThat(function.lookup(GenericRowData.of(key)))
          .singleElement()
          .satisfies(row -> assertThat(row.getString(1)).isEqualTo(key));
    }
    assertThat(function.lookup(GenericRowData.of(StringData.fromString("none")))).isEmpty();

    assertThat(OpenReaders.shares()).containsExactly(new KeyShare(1, 2));
    function.close();
  }

  /** So it does with asynchronous lookups that were in flight. */
  @Test
  void asynchronousLookupsFindKeysOfOtherShares() throws Exception {
    AsyncSnapshotLookupFunction function =
        new AsyncSnapshotLookupFunction(
            TestLookup.spec(directory, Access.DIRECT, InputShuffle.BY_KEY));
    function.open(new MeteredContext());

    for (int i = 0; i < KEYS; i++) {
      StringData key = StringData.fromBytes(bytes(i));
      assertThat(function.asyncLookup(GenericRowData.of(key)).get())
          .singleElement()
          .satisfies(row -> assertThat(row.getString(1)).isEqualTo(key));
    }

    assertThat(OpenReaders.shares()).containsExactly(new KeyShare(1, 2));
    function.close();
    assertThat(OpenReaders.count()).isZero();
  }

  /** A table with one row, whose key has two columns. */
  private DeclaredTable table(String... primaryKey) {
    return new DeclaredTable(
        "d",
        directory.resolve("other").toString(),
        RowType.of(
            new LogicalType[] {
              TestLookup.STRING.copy(false), new IntType(false), TestLookup.STRING
            },
            new String[] {"k", "l", "v"}),
        List.of(primaryKey));
  }

  private void publish(String value) throws Exception {
    publish(table("k", "l"), value);
  }

  private static void publish(DeclaredTable table, String value) throws Exception {
    RecordEncoder encoder = new RecordEncoder(table);
    RowData row = GenericRowData.of(StringData.fromString("a"), 1, StringData.fromString(value));
    WriterOptions options = WriterOptions.builder().schema(table.schema()).partitions(1).build();
    Records.empty().add(encoder.key(row), encoder.value(row)).publish(table.directory(), options);
  }

  @Test
  @Timeout(60)
  void followsATableThatIsOpenedAsAWhole() throws Exception {
    publish("one");
    DeclaredTable declared = table("l", "k");
    ReadSettings settings =
        TestLookup.spec(
                TestLookup.table(directory, TestLookup.STRING),
                Access.MAPPED,
                Duration.ofMillis(2),
                InputShuffle.BY_KEY)
            .settings();
    SnapshotLookupFunction function =
        new SnapshotLookupFunction(
            new LookupSpec(
                declared,
                settings,
                Projection.all(declared),
                List.of(0, 1),
                InputShuffle.BY_KEY,
                10,
                AsOfSettings.NONE));
    function.open(new MeteredContext());
    RowData compared = GenericRowData.of(StringData.fromString("a"), 1);
    assertThat(value(function, compared)).isEqualTo("one");

    publish("two");

    Await.until(() -> !value(function, compared).equals("one"));
    assertThat(value(function, compared)).isEqualTo("two");
    function.close();
  }

  @Test
  void refusesAVersionWithAnotherOrderOfKeysThanRowsAreShuffledBy() throws Exception {
    publish("one");
    DeclaredTable declared = table("k", "l");
    LookupSpec spec =
        new LookupSpec(
            declared,
            TestLookup.spec(directory, Access.MAPPED, InputShuffle.BY_KEY).settings(),
            Projection.all(declared),
            List.of(0, 1),
            InputShuffle.BY_KEY,
            10,
            AsOfSettings.NONE);
    try (FollowedTable followed = FollowedTable.open(spec, new KeyShare(0, 2))) {
      VersionLookup first = followed.current();
      publish(table("l", "k"), "two");
      followed.live().refresh();

      assertThat(followed.current()).isSameAs(first);
      assertThat(followed.latestFailure())
          .isInstanceOf(ValidationException.class)
          .hasMessageContaining("differs from the DDL, by which rows are shuffled");
    }
    assertThat(OpenReaders.count()).isZero();
  }

  private static String value(SnapshotLookupFunction function, RowData compared) throws Exception {
    return function.lookup(compared).iterator().next().getString(2).toString();
  }
}
