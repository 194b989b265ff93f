package io.bsdb.flink.lookup;

import io.bsdb.flink.row.FieldEquality;
import io.bsdb.flink.row.KeyEncoder;
import io.bsdb.flink.row.RowDecoder;
import io.bsdb.flink.row.SnapshotMapping;
import io.bsdb.reader.Nearest;
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
 * except for {@link #matching}.
 */
final class VersionLookup {
  private final SnapshotReader reader;
  private final KeyEncoder keys;
  private final Finder finder;
  private final List<ExtraColumn> extraColumns;

  /**
   * Looks up in a version.
   *
   * @throws org.apache.flink.table.api.ValidationException if the DDL does not match it, or it
   *     cannot answer what is asked
   */
  VersionLookup(SnapshotReader reader, LookupSpec spec) {
    SnapshotMapping mapping = SnapshotMapping.of(spec.table(), reader.manifest());
    RowDecoder decoder = mapping.decoder(spec.projection(), reader.manifest());
    Question question = spec.question();
    this.reader = decoder.selecting(reader);
    this.keys = question.keyEncoder(mapping, spec.table(), reader.manifest());
    this.finder =
        switch (question.match()) {
          case KEY -> new Finder.OfKey(this.reader, decoder, decoder.rows());
          case FLOOR -> new Finder.OfNearest(this.reader, decoder, Nearest.FLOOR);
          case LONGEST_PREFIX -> new Finder.OfNearest(this.reader, decoder, Nearest.LONGEST_PREFIX);
          case LEADING_COLUMNS ->
              new Finder.OfLeadingColumns(
                  this.reader, decoder, spec.table().name(), spec.maxRows());
        };
    this.extraColumns = extraColumns(spec, question);
  }

  /**
   * A compared column or metadata that is not asked for: {@code left} gets it from the compared
   * values, {@code right} from the row found.
   */
  private record ExtraColumn(
      RowData.FieldGetter left, RowData.FieldGetter right, FieldEquality equality) {
    boolean matches(RowData compared, RowData found) {
      Object leftValue = left.getFieldOrNull(compared);
      Object rightValue = right.getFieldOrNull(found);
      return leftValue != null && rightValue != null && equality.equal(leftValue, rightValue);
    }
  }

  private static List<ExtraColumn> extraColumns(LookupSpec spec, Question question) {
    List<ExtraColumn> extraColumns = new ArrayList<>();
    for (int i = 0; i < spec.keys().size(); i++) {
      int key = spec.keys().get(i);
      if (question.columns().get(i) < 0) {
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

  /** Returns the rows with these values. */
  List<RowData> lookup(RowData compared) throws IOException {
    byte[] key = key(compared);
    return key == null ? List.of() : matching(compared, finder.find(key));
  }

  /** Returns the key to ask for, in an array of its own; null if no table holds a match. */
  byte @Nullable [] key(RowData compared) {
    return keys.encode(compared);
  }

  /** Begins to read the rows that match a key. */
  CompletableFuture<List<RowData>> begin(byte[] key) {
    return finder.begin(key);
  }

  /** Returns the rows found that match all that is compared. Safe for many threads. */
  List<RowData> matching(RowData compared, List<RowData> found) {
    return extraColumns.isEmpty() || found.isEmpty()
        ? found
        : found.stream().filter(row -> matches(compared, row)).toList();
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
