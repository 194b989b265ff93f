package io.bsdb.kstreams.testing;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.bsdb.kstreams.LookupBuilder;
import io.bsdb.kstreams.SnapshotLookup;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.options.WriterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A real table with a schema in a temporary directory, such as Flink SQL writes; in key order if
 * the schema's keys are {@link KeyEncoding#ORDERED}.
 *
 * <pre>{@code
 * var schema = Schema.builder().column("id", "STRING").column("name", "STRING").primaryKey("id").build();
 * try (var table = TemporaryRows.create(schema)) {
 *   table.publish(List.of(Map.of("id", "c1", "name", "Ada")));
 *   try (var customers = table.<String, String>lookup("customers").rows(row -> row.string("name")).build()) {
 *     ...
 *   }
 * }
 * }</pre>
 *
 * <p>Used by one thread.
 */
public final class TemporaryRows implements AutoCloseable {
  private final RowCodec codec;
  private final TableFiles files;

  private TemporaryRows(RowCodec codec, TableFiles files) {
    this.codec = codec;
    this.files = files;
  }

  /** Returns a table without a snapshot, in a new directory that {@link #close} deletes. */
  public static TemporaryRows create(Schema schema) {
    return new TemporaryRows(RowCodec.of(schema), TableFiles.create(options(schema)));
  }

  private static WriterOptions options(Schema schema) {
    RecordOrder order =
        schema.keyEncoding() == KeyEncoding.ORDERED ? RecordOrder.KEY : RecordOrder.HASH;
    return WriterOptions.builder().order(order).schema(schema).build();
  }

  /**
   * Returns the same table, to publish snapshots of another schema. Either of the two deletes it.
   */
  public TemporaryRows withSchema(Schema schema) {
    return new TemporaryRows(RowCodec.of(schema), files.withOptions(options(schema)));
  }

  /**
   * Begins to build a lookup in this table that refreshes only on request. How to read its rows
   * remains to be set.
   */
  public <K, V> LookupBuilder<K, V> lookup(String name) {
    return SnapshotLookup.<K, V>builder(name)
        .table(files.directory())
        .refreshEvery(Duration.ofDays(1));
  }

  /** Returns where the table is. */
  public Path directory() {
    return files.directory();
  }

  /**
   * Puts a snapshot of these rows in service, each from column name to value.
   *
   * @return its version
   */
  @CanIgnoreReturnValue
  public String publish(List<? extends Map<String, ? extends @Nullable Object>> rows) {
    return files.publish(
        writer -> {
          for (Map<String, ? extends @Nullable Object> row : rows) {
            writer.add(codec.encodeKey(row), codec.encodeValue(row));
          }
        });
  }

  /** Deletes the table. Close lookups first. */
  @Override
  public void close() {
    files.delete();
  }
}
