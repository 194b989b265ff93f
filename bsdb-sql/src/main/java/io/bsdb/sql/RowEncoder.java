package io.bsdb.sql;

import io.bsdb.row.KeyWriter;
import io.bsdb.row.RowLayout;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import java.io.IOException;
import java.util.List;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBReadableVector;
import org.jspecify.annotations.Nullable;

/** Makes records of the rows of one run, whose last row marks that it was whole. */
final class RowEncoder {
  private final Schema schema;
  private final List<SourceColumn> columns;
  private final KeyWriter key;
  private final RowWriter value;
  private final int[] keyColumns;

  /** Positions in the query of the schema's columns. */
  private final int[] positions;

  /** Position in the query of the column that shows which rows are ended; -1: none are. */
  private final int endedColumn;

  private final DuckDBReadableVector[] vectors;
  private long count;
  private boolean ended;

  RowEncoder(Schema schema, List<SourceColumn> columns, @Nullable String endedColumn) {
    this.schema = schema;
    this.columns = columns;
    this.key = KeyWriter.of(schema);
    this.value = new RowWriter(RowLayout.ofValues(schema));
    this.keyColumns = schema.primaryKey().stream().mapToInt(schema::position).toArray();
    List<String> names = columns.stream().map(column -> column.column().name()).toList();
    this.positions =
        schema.columns().stream().mapToInt(column -> names.indexOf(column.name())).toArray();
    this.endedColumn = endedColumn == null ? -1 : names.indexOf(endedColumn);
    this.vectors = new DuckDBReadableVector[columns.size()];
  }

  /** Returns the number of rows. */
  long count() {
    return count;
  }

  /** Returns whether the last row has come. */
  boolean hasEnded() {
    return ended;
  }

  /** Returns the records of a chunk, in order. */
  Batch encode(DuckDBDataChunkReader chunk) throws IOException {
    for (int i = 0; i < vectors.length; i++) {
      vectors[i] = chunk.vector(i);
    }
    DuckDBReadableVector more = chunk.vector(vectors.length);
    int rows = Math.toIntExact(chunk.rowCount());
    Batch batch = new Batch(count, rows);
    for (int row = 0; row < rows; row++) {
      if (ended) {
        throw new IOException("the query goes on after its last row");
      }
      if (more.getBoolean(row)) {
        count++;
        encode(row, batch);
      } else {
        ended = true;
      }
    }
    return batch;
  }

  private void encode(int row, Batch batch) throws IOException {
    try {
      key.reset();
      for (int i : keyColumns) {
        int from = positions[i];
        columns.get(from).reader().write(vectors[from], row, schema.columns().get(i), key);
      }
      if (endedColumn >= 0
          && !vectors[endedColumn].isNull(row)
          && vectors[endedColumn].getBoolean(row)) {
        batch.addEnded(key);
        return;
      }
      value.reset();
      for (int i = 0; i < positions.length; i++) {
        int field = schema.valuePosition(i);
        if (field >= 0) {
          int from = positions[i];
          columns
              .get(from)
              .reader()
              .write(vectors[from], row, schema.columns().get(i), value, field);
        }
      }
      batch.add(key, value);
    } catch (IllegalArgumentException e) {
      batch.refuse(String.valueOf(e.getMessage()));
    }
  }
}
