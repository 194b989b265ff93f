package io.bsdb.sql;

import io.bsdb.row.KeyWriter;
import io.bsdb.row.RowLayout;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import java.io.IOException;
import java.util.List;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBReadableVector;

/** Makes records of the rows of one run, whose last row marks that it was whole. */
final class RowEncoder {
  private final Schema schema;
  private final List<SourceColumn> columns;
  private final KeyWriter key;
  private final RowWriter value;
  private final int[] keyColumns;
  private final DuckDBReadableVector[] vectors;
  private long count;
  private boolean ended;

  RowEncoder(Schema schema, List<SourceColumn> columns) {
    this.schema = schema;
    this.columns = columns;
    this.key = KeyWriter.of(schema);
    this.value = new RowWriter(RowLayout.ofValues(schema));
    this.keyColumns = schema.primaryKey().stream().mapToInt(schema::position).toArray();
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
        columns.get(i).reader().write(vectors[i], row, schema.columns().get(i), key);
      }
      value.reset();
      for (int i = 0; i < vectors.length; i++) {
        int field = schema.valuePosition(i);
        if (field >= 0) {
          columns.get(i).reader().write(vectors[i], row, schema.columns().get(i), value, field);
        }
      }
      batch.add(key, value);
    } catch (IllegalArgumentException e) {
      batch.refuse(String.valueOf(e.getMessage()));
    }
  }
}
