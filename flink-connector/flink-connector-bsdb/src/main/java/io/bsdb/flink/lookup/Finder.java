package io.bsdb.flink.lookup;

import io.bsdb.flink.row.RowDecoder;
import io.bsdb.reader.KeyRange;
import io.bsdb.reader.KeyValue;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.row.KeyView;
import io.bsdb.row.Schema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
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

  /**
   * Finds the row with the greatest key that is not above, if all but its last column are equal.
   */
  record OfFloor(SnapshotReader reader, RowDecoder decoder, Schema schema) implements Finder {
    @Override
    public List<RowData> find(byte[] key) throws IOException {
      return rows(key, reader.ordered().floor(key));
    }

    @Override
    public CompletableFuture<List<RowData>> begin(byte[] key) {
      return reader.async().ordered().floor(key).thenApply(found -> rows(key, found));
    }

    private List<RowData> rows(byte[] key, @Nullable KeyValue found) {
      return found == null || !hasSameLeadingColumns(key, found.key())
          ? List.of()
          : List.of(decoder.decode(key, found.key(), found.value()));
    }

    private boolean hasSameLeadingColumns(byte[] key, byte[] other) {
      if (schema.keyColumns().size() == 1) {
        return true;
      }
      int leading = KeyView.of(schema).wrap(key).leadingLength();
      return other.length >= leading && Arrays.equals(key, 0, leading, other, 0, leading);
    }
  }

  /** Finds the row with the longest key that the key begins with. */
  record OfLongestPrefix(SnapshotReader reader, RowDecoder decoder) implements Finder {
    @Override
    public List<RowData> find(byte[] key) throws IOException {
      return rows(key, reader.ordered().longestPrefix(key));
    }

    @Override
    public CompletableFuture<List<RowData>> begin(byte[] key) {
      return reader.async().ordered().longestPrefix(key).thenApply(found -> rows(key, found));
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
