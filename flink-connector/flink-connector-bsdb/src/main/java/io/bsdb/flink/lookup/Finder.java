package io.bsdb.flink.lookup;

import io.bsdb.flink.row.RowDecoder;
import io.bsdb.reader.KeyRange;
import io.bsdb.reader.KeyValue;
import io.bsdb.reader.Nearest;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.table.api.TableException;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/**
 * Finds the rows that match a key in one version: in the calling thread, or with a future, which
 * gives the same rows. Safe for many threads.
 */
sealed interface Finder {
  List<RowData> find(byte[] key) throws IOException;

  CompletableFuture<List<RowData>> begin(byte[] key);

  /** Finds the row with the key. */
  record OfKey(SnapshotReader reader, RowDecoder decoder) implements Finder {
    @Override
    public List<RowData> find(byte[] key) throws IOException {
      return rows(key, reader.get(key));
    }

    @Override
    public CompletableFuture<List<RowData>> begin(byte[] key) {
      return reader.async().get(key).thenApply(value -> rows(key, value));
    }

    private List<RowData> rows(byte[] key, byte @Nullable [] value) {
      return value == null ? List.of() : List.of(decoder.decode(key, value));
    }
  }

  /** Finds the row nearest to the key. */
  record OfNearest(SnapshotReader reader, RowDecoder decoder, Nearest nearest) implements Finder {
    @Override
    public List<RowData> find(byte[] key) throws IOException {
      return rows(key, nearest.find(reader, key));
    }

    @Override
    public CompletableFuture<List<RowData>> begin(byte[] key) {
      return nearest.begin(reader, key).thenApply(found -> rows(key, found));
    }

    private List<RowData> rows(byte[] key, @Nullable KeyValue found) {
      return found == null ? List.of() : List.of(decoder.decode(key, found.key(), found.value()));
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
        while (records.next()) {
          if (rows.size() == maxRows) {
            throw tooMany();
          }
          rows.add(decoder.decode(records.key(), records.value()));
        }
      }
      return rows;
    }

    @Override
    public CompletableFuture<List<RowData>> begin(byte[] key) {
      return reader
          .async()
          .ordered()
          .range(KeyRange.prefix(key), maxRows + 1)
          .thenApply(this::rows);
    }

    private List<RowData> rows(List<KeyValue> found) {
      if (found.size() > maxRows) {
        throw tooMany();
      }
      return found.stream().map(record -> decoder.decode(record.key(), record.value())).toList();
    }

    private TableException tooMany() {
      return new TableException(
          "a lookup in table %s by leading key columns finds more than %d rows; compare more key columns, or raise 'lookup.max-rows'"
              .formatted(table, maxRows));
    }
  }
}
