package io.bsdb.flink.sink.change;

import io.bsdb.flink.lookup.ReadSettings;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.KeyEncoder;
import io.bsdb.flink.row.RecordEncoder;
import java.io.IOException;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Encodes rows where they come from, so that the shuffle moves what the table will hold.
 *
 * <p>The planner leaves out the old rows of updates where it can. It cannot after a filter, which
 * may let an old row pass and not the new one: so an old row deletes its key, and the new one, if
 * it comes, puts it again.
 */
public final class EncodeFunction extends RichFlatMapFunction<RowData, Change> {
  private static final long serialVersionUID = 1L;

  private final DeclaredTable table;
  private final boolean areKeys;
  private final @Nullable ReadSettings completed;
  private final Set<String> written;

  /** Null if the rows are keys. */
  private transient @Nullable RecordEncoder encoder;

  /** Null unless the rows are keys. */
  private transient @Nullable KeyEncoder keys;

  private transient @Nullable KeptColumns kept;

  private EncodeFunction(
      DeclaredTable table, boolean areKeys, @Nullable ReadSettings completed, Set<String> written) {
    this.table = table;
    this.areKeys = areKeys;
    this.completed = completed;
    this.written = Set.copyOf(written);
  }

  /** Encodes rows with all columns. */
  public static EncodeFunction ofRows(DeclaredTable table) {
    return new EncodeFunction(table, false, null, Set.of());
  }

  /**
   * Encodes rows that have some columns, and completes them.
   *
   * @param version to which the other columns are read
   * @param written the columns that the rows have
   */
  public static EncodeFunction ofColumns(
      DeclaredTable table, ReadSettings version, Set<String> written) {
    return new EncodeFunction(table, false, version, written);
  }

  /** Encodes deletes, whose rows are the columns of the primary key. */
  public static EncodeFunction ofDeletes(DeclaredTable table) {
    return new EncodeFunction(table, true, null, Set.of());
  }

  @Override
  public void open(OpenContext context) throws IOException {
    if (areKeys) {
      keys =
          new KeyEncoder(
              table.schema(), table, IntStream.range(0, table.primaryKey().size()).toArray());
    } else {
      encoder = new RecordEncoder(table);
    }
    if (completed != null) {
      kept = KeptColumns.open(table, completed, written);
    }
  }

  @Override
  public void flatMap(RowData row, Collector<Change> changes) throws IOException {
    if (keys != null) {
      // The row was read from the table, so it has a key.
      changes.collect(Change.delete(Objects.requireNonNull(keys.encode(row))));
      return;
    }
    if (encoder == null) {
      throw new IllegalStateException("the function is not open");
    }
    try {
      switch (row.getRowKind()) {
        case INSERT, UPDATE_AFTER -> {
          byte[] key = encoder.key(row);
          RowData whole = kept == null ? row : kept.complete(key, row);
          changes.collect(Change.put(key, encoder.value(whole)));
        }
        case DELETE, UPDATE_BEFORE -> changes.collect(Change.delete(encoder.key(row)));
      }
    } catch (ValidationException e) {
      // The row will not get better.
      throw new SuppressRestartsException(e);
    }
  }

  @Override
  public void close() throws IOException {
    KeptColumns opened = kept;
    kept = null;
    if (opened != null) {
      opened.close();
    }
  }
}
