package io.bsdb.kstreams.store;

import java.io.IOException;
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
 * <p>The base's source positions are how far it has the topic's records. Its keys and values are
 * the bytes of the topic's records. {@link #readTopic} makes it from the topic; with {@link
 * #endPositions} it can be built from another source.
 *
 * <p>At the first start, the base's files are linked into the application's state directory, or
 * copied if that is on another file system. From then on the store is a table of its own, and the
 * base is not looked at until the store's directory is deleted, as {@code KafkaStreams.cleanUp()}
 * does. A store that does not fit its topic any more is refused at the start: if the topic lies in
 * another cluster or was created again, no longer has what comes next, or may have forgotten
 * deletes that came after the base.
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
   * Brings a base up to the end of its topic, and builds it if there is none: for a job that runs
   * from time to time, more often than the topic's {@code delete.retention.ms}.
   *
   * <p>Reads what the base lacks, or the whole topic if something that it lacks may be gone:
   * records that were deleted, deletes that a compacted topic has forgotten, or the topic itself,
   * if it was created again. Reads committed records only, to the last stable offset at the
   * beginning of the call. Records without a key, or with an empty one, are skipped. A partition
   * that was added is read from its start.
   *
   * <p>The records come into service together, durably. If the call fails before that, the base
   * remains as it was; afterwards it may fail to fold changes or to delete old versions. A first
   * read that was interrupted continues at the next call. One call at a time for a base; the base
   * is for this alone, and on a local disk. While the whole topic is read, it has copies of the
   * records in a directory next to the base, {@code <base>~reading}.
   *
   * @param settings of Kafka's clients: {@code bootstrap.servers} and what else they need
   * @param base directory of the base
   * @return what was done
   * @throws IllegalArgumentException if the directory has a table that is not a base of this topic
   * @throws IOException also if the topic forgets deletes faster than it can be read
   * @throws ExecutionException if the cluster does not answer what is asked of the topic
   * @throws TimeoutException if it does not answer in time
   */
  public static TopicRead readTopic(Map<String, ?> settings, String topic, Path base)
      throws IOException, ExecutionException, TimeoutException, InterruptedException {
    return TopicReader.read(settings, topic, base);
  }

  /**
   * Returns where the committed records of a topic end now, as source positions. To be taken before
   * the source of a base is read, and given to its builder: {@link
   * io.bsdb.writer.options.WriterOptions.Builder#sourcePositions}. One of them is the time, from
   * which the age of the base counts.
   */
  public static Map<String, String> endPositions(Admin admin, String topic)
      throws ExecutionException, TimeoutException, InterruptedException {
    return TopicState.of(admin, topic).endPositions().sourcePositions();
  }
}
