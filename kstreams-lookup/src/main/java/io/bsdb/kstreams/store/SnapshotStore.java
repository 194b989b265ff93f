package io.bsdb.kstreams.store;

import io.bsdb.format.io.Closing;
import io.bsdb.live.WritableTable;
import io.bsdb.live.WriteBatch;
import io.bsdb.reader.ClosedReaderException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.processor.BatchingStateRestoreCallback;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;

/**
 * The store of a global table over a writable table. One thread writes, many read.
 *
 * <p>Changes are handed to the operating system as they come. A commit adds the offsets that follow
 * them, and has all of it on disk. So after a crash the table has all changes before its offsets
 * and perhaps some after them, which come again: as they are absolute, and all of them come, the
 * state is the same afterwards, and nothing has to be wiped, exactly-once or not.
 */
final class SnapshotStore implements KeyValueStore<Bytes, byte[]> {
  /** Bytes of keys and values, as they come from the topic, that are written together. */
  private static final int BATCH_BYTES = 1 << 20;

  private final String name;
  private final Path base;
  private final Map<Integer, Long> offsets = new ConcurrentHashMap<>();
  private volatile @Nullable StoreTable open;
  private volatile @Nullable Throwable failure;
  private volatile long committed = System.currentTimeMillis();
  private @Nullable StoreMetrics metrics;
  private boolean positioned;

  SnapshotStore(String name, Path base) {
    this.name = name;
    this.base = base;
  }

  @Override
  public String name() {
    return name;
  }

