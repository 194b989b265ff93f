package io.bsdb.kstreams;

import io.bsdb.format.LentBytes;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.row.FieldEncoder;
import io.bsdb.row.KeyWriter;
import io.bsdb.row.Row;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.Manifest;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Keys and values as rows of the table's schema. */
final class SchemaFormat<K, V> implements TableFormat<K, V> {
  private final String lookup;
  private final @Nullable BiConsumer<? super KeyWriter, ? super K> keys;
  private final Function<? super Row, ? extends @Nullable V> rows;
  private final List<String> columns;
  private volatile @Nullable Manifest first;
  private volatile @Nullable RowCodec latest;

  /**
   * @param keys writes a key; null if a key is the value of the only key column
   * @param rows makes a value of a row
   * @param columns that rows have; empty for all
   */
  SchemaFormat(
      String lookup,
      @Nullable BiConsumer<? super KeyWriter, ? super K> keys,
      Function<? super Row, ? extends @Nullable V> rows,
      List<String> columns) {
    this.lookup = lookup;
    this.keys = keys;
    this.rows = rows;
    this.columns = columns;
  }

  @Override
  public void accept(Manifest manifest, Match match) throws SchemaMismatchException {
    Schema schema = manifest.schema();
    if (schema == null) {
      throw mismatch(
          manifest, "the table has no schema, so it has no rows; use serdes(keys, values)");
    }
    int written = schema.primaryKey().size() - (takesTime(manifest, match) ? 1 : 0);
    if (keys == null && written > 1) {
      throw mismatch(
          manifest,
          "the key has the columns "
              + schema.primaryKey()
              + "; use rows(keys, rows), which writes each");
    }
    for (String column : columns) {
      if (!schema.hasColumn(column)) {
        throw mismatch(
            manifest,
            "column '%s', which is to be read, is missing; the table has %s"
                .formatted(column, schema.columns()));
      }
    }
    Manifest before = first;
    if (before != null) {
      if (takesTime(before, match) && !takesTime(manifest, match)) {
        throw mismatch(
            manifest, "it has no history, as the first version had: keys may lack the time");
      }
      compare(Objects.requireNonNull(before.schema()), schema, manifest);
    }
  }

  /**
   * Remembers the first version in service: one that could not be opened does not bind later ones.
   */
  @Override
  public void serve(Manifest manifest) {
    if (first == null) {
      first = manifest;
    }
  }

  /** Compares schemas: new columns do no harm, nor does NOT NULL. */
  private void compare(Schema before, Schema now, Manifest manifest)
      throws SchemaMismatchException {
    if (!now.primaryKey().equals(before.primaryKey())) {
      throw mismatch(
          manifest,
          "primary key: expected=%s actual=%s".formatted(before.primaryKey(), now.primaryKey()));
    }
    for (Column column : before.columns()) {
      if (!columns.isEmpty()
          && !columns.contains(column.name())
          && !before.primaryKey().contains(column.name())) {
        continue; // is neither read nor written
      }
      if (!now.hasColumn(column.name())) {
        throw mismatch(manifest, "column %s is missing".formatted(column));
      }
      ColumnType type = now.column(column.name()).type();
      if (!type.equals(column.type()) && !type.equals(column.type().notNull())) {
        throw mismatch(
            manifest,
            "column '%s': expected=%s actual=%s".formatted(column.name(), column.type(), type));
      }
    }
  }

  private SchemaMismatchException mismatch(Manifest manifest, String what) {
    return new SchemaMismatchException(
        "lookup '%s': version=%s does not fit: %s".formatted(lookup, manifest.version(), what));
  }

  @Override
  public SnapshotReader selecting(SnapshotReader reader) {
    return reader.selecting(codec(reader.manifest()).fields());
  }

  @Override
  public Codec<K, V> of(Manifest manifest, Match match) {
    RowCodec codec = codec(manifest);
    KeyWriter writer = KeyWriter.of(codec.schema());
    boolean takesTime = takesTime(manifest, match);
    Column column = codec.schema().keyColumns().get(0);
    BiConsumer<? super KeyWriter, ? super K> written =
        keys != null ? keys : (out, key) -> FieldEncoder.write(out, column, key);
    return new Written<>(codec, writer, written, rows, match, takesTime);
  }

  /** Returns whether a join adds the time of its record to keys that lack one. */
  private static boolean takesTime(Manifest manifest, Match match) {
    return match == Match.FLOOR && manifest.validity() != null;
  }

  private RowCodec codec(Manifest manifest) {
    Schema schema = Objects.requireNonNull(manifest.schema(), "the schema of an accepted version");
    RowCodec codec = latest;
    if (codec == null || !codec.schema().equals(schema)) {
      codec = RowCodec.of(schema);
      if (!columns.isEmpty()) {
        codec = codec.selecting(columns);
      }
      latest = codec;
    }
    return codec;
  }

  /** Maps a row that is lent, and so cannot be the result. */
  private static <V> @Nullable V map(Row row, Function<? super Row, ? extends @Nullable V> rows) {
    V value = rows.apply(row);
    if (value == row) {
      throw new IllegalStateException(
          "the mapper of rows returned the row, which is valid only until it returns; return the columns that are needed");
    }
    return value;
  }

  /**
   * Keys that are written column by column.
   *
   * @param takesTime whether the last one may be left to the time of the record
   */
  private record Written<K, V>(
      RowCodec codec,
      KeyWriter writer,
      BiConsumer<? super KeyWriter, ? super K> keys,
      Function<? super Row, ? extends @Nullable V> rows,
      Match match,
      boolean takesTime)
      implements Codec<K, V> {
    @Override
    public byte @Nullable [] encode(K key) {
      keys.accept(writer.reset(), key);
      return written(Match.EXACT);
    }

    @Override
    public byte @Nullable [] encode(K key, long timestamp) {
      keys.accept(writer.reset(), key);
      if (takesTime
          && timestamp != VersionHold.NO_TIME
          && writer.written() == codec.schema().primaryKey().size() - 1) {
        writer.writeTimestamp(timestamp, 0);
      }
      return written(match);
    }

    private byte @Nullable [] written(Match wanted) {
      try {
        return switch (wanted) {
          case EXACT -> writer.toBytes();
          case FLOOR -> writer.toFloor();
          case LONGEST_PREFIX -> writer.toCut();
        };
      } catch (IllegalArgumentException noTableHoldsIt) { // missing columns throw something else
        return null;
      }
    }

    @Override
    public @Nullable V decode(byte[] key, byte[] value) {
      return rows.apply(codec.decode(key, value));
    }

    @Override
    public @Nullable V decode(byte[] key, LentBytes bytes, int offset, int length) {
      return map(codec.decode(key, bytes, offset, length), rows);
    }
  }
}
