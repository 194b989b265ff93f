package io.bsdb.flink.lookup;

import io.bsdb.flink.row.RowDecoder;
import io.bsdb.reader.KeyRange;
import io.bsdb.reader.Nearest;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.RecordReader;
import io.bsdb.reader.SnapshotReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.table.api.TableException;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/**
 * Finds the rows that match a key in one version: in the calling thread, or with a future, which
 * gives the same rows. {@link #find} is for one thread, {@link #begin} for many.
 */
sealed interface Finder {
  List<RowData> find(byte[] key) throws IOException;

  CompletableFuture<List<RowData>> begin(byte[] key);

  private static List<RowData> list(@Nullable RowData row) {
    return row == null ? List.of() : List.of(row);
  }

  /** Finds the row with the key. */
  record OfKey(SnapshotReader reader, RowDecoder decoder, RowDecoder.Rows rows) implements Finder {
    @Override
    public List<RowData> find(byte[] key) throws IOException {
      return list(reader.get(key, rows.of(key)));
    }

    @Override
    public CompletableFuture<List<RowData>> begin(byte[] key) {
      return reader.async().get(key, decoder.rows().of(key)).thenApply(Finder::list);
    }
  }

  /** Finds the row nearest to the key. */
  record OfNearest(SnapshotReader reader, RowDecoder decoder, Nearest nearest) implements Finder {
    @Override
    public List<RowData> find(byte[] key) throws IOException {
      return list(nearest.find(reader, key, row(key)));
    }

    @Override
    public CompletableFuture<List<RowData>> begin(byte[] key) {
      return nearest.begin(reader, key, row(key)).thenApply(Finder::list);
    }

    private RecordReader<RowData> row(byte[] key) {
      return (found, bytes, offset, length) ->
          decoder.rows().of(found, key).read(0, bytes, offset, length);
    }
  }

  /**
   * Finds the rows whose leading key columns are encoded so.
   *
   * @param table its name, for messages
   * @param maxRows maximum number of rows that may be found
   */
  record OfLeadingColumns(SnapshotReader reader, RowDecoder decoder, String table, int maxRows)
      implements Finder {
    @Override
    public List<RowData> find(byte[] key) throws IOException {
      List<RowData> rows = new ArrayList<>();
      try (RecordCursor records = reader.ordered().range(KeyRange.prefix(key))) {
        RowDecoder.Rows decoded = decoder.rows();
        while (records.next()) {
          if (rows.size() == maxRows) {
            throw tooMany();
          }
          rows.add(Objects.requireNonNull(records.value(decoded.of(records.key()))));
        }
      }
      return rows;
    }

    @Override
    public CompletableFuture<List<RowData>> begin(byte[] key) {
      RowDecoder.Rows decoded = decoder.rows();
      return reader
          .async()
          .ordered()
          .range(
              KeyRange.prefix(key),
              maxRows + 1,
              Long.MAX_VALUE,
              (found, bytes, offset, length) -> decoded.of(found).read(0, bytes, offset, length))
          .thenApply(this::checked);
    }

    private List<RowData> checked(List<RowData> found) {
      if (found.size() > maxRows) {
        throw tooMany();
      }
      return found;
    }

    private TableException tooMany() {
      return new TableException(
          "a lookup in table %s by leading key columns finds more than %d rows; compare more key columns, or raise 'lookup.max-rows'"
              .formatted(table, maxRows));
    }
  }
}