  /**
   * {@inheritDoc}
   *
   * <p>Not a {@link ProcessorStateException} if it fails: with exactly-once, Kafka Streams deletes
   * all global stores for that.
   *
   * @throws StreamsException if the store cannot be opened or does not fit its topic
   */
  @Override
  public void init(StateStoreContext context, StateStore root) {
    if (context.taskId().partition() >= 0) {
      throw new StreamsException(
          "store '%s' begins with a snapshot, which holds all partitions: it can be that of a global table only; use StreamsBuilder.globalTable"
              .formatted(name));
    }
    Path directory = context.stateDir().toPath().resolve("bsdb").resolve(name);
    Map<String, Object> settings =
        new StreamsConfig(context.appConfigs())
            .getAdminConfigs(context.applicationId() + "-" + name + "-base");
    try (Admin admin = Admin.create(settings)) {
      StoreTable table = StoreTable.open(name, base, directory, admin);
      open = table;
      offsets.putAll(table.positions().offsets());
    } catch (IOException | TimeoutException e) {
      throw new StreamsException(
          "store '%s' cannot be opened: directory=%s base=%s: %s"
              .formatted(name, directory, base, e.getMessage()),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StreamsException("interrupted while store '" + name + "' was opened", e);
    }
    try {
      context.register(root, (BatchingStateRestoreCallback) this::write);
      metrics = new StoreMetrics(name, open(), context.metrics(), () -> committed);
    } catch (RuntimeException | Error e) {
      unlockAfter(e);
      open = null;
      throw e;
    }
  }

  private StoreTable open() {
    StoreTable table = open;
    if (table == null) {
      throw new InvalidStateStoreException("store '" + name + "' is not open");
    }
    return table;
  }

  private WritableTable table() {
    StoreTable table = open();
    Throwable earlier = failure;
    if (earlier != null) {
      throw new InvalidStateStoreException(
          "store '" + name + "' has failed before: " + earlier.getMessage(), earlier);
    }
    return table.table();
  }

  private interface Call {
    byte @Nullable [] on(WritableTable table) throws IOException;
  }

  private byte @Nullable [] call(Call call) {
    try {
      return call.on(table());
    } catch (ClosedReaderException e) {
      throw closed(e);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private InvalidStateStoreException closed(ClosedReaderException e) {
    return new InvalidStateStoreException("store '" + name + "' is closed", e);
  }

  private ProcessorStateException failed(Exception e) {
    return new ProcessorStateException("store '" + name + "' failed: " + e.getMessage(), e);
  }

  /**
   * Writes to the table. If that fails, the table is given back, so that it can be opened again in
   * this process. The store stays open then, but finds nothing and takes nothing: Kafka Streams
   * writes what it has cached and commits once more before it closes a store, and leaves the store
   * open and the application running if that fails. What is not taken comes again, from the last
   * offsets that were committed.
   */
  private void change(Call call) {
    if (failure != null) {
      return;
    }
    try {
      call(call);
    } catch (IllegalArgumentException e) {
      ProcessorStateException refused =
          new ProcessorStateException(
              "store '%s' cannot hold a record of its topic: %s; materialize the table with Stores.persistentKeyValueStore, which takes such records"
                  .formatted(name, e.getMessage()),
              e);
      failure = refused;
      unlockAfter(refused);
      throw refused;
    } catch (RuntimeException | Error e) {
      failure = e;
      unlockAfter(e);
      throw e;
    }
  }

  private void unlockAfter(Throwable failed) {
    StoreTable table = open;
    if (table != null) {
      Closing.after(failed, table.table());
    }
  }

  private void write(Collection<KeyValue<byte[], byte[]>> records) {
    change(
        table -> {
          WriteBatch batch = new WriteBatch();
          long bytes = 0;
          for (KeyValue<byte[], byte[]> each : records) {
            bytes += add(batch, each.key, each.value);
            if (bytes >= BATCH_BYTES) {
              table.write(batch);
              batch.clear();
              bytes = 0;
            }
          }
          table.write(batch);
          return null;
        });
  }

  /**
   * Adds a change to a batch. An empty key counts as none, as no table can hold it; Kafka Streams
   * itself skips records whose key is null.
   *
   * @return how many bytes were added
   */
  private static int add(WriteBatch batch, byte[] key, byte @Nullable [] value) {
    if (key.length == 0) {
      return 0;
    }
    if (value == null) {
      batch.delete(key);
      return key.length;
    }
    batch.put(key, value);
    return key.length + value.length;
  }

  /**
   * {@inheritDoc}
   *
   * <p>Offsets that come before the store's own were asked for are not of this store: they are of
   * the one that the application had for this topic before, or there are none because another store
   * failed to start.
   */
  @Override
  public void commit(Map<TopicPartition, Long> changelogOffsets) {
    if (!positioned || failure != null) {
      return;
    }
    TopicPositions positions = open().positions();
    WriteBatch batch = new WriteBatch();
    Map<Integer, @Nullable Long> changed = new HashMap<>();
    if (changelogOffsets.isEmpty()) {
      positions.offsets().keySet().forEach(partition -> changed.put(partition, null));
    }
    changelogOffsets.forEach((partition, offset) -> changed.put(partition.partition(), offset));
    changed.forEach(
        (partition, offset) ->
            batch.position(positions.name(partition), offset == null ? "" : offset.toString()));
    change(
        table -> {
          table.write(batch);
          table.sync();
          return null;
        });
    changed.forEach((partition, offset) -> offsets.compute(partition, (key, old) -> offset));
    committed = System.currentTimeMillis();
  }

  @Override
  public @Nullable Long committedOffset(TopicPartition partition) {
    StoreTable table = open();
    String topic = table.positions().topic();
    if (!partition.topic().equals(topic)) {
      throw new ProcessorStateException(
          "store '%s' has another topic's records: expected topic=%s actual=%s base=%s; give it a base of its topic, and delete its directory %s"
              .formatted(name, partition.topic(), topic, base, table.directory()));
    }
    positioned = true;
    return offsets.get(partition.partition());
  }

  @Override
  public boolean persistent() {
    return true;
  }

  @Override
  @SuppressWarnings("deprecation") // to be left out once all stores manage their offsets
  public boolean managesOffsets() {
    return true;
  }

  @Override
  public boolean isOpen() {
    return open != null;
  }

  @Override
  public void close() {
    StoreTable table = open;
    open = null;
    StoreMetrics registered = metrics;
    metrics = null;
    if (registered != null) {
      registered.close();
    }
    if (table != null) {
      try {
        table.table().close();
      } catch (IOException e) {
        throw failed(e);
      }
    }
  }

  @Override
  public byte @Nullable [] get(Bytes key) {
    return call(table -> key.get().length == 0 ? null : table.get(key.get()));
  }

  @Override
  public void put(Bytes key, byte @Nullable [] value) {
    byte[] bytes = key.get();
    if (bytes.length == 0) {
      return; // as if there were no key
    }
    change(
        table -> {
          if (value == null) {
            table.delete(bytes);
          } else {
            table.put(bytes, value);
          }
          return null;
        });
  }

  @Override
  public byte @Nullable [] putIfAbsent(Bytes key, byte @Nullable [] value) {
    byte[] present = get(key);
    if (present == null) {
      put(key, value);
    }
    return present;
  }

  @Override
  public void putAll(List<KeyValue<Bytes, byte[]>> entries) {
    write(entries.stream().map(entry -> KeyValue.pair(entry.key.get(), entry.value)).toList());
  }

  @Override
  public byte @Nullable [] delete(Bytes key) {
    byte[] present = get(key);
    put(key, null);
    return present;
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> range(Bytes from, Bytes to) {
    throw hasNoOrder();
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> all() {
    throw hasNoOrder();
  }

  @Override
  public <S extends Serializer<P>, P> KeyValueIterator<Bytes, byte[]> prefixScan(
      P prefix, S serializer) {
    throw hasNoOrder();
  }

  private UnsupportedOperationException hasNoOrder() {
    return new UnsupportedOperationException(
        "store '%s' begins with a snapshot: it finds single keys, and has no ranges, prefixes or scans; materialize the table with Stores.persistentKeyValueStore for those"
            .formatted(name));
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> reverseRange(Bytes from, Bytes to) {
    throw hasNoOrder();
  }

  @Override
  public KeyValueIterator<Bytes, byte[]> reverseAll() {
    throw hasNoOrder();
  }

  /**
   * {@inheritDoc} Exact after partition files are written; keys that are added or deleted later
   * count at the next time.
   */
  @Override
  public long approximateNumEntries() {
    try {
      return open().approximateRecords();
    } catch (ClosedReaderException e) {
      throw closed(e);
    } catch (IOException e) {
      throw failed(e);
    }
  }
}
