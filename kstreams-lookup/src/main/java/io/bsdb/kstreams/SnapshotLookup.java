package io.bsdb.kstreams;

import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KeyValueMapper;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.ValueJoiner;
import org.apache.kafka.streams.kstream.ValueJoinerWithKey;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.ProcessingContext;
import org.jspecify.annotations.Nullable;

/**
 * A table of snapshots as the right side of a Kafka Streams join: what a {@code GlobalKTable} does,
 * without a topic to replay and without a copy of the data on the heap or in RocksDB.
 *
 * <pre>{@code
 * try (var customers = SnapshotLookup.<String, Customer>builder("customers")
 *     .table(Path.of("/nvme/customers"))
 *     .serdes(Serdes.String(), customerSerde)
 *     .build()) {
 *   customers.leftJoin(orders, (key, order) -> order.customerId(), Enriched::of).to("enriched");
 *   // or: orders.processValues(customers.leftJoin((key, order) -> order.customerId(), Enriched::of));
 *   try (var streams = new KafkaStreams(builder.build(), config)) {
 *     ...
 *   }
 * }
 * }</pre>
 *
 * <p><b>Ownership.</b> One lookup serves any number of joins, tasks, threads and topologies of a
 * process. It belongs to whoever built it, who closes it after {@code KafkaStreams.close()}; a
 * rebalance neither opens nor closes files.
 *
 * <p><b>Versions.</b> A background thread follows the table. Each stream thread moves to a new
 * version between two records, so a record sees one version in all joins with this lookup that it
 * passes one after another. Threads move independently of each other and of commits. A version that
 * turns out damaged is refused, and the one before goes on serving.
 *
 * <p><b>Joins</b> treat nulls as joins with a {@code GlobalKTable} do. A record with a null value
 * is dropped. If the key selector returns null, or the table does not have the key, an inner join
 * drops the record and a left join calls the joiner with null. The key selector and the joiner may
 * see a null record key. Record key, timestamp and headers stay as they are.
 *
 * <p><b>Errors.</b> A failed read throws {@link java.io.UncheckedIOException} out of the processor:
 * never a missing value. Kafka Streams hands it to the {@code processing.exception.handler}.
 *
 * <p>Safe for many threads, as far as the serdes or mappers that were given are.
 *
 * @param <K> the table's keys
 * @param <V> the table's values
 */
public final class SnapshotLookup<K, V> implements AutoCloseable {
  private final LookupTable<K, V> table;
  private final AtomicInteger joins = new AtomicInteger();

  SnapshotLookup(LookupTable<K, V> table) {
    this.table = table;
  }

  /**
   * Begins to build a lookup.
   *
   * @param name names it in messages and metrics, and is the topic that its serdes get; two lookups
   *     of a process should not share one
   */
  public static <K, V> LookupBuilder<K, V> builder(String name) {
    return new LookupBuilder<>(name);
  }

  /**
   * Returns a left join for {@link KStream#processValues(FixedKeyProcessorSupplier, String...)}.
   *
   * @param keySelector gives the table's key for a record, or null for none
   * @param joiner makes the new value of the record's and the table's, which may be null
   */
  public <KS, VS, VR> FixedKeyProcessorSupplier<KS, VS, VR> leftJoin(
      KeyValueMapper<? super KS, ? super VS, ? extends K> keySelector,
      ValueJoiner<? super VS, ? super V, ? extends VR> joiner) {
    return supplier(JoinKind.LEFT, keySelector, (key, left, right) -> joiner.apply(left, right));
  }

  /** Returns a left join whose joiner also sees the record's key. */
  public <KS, VS, VR> FixedKeyProcessorSupplier<KS, VS, VR> leftJoin(
      KeyValueMapper<? super KS, ? super VS, ? extends K> keySelector,
      ValueJoinerWithKey<? super KS, ? super VS, ? super V, ? extends VR> joiner) {
    return supplier(JoinKind.LEFT, keySelector, joiner);
  }

  /**
   * Returns an inner join for {@link KStream#processValues(FixedKeyProcessorSupplier, String...)}.
   *
   * @param keySelector gives the table's key for a record, or null for none
   * @param joiner makes the new value of the record's and the table's
   */
  public <KS, VS, VR> FixedKeyProcessorSupplier<KS, VS, VR> join(
      KeyValueMapper<? super KS, ? super VS, ? extends K> keySelector,
      ValueJoiner<? super VS, ? super V, ? extends VR> joiner) {
    return supplier(JoinKind.INNER, keySelector, (key, left, right) -> joiner.apply(left, right));
  }

  /** Returns an inner join whose joiner also sees the record's key. */
  public <KS, VS, VR> FixedKeyProcessorSupplier<KS, VS, VR> join(
      KeyValueMapper<? super KS, ? super VS, ? extends K> keySelector,
      ValueJoinerWithKey<? super KS, ? super VS, ? super V, ? extends VR> joiner) {
    return supplier(JoinKind.INNER, keySelector, joiner);
  }

  private <KS, VS, VR> FixedKeyProcessorSupplier<KS, VS, VR> supplier(
      JoinKind kind,
      KeyValueMapper<? super KS, ? super VS, ? extends K> keySelector,
      ValueJoinerWithKey<? super KS, ? super VS, ? super V, ? extends VR> joiner) {
    return new LookupSupplier<>(table, joins.getAndIncrement(), kind, keySelector, joiner);
  }

