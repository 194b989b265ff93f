package io.bsdb.flink.lookup;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.Projection;
import io.bsdb.flink.row.SnapshotMetadata;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.row.RowCodec;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Lookups by order while versions with other splitters, or in another order, are published. */
@ExtendWith(OpenReaders.class)
class OrderedFollowTest {
  @TempDir Path directory;

  private DeclaredTable table(RecordOrder order) {
    return new DeclaredTable(
        "t",
        directory.toString(),
        RowType.of(
            new LogicalType[] {new BigIntType(false), new BigIntType()}, new String[] {"k", "v"}),
        List.of("k"),
        Set.of(),
        Set.of(),
        order);
  }

  /** The multiples of a step up to 1,000, with its negative value. */
  private void publish(RecordOrder order, int partitions, long step) throws Exception {
    RowCodec codec = RowCodec.of(table(order).schema());
    WriterOptions options =
        WriterOptions.builder().order(order).schema(codec.schema()).partitions(partitions).build();
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      for (long key = 0; key < 1_000; key += step) {
        writer.add(codec.encodeKey(key), codec.encodeValue(-key));
      }
      writer.publish();
    }
  }

  private LookupSpec spec(Access access, InputShuffle shuffle, Projection projection, int key) {
    return new LookupSpec(
        table(RecordOrder.HASH),
        TestLookup.settings(access, TestLookup.RARELY, null),
        projection,
        List.of(key),
        shuffle,
        10,
        AsOfSettings.NONE);
  }

  private LookupSpec floor(Access access) {
    return spec(
        access,
        InputShuffle.BY_KEY,
        new Projection(List.of(0, 1), List.of(SnapshotMetadata.FLOOR)),
        2);
  }

  private static void requireFloors(FollowedTable followed, long step) throws Exception {
    VersionLookup version = followed.current();
    for (long asked = 0; asked < 1_010; asked++) {
      RowData compared = GenericRowData.of(asked);
      byte[] key = version.key(compared);
      assertThat(key).isNotNull();
      for (List<RowData> rows : List.of(version.lookup(compared), version.begin(key).get())) {
        long expected = Math.min(asked, 999) / step * step;
        assertThat(rows).hasSize(1);
        assertThat(rows.get(0).getLong(0)).isEqualTo(expected);
        assertThat(rows.get(0).getLong(1)).isEqualTo(-expected);
        assertThat(rows.get(0).getLong(2)).isEqualTo(asked);
      }
    }
    assertThat(version.lookup(GenericRowData.of(-1L))).isEmpty();
    assertThat(version.lookup(GenericRowData.of((Object) null))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"MAPPED", "DIRECT"})
  void changesOverToOtherSplitters(Access access) throws Exception {
    publish(RecordOrder.KEY, 3, 10);
    try (FollowedTable followed = FollowedTable.open(floor(access), KeyShare.ALL)) {
      requireFloors(followed, 10);

      publish(RecordOrder.KEY, 7, 7);
      followed.live().refresh();

      requireFloors(followed, 7);
    }
  }

  @Test
  void staysWithAVersionInKeyOrder() throws Exception {
    publish(RecordOrder.KEY, 3, 10);
    try (FollowedTable followed = FollowedTable.open(floor(Access.MAPPED), KeyShare.ALL)) {
      publish(RecordOrder.HASH, 3, 7);
      followed.live().refresh();

      requireFloors(followed, 10);
      assertThat(followed.latestFailure())
          .isInstanceOf(ValidationException.class)
          .hasMessageContaining("is not in the order of its key columns");
    }
  }

  @Test
  void opensTheWholeTableForAnyShare() throws Exception {
    assertThat(floor(Access.MAPPED).shuffle()).isEqualTo(InputShuffle.NONE);
    publish(RecordOrder.KEY, 3, 10);
    LookupSpec keys =
        spec(Access.MAPPED, InputShuffle.BY_KEY, Projection.all(table(RecordOrder.HASH)), 0);
    try (FollowedTable first = FollowedTable.open(keys, new KeyShare(0, 2));
        FollowedTable second = FollowedTable.open(keys, new KeyShare(1, 2))) {
      assertThat(SharedSnapshots.shares()).containsExactly(KeyShare.ALL);
      assertThat(first.current().lookup(GenericRowData.of(990L))).hasSize(1);
      assertThat(second.current().lookup(GenericRowData.of(990L))).hasSize(1);
    }
  }
}
