package io.bsdb.kstreams;

import io.bsdb.reader.KeyRange;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.follow.VersionView;
import io.bsdb.row.KeyWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * A thread's hold on one version. Used by one thread at a time, and closed by any once that has
 * ended.
 *
 * <p>Joins call each other: forwarding a record processes it downstream before it returns. So the
 * hold counts how many joins the thread is inside of, and moves on only when there are none: a
 * record sees one version in all joins with this table that it passes one after another.
 *
 * <p>A version cannot be closed under an iterator, and would wait for one that its user forgot. So
 * the hold closes them when it may move on.
 */
final class VersionHold<K, V> implements Lease<K, V> {
  /** In place of a timestamp: records have none below 0. */
  static final long NO_TIME = -1;

  private final LookupTable<K, V> table;
  private final VersionView<LookupTable.Version<K, V>> view;
  private LookupTable.@Nullable Version<K, V> held;
  private final BitSet processors = new BitSet();
  private final List<LookupIterator<V>> iterators = new ArrayList<>();
  private int depth;
  private boolean closed;

  /** Metrics of the thread's tasks that have not been closed. */
  final List<TaskMetrics> metrics = new ArrayList<>();

  int users; // guarded by LookupTable

  /** Holds the version in service; nothing while there is none. */
  VersionHold(LookupTable<K, V> table) {
    this.table = table;
    this.view = table.view();
    this.held = view.current();
  }

  /**
   * Begins a join. The outermost moves on to the version in service, which costs one volatile read
   * if that is the one held. Once the lookup is closed, what is held stays, even if it is nothing.
   */
  void enter() {
    rollIdle();
    depth++;
  }

  /** Ends a join. */
  void exit() {
    depth--;
    if (depth == 0) {
      closeIterators();
    }
  }

  /** Moves on to the version in service as {@link #enter} does, between records. */
  void rollIdle() {
    if (depth == 0) {
      held = view.current();
    }
  }

  @Override
  public @Nullable V get(K key) {
    return get(key, NO_TIME);
  }

  /**
   * Looks up one key for a record.
   *
   * @param timestamp of the record; {@link #NO_TIME} for none
   */
  @Nullable V get(K key, long timestamp) {
    if (key == null) {
      throw new NullPointerException("lookup '" + table.name() + "': the key is null");
    }
    LookupTable.Version<K, V> current = requireHeld();
    if (current == null) {
      return null;
    }
    try {
      byte[] keyBytes = current.codec().encode(key, timestamp);
      return keyBytes == null ? null : table.find(current, keyBytes);
    } catch (IOException e) {
      throw failed(e);
    } catch (UncheckedIOException e) {
      throw failed(Objects.requireNonNull(e.getCause()));
    }
  }

  private LookupTable.@Nullable Version<K, V> requireHeld() {
    if (closed) {
      throw new IllegalStateException(table.describe() + ": the lease is closed");
    }
    return held;
  }

  @Override
  public LookupIterator<V> range(@Nullable K from, @Nullable K to) {
    return iterate(version -> table.range(version, from, to));
  }

  @Override
  public LookupIterator<V> reverseRange(@Nullable K from, @Nullable K to) {
    return iterate(version -> table.range(version, from, to).reversed());
  }

  @Override
  public LookupIterator<V> prefixScan(Consumer<? super KeyWriter> leadingColumns) {
    return iterate(version -> table.prefix(version, leadingColumns));
  }

  @Override
  public <P> LookupIterator<V> prefixScan(P prefix, Serializer<? super P> serializer) {
    return iterate(version -> table.prefix(version, prefix, serializer));
  }

  private LookupIterator<V> iterate(Function<LookupTable.Version<K, V>, KeyRange> range) {
    LookupTable.Version<K, V> current = requireHeld();
    if (current == null) {
      return new RangeIterator<>(this, null, (key, value) -> null);
    }
    try {
      RecordCursor records = current.reader().ordered().range(range.apply(current));
      LookupIterator<V> iterator = new RangeIterator<>(this, records, current.codec()::decode);
      iterators.add(iterator);
      return iterator;
    } catch (IOException e) {
      throw failed(e);
    }
  }

  boolean isOpen(LookupIterator<V> iterator) {
    return iterators.contains(iterator);
  }

  void ended(LookupIterator<V> iterator) {
    iterators.remove(iterator);
  }

  private void closeIterators() {
    for (LookupIterator<V> iterator : List.copyOf(iterators)) {
      iterator.close();
    }
  }

  /** Begins an error message. */
  String describe() {
    return table.describe() + " version=" + view.version();
  }

  UncheckedIOException failed(IOException cause) {
    return new UncheckedIOException(
        "%s: lookup failed: %s".formatted(describe(), cause.getMessage()), cause);
  }

  /** Returns the least number that none of the thread's processors has, to be given back. */
  int takeNumber() {
    int number = processors.nextClearBit(0);
    processors.set(number);
    return number;
  }

  void giveNumber(int number) {
    processors.clear(number);
  }

  /**
   * Writes the version held into a header, in place of any other; none while no version is held.
   */
  void stamp(Headers headers, String header) {
    headers.remove(header);
    String version = view.version();
    if (version != null) {
      headers.add(header, version.getBytes(StandardCharsets.UTF_8));
    }
  }

  @Override
  public @Nullable String version() {
    return view.version();
  }

  @Override
  public void close() {
    closed = true;
    metrics.forEach(TaskMetrics::close);
    closeIterators();
    held = null;
    table.close(view);
  }
}
