package io.bsdb.kstreams;

import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.row.KeyWriter;
import io.bsdb.row.Row;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.table.Manifest;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Keys and values as rows of the table's schema. */
final class SchemaFormat<K, V> implements TableFormat<K, V> {
  private final String lookup;
  private final @Nullable BiConsumer<? super KeyWriter, ? super K> keys;
  private final Function<? super Row, ? extends @Nullable V> rows;
  private volatile @Nullable Schema first;
  private volatile @Nullable RowCodec latest;

  /**
   * @param keys writes a key; null if a key is the value of the only key column
   * @param rows makes a value of a row
   */
  SchemaFormat(
      String lookup,
      @Nullable BiConsumer<? super KeyWriter, ? super K> keys,
      Function<? super Row, ? extends @Nullable V> rows) {
    this.lookup = lookup;
    this.keys = keys;
    this.rows = rows;
  }

  @Override
  public void accept(Manifest manifest) throws SchemaMismatchException {
    Schema schema = manifest.schema();
    if (schema == null) {
      throw mismatch(
          manifest, "the table has no schema, so it has no rows; use serdes(keys, values)");
    }
    if (keys == null && schema.primaryKey().size() > 1) {
      throw mismatch(
          manifest,
          "the key has the columns "
              + schema.primaryKey()
              + "; use rows(keys, rows), which writes each");
    }
    Schema before = first;
    if (before != null) {
      compare(before, schema, manifest);
    }
  }

  /**
   * Remembers the schema of a version in service: one that could not be opened does not bind later
   * ones.
   */
  @Override
  public void serve(Manifest manifest) {
    if (first == null) {
      first = manifest.schema();
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
  public Codec<K, V> of(Manifest manifest) {
    Schema schema = Objects.requireNonNull(manifest.schema(), "the schema of an accepted version");
    RowCodec codec = latest;
    if (codec == null || !codec.schema().equals(schema)) {
      codec = RowCodec.of(schema);
      latest = codec;
    }
    return keys == null
        ? new SingleColumn<>(codec, KeyWriter.of(schema), rows)
        : new Written<>(codec, KeyWriter.of(schema), keys, rows);
  }

  /** Keys that are the value of the only key column. */
  private record SingleColumn<K, V>(
      RowCodec codec, KeyWriter writer, Function<? super Row, ? extends @Nullable V> rows)
      implements Codec<K, V> {
    @Override
    public byte @Nullable [] encode(K key) {
      if (key instanceof String text) {
        writer.reset().writeString(text);
      } else if (key instanceof byte[] bytes) {
        writer.reset().writeBytes(bytes);
      } else {
        return codec.encodeKey(key);
      }
      return writer.fits() ? writer.toBytes() : null;
    }

    @Override
    public @Nullable V decode(byte[] key, byte[] value) {
      return rows.apply(codec.decode(key, value));
    }
  }

  /** Keys that the user writes, column by column. */
  private record Written<K, V>(
      RowCodec codec,
      KeyWriter writer,
      BiConsumer<? super KeyWriter, ? super K> keys,
      Function<? super Row, ? extends @Nullable V> rows)
      implements Codec<K, V> {
    @Override
    public byte @Nullable [] encode(K key) {
      keys.accept(writer.reset(), key);
      try {
        return writer.toBytes();
      } catch (IllegalArgumentException noTableHoldsIt) { // missing columns throw something else
        return null;
      }
    }

    @Override
    public @Nullable V decode(byte[] key, byte[] value) {
      return rows.apply(codec.decode(key, value));
    }
  }
}