  /** Returns the stream, left-joined with this table. */
  public <KS, VS, VR> KStream<KS, VR> leftJoin(
      KStream<KS, VS> stream,
      KeyValueMapper<? super KS, ? super VS, ? extends K> keySelector,
      ValueJoiner<? super VS, ? super V, ? extends VR> joiner) {
    return stream.processValues(this.<KS, VS, VR>leftJoin(keySelector, joiner));
  }

  /** Returns the stream, left-joined with this table by a processor of the given name. */
  public <KS, VS, VR> KStream<KS, VR> leftJoin(
      KStream<KS, VS> stream,
      KeyValueMapper<? super KS, ? super VS, ? extends K> keySelector,
      ValueJoiner<? super VS, ? super V, ? extends VR> joiner,
      Named named) {
    return stream.processValues(this.<KS, VS, VR>leftJoin(keySelector, joiner), named);
  }

  /** Returns the stream, left-joined with this table; the joiner also sees the record's key. */
  public <KS, VS, VR> KStream<KS, VR> leftJoin(
      KStream<KS, VS> stream,
      KeyValueMapper<? super KS, ? super VS, ? extends K> keySelector,
      ValueJoinerWithKey<? super KS, ? super VS, ? super V, ? extends VR> joiner) {
    return stream.processValues(this.<KS, VS, VR>leftJoin(keySelector, joiner));
  }

  /**
   * Returns the stream, left-joined with this table by a processor of the given name; the joiner
   * also sees the record's key.
   */
  public <KS, VS, VR> KStream<KS, VR> leftJoin(
      KStream<KS, VS> stream,
      KeyValueMapper<? super KS, ? super VS, ? extends K> keySelector,
      ValueJoinerWithKey<? super KS, ? super VS, ? super V, ? extends VR> joiner,
      Named named) {
    return stream.processValues(this.<KS, VS, VR>leftJoin(keySelector, joiner), named);
  }

  /** Returns the stream, joined with this table. */
  public <KS, VS, VR> KStream<KS, VR> join(
      KStream<KS, VS> stream,
      KeyValueMapper<? super KS, ? super VS, ? extends K> keySelector,
      ValueJoiner<? super VS, ? super V, ? extends VR> joiner) {
    return stream.processValues(this.<KS, VS, VR>join(keySelector, joiner));
  }

  /** Returns the stream, joined with this table by a processor of the given name. */
  public <KS, VS, VR> KStream<KS, VR> join(
      KStream<KS, VS> stream,
      KeyValueMapper<? super KS, ? super VS, ? extends K> keySelector,
      ValueJoiner<? super VS, ? super V, ? extends VR> joiner,
      Named named) {
    return stream.processValues(this.<KS, VS, VR>join(keySelector, joiner), named);
  }

  /** Returns the stream, joined with this table; the joiner also sees the record's key. */
  public <KS, VS, VR> KStream<KS, VR> join(
      KStream<KS, VS> stream,
      KeyValueMapper<? super KS, ? super VS, ? extends K> keySelector,
      ValueJoinerWithKey<? super KS, ? super VS, ? super V, ? extends VR> joiner) {
    return stream.processValues(this.<KS, VS, VR>join(keySelector, joiner));
  }

  /**
   * Returns the stream, joined with this table by a processor of the given name; the joiner also
   * sees the record's key.
   */
  public <KS, VS, VR> KStream<KS, VR> join(
      KStream<KS, VS> stream,
      KeyValueMapper<? super KS, ? super VS, ? extends K> keySelector,
      ValueJoinerWithKey<? super KS, ? super VS, ? super V, ? extends VR> joiner,
      Named named) {
    return stream.processValues(this.<KS, VS, VR>join(keySelector, joiner), named);
  }

  /**
   * Looks up one key in the version in service, from any thread. Not counted in the metrics, which
   * belong to tasks: processors use {@link #forTask}.
   *
   * @return null if the key is absent
   * @throws NullPointerException if the key is null
   * @throws java.io.UncheckedIOException if the read fails
   * @throws IllegalStateException if the lookup is closed
   */
  public @Nullable V get(K key) {
    try (VersionHold<K, V> hold = new VersionHold<>(table)) {
      return hold.get(key);
    }
  }

  /**
   * Holds the version in service, for several lookups from any thread that must see the same one.
   * Processors use {@link #forTask}, whose leases cost less and are counted in the task's metrics.
   *
   * @throws IllegalStateException if the lookup is closed
   */
  public Lease<K, V> lease() {
    return new VersionHold<>(table);
  }

  /**
   * Returns this lookup for a task of the Processor API. To be called in the processor's {@code
   * init}, and closed in its {@code close}.
   *
   * @param context which {@code init} was given
   * @throws IllegalStateException if the lookup is closed
   */
  public TaskLookup<K, V> forTask(ProcessingContext context) {
    return new TaskLookup<>(table, null, context);
  }

  /**
   * Looks for a newer version now, without waiting for the next refresh, and puts it in service.
   * Tasks move to it at their next record. Also tries again a version that was refused.
   *
   * @return whether there was one
   * @throws IOException if the newer version cannot be served; the one before goes on serving
   * @throws IllegalStateException if the lookup is closed
   */
  public boolean refresh() throws IOException {
    return table.refresh();
  }

  /**
   * Returns the manifest of the version in service; null if the lookup started empty and there is
   * none yet.
   */
  public @Nullable Manifest manifest() {
    return table.manifest();
  }

  LookupTable<K, V> table() {
    return table;
  }

  /**
   * Stops following the table. Its files are closed here, or when the last task that holds them
   * closes. Tasks that run keep the version they hold; new ones fail. May be called more than once.
   */
  @Override
  public void close() {
    table.close();
  }
}
