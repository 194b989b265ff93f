package io.bsdb.flink.lookup;

import io.bsdb.flink.row.FieldEquality;
import io.bsdb.flink.row.KeyEncoder;
import io.bsdb.flink.row.RowDecoder;
import io.bsdb.flink.row.SnapshotMapping;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.jspecify.annotations.Nullable;

/**
 * Looks up in one version of a table, which it holds open until closed. For one thread, except for
 * {@link #row}.
 */
final class VersionLookup implements Closeable {
  private final TableReader.Lease lease;
  private final SnapshotReader reader;
  private final KeyEncoder keys;
  private final RowDecoder decoder;
  private final List<ExtraColumn> extraColumns;

  private VersionLookup(
      TableReader.Lease lease,
      KeyEncoder keys,
      RowDecoder decoder,
      List<ExtraColumn> extraColumns) {
    this.lease = lease;
    this.reader = lease.reader();
    this.keys = keys;
    this.decoder = decoder;
    this.extraColumns = extraColumns;
  }

  /**
   * A compared column outside the key, or metadata: {@code left} gets it from the compared values,
   * {@code right} from the row found.
   */
  private record ExtraColumn(
      RowData.FieldGetter left, RowData.FieldGetter right, FieldEquality equality) {
    boolean matches(RowData compared, RowData found) {
      Object leftValue = left.getFieldOrNull(compared);
      Object rightValue = right.getFieldOrNull(found);
      return leftValue != null && rightValue != null && equality.equal(leftValue, rightValue);
    }
  }

  /**
   * Takes over a version, if the DDL matches it.
   *
   * @throws org.apache.flink.table.api.ValidationException if it does not
   */
  static VersionLookup of(TableReader.Lease lease, LookupSpec spec) {
    SnapshotMapping mapping = SnapshotMapping.of(spec.table(), lease.reader().manifest());
    return new VersionLookup(
        lease,
        mapping.keyEncoder(spec.comparedColumns()),
        mapping.decoder(spec.projection(), lease.reader().manifest()),
        extraColumns(spec));
  }

  private static List<ExtraColumn> extraColumns(LookupSpec spec) {
    List<ExtraColumn> extraColumns = new ArrayList<>();
    for (int i = 0; i < spec.keys().size(); i++) {
      int key = spec.keys().get(i);
      if (!spec.isInPrimaryKey(key)) {
        LogicalType type = spec.projection().type(spec.table(), key).copy(true);
        extraColumns.add(
            new ExtraColumn(
                RowData.createFieldGetter(type, i),
                RowData.createFieldGetter(type, key),
                FieldEquality.of(type)));
      }
    }
    return extraColumns;
  }

  /** Whether this is still the version in service. */
  boolean isCurrent() {
    return lease.isCurrent();
  }

  /** Reads the version; not to be closed. */
  SnapshotReader reader() {
    return reader;
  }

  /** The row with these values; null if there is none. */
  @Nullable RowData lookup(RowData compared) throws IOException {
    byte[] key = key(compared);
    return key == null ? null : row(compared, key, reader.get(key));
  }

  /** The key with these values, in an array of its own; null if no table holds it. */
  byte @Nullable [] key(RowData compared) {
    return keys.encode(compared);
  }

  /**
   * The row that was found, if it matches all that is compared; else null. Safe for many threads.
   *
   * @param value that was found for {@code key}; null if there is none
   */
  @Nullable RowData row(RowData compared, byte[] key, byte @Nullable [] value) {
    if (value == null) {
      return null;
    }
    RowData found = decoder.decode(key, value);
    return extraColumns.isEmpty() || matches(compared, found) ? found : null;
  }

  private boolean matches(RowData compared, RowData found) {
    for (ExtraColumn column : extraColumns) {
      if (!column.matches(compared, found)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() throws IOException {
    lease.close();
  }
}
