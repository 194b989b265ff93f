package io.bsdb.flink.sink.change;

import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.lookup.SharedSnapshots;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.Projection;
import io.bsdb.flink.row.RowDecoder;
import io.bsdb.flink.row.SnapshotMapping;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.KeyShare;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;

/** Completes rows of some columns by what a version has in the others. Used by one thread. */
final class KeptColumns implements Closeable {
  private final SharedSnapshots.Use use;
  private final TableReader.Lease lease;
  private final SnapshotReader reader;
  private final RowDecoder.Rows rows;
  private final List<Integer> kept;
  private final List<RowData.FieldGetter> getters;

  private KeptColumns(
      DeclaredTable table, SharedSnapshots.Use use, TableReader.Lease lease, Set<String> written) {
    this.use = use;
    this.lease = lease;
    List<Integer> all = Projection.all(table).columns();
    this.kept =
        all.stream()
            .filter(i -> !written.contains(table.rowType().getFieldNames().get(i)))
            .toList();
    this.getters =
        all.stream().map(i -> RowData.createFieldGetter(table.rowType().getTypeAt(i), i)).toList();
    RowDecoder decoder =
        SnapshotMapping.of(table, lease.reader().manifest())
            .decoder(new Projection(kept, List.of()), lease.reader().manifest());
    this.reader = decoder.selecting(lease.reader());
    this.rows = decoder.rows();
  }

  /**
   * Opens a version.
   *
   * @param settings name the version
   * @param written the columns that rows have; the others are kept
   */
  static KeptColumns open(DeclaredTable table, ReadSettings settings, Set<String> written)
      throws IOException {
    SharedSnapshots.Use use = SharedSnapshots.use(table, settings, KeyShare.ALL);
    TableReader.Lease lease = use.live().lease();
    try {
      return new KeptColumns(table, use, lease, written);
    } catch (RuntimeException | Error e) {
      try (use;
          lease) {
        throw e;
      }
    }
  }

  /** Returns a row with the columns that are kept; as it is, if the version does not have it. */
  RowData complete(byte[] key, RowData row) throws IOException {
    RowData before = reader.get(key, rows.of(key));
    if (before == null) {
      return row;
    }
    GenericRowData complete = new GenericRowData(row.getRowKind(), getters.size());
    for (int i = 0; i < getters.size(); i++) {
      complete.setField(i, getters.get(i).getFieldOrNull(row));
    }
    for (int i = 0; i < kept.size(); i++) {
      complete.setField(kept.get(i), ((GenericRowData) before).getField(i));
    }
    return complete;
  }

  @Override
  public void close() throws IOException {
    try (use) {
      lease.close();
    }
  }
}
