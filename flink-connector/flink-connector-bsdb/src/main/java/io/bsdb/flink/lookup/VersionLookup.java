package io.bsdb.flink.lookup;

import io.bsdb.flink.row.FieldEquality;
import io.bsdb.flink.row.KeyEncoder;
import io.bsdb.flink.row.RowDecoder;
import io.bsdb.flink.row.SnapshotMapping;
import io.bsdb.reader.AsyncSnapshotReader;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.metrics.ReaderMetrics;
import io.bsdb.reader.overlay.Overlay;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.jspecify.annotations.Nullable;

/**
 * Looks up in one version of a table, which somebody else holds open. For one thread at a time,
 * except for {@link #row}.
 */
final class VersionLookup {
  private final SnapshotReader reader;
  private final AsyncSnapshotReader asyncReader;
  private final KeyEncoder keys;
  private final RowDecoder decoder;
  private final List<ExtraColumn> extraColumns;

  /**
   * Looks up in a version.
   *
   * @throws org.apache.flink.table.api.ValidationException if the DDL does not match it
   */
  VersionLookup(SnapshotReader reader, LookupSpec spec) {
    SnapshotMapping mapping = SnapshotMapping.of(spec.table(), reader.manifest());
    this.decoder = mapping.decoder(spec.projection(), reader.manifest());
    this.reader = decoder.selecting(reader);
    this.asyncReader = this.reader.async();
    this.keys = mapping.keyEncoder(spec.comparedColumns());
    this.extraColumns = extraColumns(spec);
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

  /** Returns the number of keys that have changed since the partition files were built. */
  int changedKeys() {
    Overlay changes = reader.changes();
    return changes == null ? 0 : changes.changedKeys();
  }

  ReaderMetrics metrics() {
    return reader.metrics();
  }

  /** Returns the row with these values; null if there is none. */
  @Nullable RowData lookup(RowData compared) throws IOException {
    byte[] key = key(compared);
    return key == null ? null : row(compared, key, reader.get(key));
  }

  /** Returns the key with these values, in an array of its own; null if no table holds it. */
  byte @Nullable [] key(RowData compared) {
    return keys.encode(compared);
  }

  /** Reads the value of a key. */
  CompletableFuture<byte @Nullable []> read(byte[] key) {
    return asyncReader.get(key);
  }

  /**
   * Returns the row that was found, if it matches all that is compared; else null. Safe for many
   * threads.
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
}
