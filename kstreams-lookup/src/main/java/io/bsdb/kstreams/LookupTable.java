package io.bsdb.kstreams;

import io.bsdb.reader.KeyRange;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.follow.VersionView;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.row.KeyWriter;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.Manifest;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The table of a lookup, and the holds of the threads that run joins with it; a thread's joins
 * share one. Safe for many threads.
 */
final class LookupTable<K, V> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotLookup.class);

  private final String name;
  private final String description;
  private final @Nullable String versionHeader;
  private final TableFormat<K, V> format;
  private final Match match;
  private final TableReader live;
  private final MemoryBudget memory;
  private final Map<Thread, VersionHold<K, V>> holds = new HashMap<>();
  private volatile boolean closed;

  /** A version and how its keys and values are written. */
  record Version<K, V>(SnapshotReader reader, TableFormat.Codec<K, V> codec) {}

  /**
   * Opens the table and begins to follow it.
   *
   * @param path of the table, for messages
   * @param reader opens the table
   * @param memory that the reader may hold
   * @param match which record a key finds
   * @param listener notified of later versions, in use or refused
   * @param versionHeader of joined records; null for none
   */
  LookupTable(
      String name,
      Path path,
      TableReader.Builder reader,
      MemoryBudget memory,
      TableFormat<K, V> format,
      Match match,
      TableReader.Listener listener,
      @Nullable String versionHeader)
      throws IOException {
    this.name = name;
    this.description = "lookup '" + name + "': table=" + path;
    this.versionHeader = versionHeader;
    this.format = format;
    this.memory = memory;
    this.match = match;
    this.live =
        reader.check(this::accept).listener(new Announcer(description, format, listener)).open();
    if (live.isEmpty()) {
      LOG.info("{}: nothing published yet, starting empty", description);
    } else {
      format.serve(live.manifest());
    }
  }

  /** Passes on what became of a version; the reader logs failures. */
  private record Announcer(
      String description, TableFormat<?, ?> format, TableReader.Listener listener)
      implements TableReader.Listener {
    @Override
    public void onRefreshed(Manifest manifest) {
      format.serve(manifest);
      LOG.info("{}: version {} is in service", description, manifest.version());
      listener.onRefreshed(manifest);
    }

    @Override
    public void onRefreshFailed(@Nullable String version, Exception cause) {
      listener.onRefreshFailed(version, cause);
    }
  }

  private void accept(Manifest manifest) throws SchemaMismatchException {
    format.accept(manifest, match);
    match.accept(manifest, name);
  }

  /** Finds the value of a key in a version; null if it is absent. */
  @Nullable V find(Version<K, V> version, byte[] key) throws IOException {
    return match.find(version.reader, key, version.codec::decode);
  }

  /** Returns the range between two keys, both included; null: without a bound. */
  KeyRange range(Version<K, V> version, @Nullable K from, @Nullable K to) {
    KeyRange range = KeyRange.all();
    if (from != null) {
      range = range.from(bound(version, from));
    }
    return to == null ? range : range.through(bound(version, to));
  }

  private byte[] bound(Version<K, V> version, K key) {
    byte[] bytes = version.codec.encode(key);
    if (bytes == null) {
      throw new IllegalArgumentException(
          description + ": no table can hold the bound of a range: " + key);
    }
    return bytes;
  }

  /** Returns the range of the keys whose leading columns are written. */
  KeyRange prefix(Version<K, V> version, Consumer<? super KeyWriter> leadingColumns) {
    Schema schema = version.reader.manifest().schema();
    if (schema == null) {
      throw new IllegalStateException(
          description
              + ": the table has no schema, so its keys have no columns; use prefixScan(prefix,"
              + " serializer)");
    }
    KeyWriter writer = KeyWriter.of(schema);
    leadingColumns.accept(writer);
    return KeyRange.prefix(writer.toPrefix());
  }

  /** Returns the range of the keys that begin with what a serializer writes. */
  <P> KeyRange prefix(Version<K, V> version, P prefix, Serializer<? super P> serializer) {
    Schema schema = version.reader.manifest().schema();
    if (schema != null && !KafkaKeys.canBeKeys(serializer, schema)) {
      throw new IllegalArgumentException(
          "%s: a prefix that %s writes needs a key of one such column: the primary key is %s; use prefixScan(key -> key.write...)"
              .formatted(description, serializer.getClass().getSimpleName(), schema.keyColumns()));
    }
    return KeyRange.prefix(serializer.serialize(name, prefix));
  }

  /**
   * Looks for a newer version and puts it in service.
   *
   * @return whether there was one
   */
  boolean refresh() throws IOException {
    requireOpen();
    return live.refresh();
  }

  /** Views the version in use, from version to version. */
  VersionView<Version<K, V>> view() {
    requireOpen();
    return live.view(
        reader -> new Version<>(format.selecting(reader), format.of(reader.manifest(), match)));
  }

  /** Returns the calling thread's hold, to be given to {@link #release}. */
  synchronized VersionHold<K, V> acquire() {
    closeHoldsOfEndedThreads();
    VersionHold<K, V> hold =
        holds.computeIfAbsent(Thread.currentThread(), thread -> new VersionHold<>(this));
    hold.users++;
    return hold;
  }

  synchronized void release(VersionHold<K, V> hold) {
    hold.users--;
    if (hold.users == 0) {
      holds.values().remove(hold);
      hold.close();
    }
  }

  /**
   * Closes holds that nobody releases any more, and removes their tasks' metrics: Kafka Streams
   * ends the thread of a task in which a processor could not be initialised, and does not close the
   * others.
   */
  private synchronized void closeHoldsOfEndedThreads() {
    for (Thread thread : List.copyOf(holds.keySet())) {
      if (!thread.isAlive()) {
        Objects.requireNonNull(holds.remove(thread)).close();
      }
    }
  }

  /** Returns how many threads run joins. */
  synchronized int holds() {
    return holds.size();
  }

  long failedRefreshes() {
    return live.failedRefreshes();
  }

  MemoryBudget memory() {
    return memory;
  }

  String name() {
    return name;
  }

  /** Begins an error message. */
  String describe() {
    return description;
  }

  @Nullable String versionHeader() {
    return versionHeader;
  }

  /** Returns what describes the version in service; null while there is none. */
  @Nullable Manifest manifest() {
    return live.isEmpty() ? null : live.manifest();
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("lookup '" + name + "' is closed");
    }
  }

  /** Holds of threads that live stay good and keep their versions open. */
  @Override
  public void close() {
    closed = true;
    try {
      closeHoldsOfEndedThreads();
    } finally {
      close(live);
    }
  }

  void close(Closeable last) {
    try {
      last.close();
    } catch (IOException e) {
      throw new UncheckedIOException(
          description + ": a version could not be closed: " + e.getMessage(), e);
    }
  }
}
