package io.bsdb.flink.lookup;

import io.bsdb.flink.row.FieldEquality;
import io.bsdb.flink.row.KeyEncoder;
import io.bsdb.flink.row.RowDecoder;
import io.bsdb.flink.row.SnapshotMapping;
import io.bsdb.reader.Nearest;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.metrics.ReaderMetrics;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.table.manifest.Validity;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.table.api.TableException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.LogicalType;
import org.jspecify.annotations.Nullable;

/**
 * Looks up in one version of a table, which somebody else holds open. For one thread at a time,
 * except for {@link #matching}.
 */
final class VersionLookup {
  /** The source time of a version that has none. */
  static final long NO_TIME = Long.MIN_VALUE;

  private final String table;
  private final SnapshotReader reader;
  private final KeyEncoder keys;
  private final Finder finder;
  private final List<ExtraColumn> extraColumns;
  private final long sourceTime;

  /** Reads the time that is looked up; null if none is. */
  private final RowData.@Nullable FieldGetter time;

  /** Decides which times fail; null: none does. */
  private final @Nullable Validity strict;

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
    this.table = spec.table().name();
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
    int time = question.time(spec.table());
    LogicalType timeType = spec.table().type(spec.table().lastKeyColumn()).copy(true);
    this.time = time < 0 ? null : RowData.createFieldGetter(timeType, time);
    this.strict = spec.asOf().isStrict() ? reader.manifest().validity() : null;
    Instant complete = reader.manifest().changes().sourceTime();
    this.sourceTime = complete == null ? NO_TIME : complete.toEpochMilli();
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

  /**
   * Returns the key to ask for, in an array of its own; null if no table holds a match.
   *
   * @throws TableException if the time that is asked for is before the horizon, and such lookups
   *     are to fail
   */
  byte @Nullable [] key(RowData compared) {
    TimestampData asked = strict == null ? null : time(compared);
    if (strict != null && asked != null) {
      try {
        strict.requireKept(asked.toInstant());
      } catch (IllegalArgumentException e) {
        throw new TableException(
            "a lookup in table %s fails, as 'lookup.before-horizon' = 'fail': version=%s: %s"
                .formatted(table, reader.manifest().version(), e.getMessage()),
            e);
      }
    }
    return keys.encode(compared);
  }

  private @Nullable TimestampData time(RowData compared) {
    return time == null ? null : (TimestampData) time.getFieldOrNull(compared);
  }

  /**
   * Returns the time up to which the version is complete, in milliseconds; {@link #NO_TIME} if that
   * is not known.
   */
  long sourceTime() {
    return sourceTime;
  }

  /**
   * Returns the time up to which a version must be complete to answer a lookup for good, in
   * milliseconds; {@link #NO_TIME} if it need not be. Versions have source times only where the
   * column is one of milliseconds, as Flink's event times are.
   */
  long neededTime(RowData compared) {
    TimestampData asked = time(compared);
    return asked == null ? NO_TIME : asked.getMillisecond();
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
