package io.bsdb.kstreams;

import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Stores of global tables that begin with a snapshot, the base, and read only what its topic has
 * got since, instead of all of it:
 *
 * <pre>{@code
 * builder.globalTable(
 *     "customers",
 *     Consumed.with(Serdes.String(), customerSerde),
 *     Materialized.as(SnapshotStores.keyValue("customers").base(Path.of("/data/customers"))));
 * }</pre>
 *
 * <p>The base's source positions say how far it has the topic's records: {@link #endPositions}. Its
 * keys and values are the bytes of the topic's records.
 *
 * <p>At the first start, the base's files are linked into the application's state directory, or
 * copied if that is on another file system. From then on the store is a table of its own, and the
 * base is not looked at until the store's directory is deleted, as {@code KafkaStreams.cleanUp()}
 * does. A store that does not fit its topic any more is refused at the start: if the topic lies in
 * another cluster or was created anew, no longer has what comes next, or may have forgotten deletes
 * that came after the base.
 *
 * <p>Needs Kafka Streams 4.3 or newer, and {@code bsdb-live} on the class path.
 */
public final class SnapshotStores {
  private final String name;

  private SnapshotStores(String name) {
    this.name = name;
  }

  /**
   * Begins to describe a store.
   *
   * @param name of the store
   * @throws UnsupportedOperationException if Kafka Streams is too old
   */
  public static SnapshotStores keyValue(String name) {
    try {
      StateStore.class.getMethod("managesOffsets");
    } catch (NoSuchMethodException e) {
      throw new UnsupportedOperationException(
          "stores that begin with a snapshot need Kafka Streams 4.3 or newer: store=%s; upgrade, or join with SnapshotLookup"
              .formatted(name),
          e);
    }
    try {
      Class.forName("io.bsdb.live.WritableTable");
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(
          "stores that begin with a snapshot need bsdb-live: store=%s; add the dependency io.bsdb:bsdb-live"
              .formatted(name),
          e);
    }
    return new SnapshotStores(Objects.requireNonNull(name, "name"));
  }

  /**
   * Returns the supplier of the store.
   *
   * @param table the directory of the table whose version in service the store begins with
   */
  public KeyValueBytesStoreSupplier base(Path table) {
    Objects.requireNonNull(table, "table");
    return new KeyValueBytesStoreSupplier() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public KeyValueStore<Bytes, byte[]> get() {
        return new SnapshotStore(name, table);
      }

      @Override
      public String metricsScope() {
        return "bsdb";
      }
    };
  }

  /**
   * Returns where a topic ends now, as source positions. To be taken before the source of a base is
   * read, and given to its builder: {@link io.bsdb.writer.WriterOptions.Builder#sourcePositions}.
   */
  public static Map<String, String> endPositions(Admin admin, String topic)
      throws ExecutionException, TimeoutException, InterruptedException {
    return TopicState.of(admin, topic).endPositions().sourcePositions();
  }
}
