package io.bsdb.kstreams;

import io.bsdb.reader.follow.OnMissing;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.row.KeyWriter;
import io.bsdb.row.Row;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;

/**
 * Collects the options of a {@link SnapshotLookup}. The table is required, and either serdes or
 * rows.
 *
 * @param <K> the table's keys
 * @param <V> the table's values
 */
public final class LookupBuilder<K, V> {
  private final String name;
  private @Nullable Path table;
  private @Nullable Supplier<TableFormat<K, V>> format;
  private Match match = Match.EXACT;
  private ReaderOptions options = ReaderOptions.defaults();
  private Duration refreshEvery = TableReader.REFRESH_INTERVAL;
  private OnMissing onMissing = OnMissing.FAIL;
  private @Nullable String pinnedVersion;
  private TableReader.Listener listener = TableReader.Listener.NONE;
  private @Nullable String versionHeader;
  private @Nullable Path localDirectory;
  private long maxLocalBytes;

  LookupBuilder(String name) {
    if (name.isBlank()) {
      throw new IllegalArgumentException("name of a lookup is blank");
    }
    this.name = name;
  }

  /**
   * Sets the table's directory; with {@link #localDirectory} on any {@code java.nio.file} provider.
   */
  public LookupBuilder<K, V> table(Path directory) {
    this.table = directory;
    return this;
  }

  /**
   * Sets how the table's keys and values are written. All tasks share the two, so they must be safe
   * for many threads, as those that Kafka brings are; the caller closes them. A value that
   * deserializes to null counts as absent.
   *
   * <p>A table with a schema, or a new version of it, is refused if its primary key is of a type
   * that Kafka's own serializers of texts and numbers do not write. Of other serializers, and of
   * tables without a schema, nothing can be checked: with the wrong serde, all keys are absent
   * there.
   */
  public LookupBuilder<K, V> serdes(Serde<K> keys, Serde<V> values) {
    this.format = () -> new SerdeFormat<>(name, keys.serializer(), values.deserializer());
    return this;
  }

  /**
   * Reads the table, which must have a schema, as rows: such as {@code INSERT} in Flink SQL writes.
   * A key is the value of the only key column, in the class that {@link io.bsdb.row.RowCodec} lists
   * for its type. With {@link Match#FLOOR} in a table with a history it is that of the only column
   * beside the time, which is the time of the record.
   *
   * <p>A new version whose schema lacks a column of the first one, or has it with another type or
   * another key, is refused like a damaged one, and the one before goes on serving. So is one
   * without a history, if the first one has one and the match is {@link Match#FLOOR}.
   *
   * @param rows makes a value of a row; null counts as absent
   * @param columns that {@code rows} reads, none for all: it cannot read others, and in a table of
   *     {@link io.bsdb.writer.options.Layout#SYMBOLS} others are not decoded. Only these, and the
   *     key, bind new versions
   */
  public LookupBuilder<K, V> rows(
      Function<? super Row, ? extends @Nullable V> rows, String... columns) {
    return rows(null, rows, List.of(columns));
  }

  /**
   * Reads the table as rows, with a key of any columns: {@code rows((writer, place) ->
   * writer.writeString(place.country()).writeLong(place.id()), Place::of)}.
   *
   * @param keys writes the key's columns, in key order
   * @param rows makes a value of a row; null counts as absent
   * @param columns that {@code rows} reads, as of {@link #rows(Function, String...)}
   */
  public LookupBuilder<K, V> rows(
      BiConsumer<? super KeyWriter, ? super K> keys,
      Function<? super Row, ? extends @Nullable V> rows,
      String... columns) {
    return rows(keys, rows, List.of(columns));
  }

  private LookupBuilder<K, V> rows(
      @Nullable BiConsumer<? super KeyWriter, ? super K> keys,
      Function<? super Row, ? extends @Nullable V> rows,
      List<String> columns) {
    this.format = () -> new SchemaFormat<>(name, keys, rows, columns);
    return this;
  }

  /**
   * Sets which record a key finds; default: {@link Match#EXACT}. Versions that are not in key order
   * are refused with any other.
   */
  public LookupBuilder<K, V> match(Match value) {
    this.match = value;
    return this;
  }

  /** Sets how to read the files; default: mapped. */
  public LookupBuilder<K, V> options(ReaderOptions options) {
    this.options = options;
    return this;
  }

  /**
   * Sets how long to wait from one look for a newer version to the next, more than zero; 10 seconds
   * if not set.
   */
  public LookupBuilder<K, V> refreshEvery(Duration interval) {
    if (interval.isZero() || interval.isNegative()) {
      throw new IllegalArgumentException("refresh interval: expected>0 actual=" + interval);
    }
    this.refreshEvery = interval;
    return this;
  }

  /** Sets what to do if there is no table yet; default: {@link OnMissing#FAIL}. */
  public LookupBuilder<K, V> onMissing(OnMissing choice) {
    this.onMissing = choice;
    return this;
  }

  /** Serves this version always, instead of the one in service. */
  public LookupBuilder<K, V> pin(String version) {
    this.pinnedVersion = version;
    return this;
  }

  /**
   * Copies each version to a directory below this one, verified, and reads it there: for tables
   * that are not on a local disk. Copies are used again after a restart; instances on one machine
   * may share the directory. A version that would not fit beside the one in use is refused before
   * it is copied.
   *
   * @param maxBytes maximum size of copies of this table, in bytes, at least 1
   */
  public LookupBuilder<K, V> localDirectory(Path directory, long maxBytes) {
    this.localDirectory = directory;
    this.maxLocalBytes = maxBytes;
    return this;
  }

  /**
   * Sets the listener for each version put in service after the first, and each refused; on the
   * thread that refreshes, which should not be held up. Both are logged besides, failures that
   * repeat once a minute.
   */
  public LookupBuilder<K, V> listener(TableReader.Listener listener) {
    this.listener = listener;
    return this;
  }

  /**
   * Adds to every joined record a header with the version it was joined with, as UTF-8; it replaces
   * a header of that name. Records that were joined while there was no table have none.
   */
  public LookupBuilder<K, V> versionHeader(String headerName) {
    this.versionHeader = headerName;
    return this;
  }

  /**
   * Opens and verifies the table's current version, so that an application fails here rather than
   * after it has joined its group. Reads metadata and index, half a byte per record; all of it if
   * the reader's options ask for full verification or a copy in memory, or with {@link
   * #localDirectory}.
   *
   * @throws java.nio.file.NoSuchFileException if there is no such table or version, see {@link
   *     OnMissing}
   * @throws SchemaMismatchException if the table has not the rows that were asked for
   * @throws IOException if the version cannot be opened
   * @throws IllegalStateException if the table, or both serdes and rows, were not set
   */
  public SnapshotLookup<K, V> build() throws IOException {
    if (table == null) {
      throw new IllegalStateException("lookup '" + name + "': table(directory) is not set");
    }
    if (format == null) {
      throw new IllegalStateException(
          "lookup '" + name + "': neither serdes(keys, values) nor rows(...) is set");
    }
    TableReader.Builder reader =
        TableReader.builder(table).options(options).refreshEvery(refreshEvery).onMissing(onMissing);
    if (localDirectory != null) {
      reader.localDirectory(localDirectory).maxLocalBytes(maxLocalBytes);
    }
    if (pinnedVersion != null) {
      reader.pin(pinnedVersion);
    }
    return new SnapshotLookup<>(
        new LookupTable<>(
            name, table, reader, options.memory(), format.get(), match, listener, versionHeader));
  }
}
