package io.bsdb.kstreams.testing;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.bsdb.kstreams.LookupBuilder;
import io.bsdb.kstreams.SnapshotLookup;
import io.bsdb.writer.options.WriterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.serialization.Serde;

/**
 * A real table of real snapshots in a temporary directory, made of maps.
 *
 * <pre>{@code
 * try (var table = TemporaryTable.create(Serdes.String(), Serdes.String())) {
 *   table.publish(Map.of("c1", "Ada"));
 *   try (var customers = table.lookup("customers").build();
 *       var driver = new TopologyTestDriver(topology(customers))) {
 *     ...                                  // joined with Ada
 *     table.publish(Map.of("c1", "Grace"));
 *     customers.refresh();                 // a swap, now; the next record is joined with Grace
 *   }
 * }
 * }</pre>
 *
 * <p>Used by one thread.
 *
 * @param <K> the table's keys
 * @param <V> the table's values
 */
public final class TemporaryTable<K, V> implements AutoCloseable {
  private final Serde<K> keys;
  private final Serde<V> values;
  private final TableFiles files;

  private TemporaryTable(Serde<K> keys, Serde<V> values) {
    this.keys = keys;
    this.values = values;
    this.files = TableFiles.create(WriterOptions.defaults());
  }

  /** Returns a table without a snapshot, in a new directory that {@link #close} deletes. */
  public static <K, V> TemporaryTable<K, V> create(Serde<K> keys, Serde<V> values) {
    return new TemporaryTable<>(keys, values);
  }

  /** Begins to build a lookup in this table that refreshes only on request. */
  public LookupBuilder<K, V> lookup(String name) {
    return SnapshotLookup.<K, V>builder(name)
        .table(files.directory())
        .serdes(keys, values)
        .refreshEvery(Duration.ofDays(1));
  }

  /** Returns where the table is. */
  public Path directory() {
    return files.directory();
  }

  /**
   * Puts a snapshot of these records in service.
   *
   * @return its version
   */
  @CanIgnoreReturnValue
  public String publish(Map<? extends K, ? extends V> records) {
    return files.publish(
        writer -> {
          for (Map.Entry<? extends K, ? extends V> entry : records.entrySet()) {
            byte[] key = keys.serializer().serialize("", entry.getKey());
            writer.add(key, values.serializer().serialize("", entry.getValue()));
          }
        });
  }

  /** Deletes the table. Close lookups first. */
  @Override
  public void close() {
    files.delete();
  }
}
