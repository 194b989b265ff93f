package io.bsdb.kstreams;

import io.bsdb.live.WritableTable;
import io.bsdb.live.WriteBatch;
import io.bsdb.reader.ClosedReaderException;
import java.io.IOException;
import java.io.UncheckedIOException;
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
 * and perhaps some behind them, which come again: as they are absolute, and all of them come, the
 * state is the same afterwards, and nothing has to be wiped, exactly-once or not.
 */
final class SnapshotStore implements KeyValueStore<Bytes, byte[]> {
  /** Bytes of keys and values, as they come from the topic, that are written together. */
  private static final int BATCH_BYTES = 1 << 20;

  private final String name;
  private final Path base;
  private final Map<Integer, Long> offsets = new ConcurrentHashMap<>();
  private volatile @Nullable StoreTable open;
  private boolean positioned;

  SnapshotStore(String name, Path base) {
    this.name = name;
    this.base = base;
  }

  @Override
  public String name() {
    return name;
  }

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
    context.register(root, (BatchingStateRestoreCallback) this::restore);
  }

  private StoreTable open() {
    StoreTable table = open;
    if (table == null) {
      throw new InvalidStateStoreException("store '" + name + "' is not open");
    }
    return table;
  }

  private interface Call {
    byte @Nullable [] on(WritableTable table) throws IOException;
  }

  private byte @Nullable [] call(Call call) {
    try {
      return call.on(open().table());
    } catch (ClosedReaderException e) {
      throw new InvalidStateStoreException("store '" + name + "' is closed", e);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private UncheckedIOException failed(IOException e) {
    return new UncheckedIOException("store '" + name + "' failed: " + e.getMessage(), e);
  }

  private void write(WriteBatch batch) {
    call(
        table -> {
          table.write(batch);
          return null;
        });
    batch.clear();
  }

  /** Takes a part of the topic in. */
  private void restore(Collection<KeyValue<byte[], byte[]>> records) {
    WriteBatch batch = new WriteBatch();
    long bytes = 0;
    for (KeyValue<byte[], byte[]> each : records) {
      add(batch, each.key, each.value);
      bytes += each.key.length + (each.value == null ? 0 : each.value.length);
      if (bytes >= BATCH_BYTES) {
        write(batch);
        bytes = 0;
      }
    }
    write(batch);
  }

  private static void add(WriteBatch batch, byte[] key, byte @Nullable [] value) {
    if (value == null) {
      batch.delete(key);
    } else {
      batch.put(key, value);
    }
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
    if (!positioned) {
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
    call(
        table -> {
          table.write(batch);
          table.sync();
          return null;
        });
    changed.forEach((partition, offset) -> offsets.compute(partition, (key, old) -> offset));
  }

  @Override
  public @Nullable Long committedOffset(TopicPartition partition) {
    StoreTable table = open();
    String topic = table.positions().topic();
    if (!partition.topic().equals(topic)) {
      throw new StreamsException(
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
    return call(table -> table.get(key.get()));
  }

  @Override
  public void put(Bytes key, byte @Nullable [] value) {
    call(
        table -> {
          if (value == null) {
            table.delete(key.get());
          } else {
            table.put(key.get(), value);
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
    WriteBatch batch = new WriteBatch();
    entries.forEach(entry -> add(batch, entry.key.get(), entry.value));
    write(batch);
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

  /** {@inheritDoc} Keys that have changed since partition files were last written count twice. */
  @Override
  public long approximateNumEntries() {
    try {
      return open().approximateRecords();
    } catch (IOException e) {
      throw failed(e);
    }
  }
}
