package io.bsdb.kstreams;

import io.bsdb.row.KeyWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ProcessingContext;
import org.jspecify.annotations.Nullable;

/**
 * A lookup as one task uses it, between a processor's {@code init} and {@code close}: with metrics
 * of the task, and moving to a new version only between records. Made by {@link
 * SnapshotLookup#forTask}.
 *
 * <pre>{@code
 * public void init(ProcessorContext<String, Enriched> context) {
 *   this.context = context;
 *   this.customers = lookup.forTask(context);
 * }
 *
 * public void process(Record<String, Order> order) {
 *   try (var lease = customers.lease()) {     // both of one version
 *     var buyer = lease.get(order.value().buyer());
 *     var seller = lease.get(order.value().seller());
 *     ...
 *   }
 * }
 *
 * public void close() {
 *   customers.close();
 * }
 * }</pre>
 *
 * <p>Used by the task's thread. A record that also passes joins with the same lookup sees one
 * version in all of them, as far as the one forwards to the other.
 *
 * @param <K> the table's keys
 * @param <V> the table's values
 */
public final class TaskLookup<K, V> implements AutoCloseable {
  /**
   * Interval at which a task without records looks for a newer version, so as to release the old
   * one.
   */
  private static final Duration IDLE_ROLL_INTERVAL = Duration.ofSeconds(1);

  private static final int NO_NUMBER = -1;

  private final LookupTable<K, V> table;
  private final VersionHold<K, V> hold;
  private final int number;
  private final TaskMetrics metrics;
  private final Cancellable idleRoll;
  private int leases;
  private boolean closed;

  /**
   * Holds a version for the calling thread's task. Acquires what {@link #close} releases; nothing
   * if it fails, as close() is not called then.
   *
   * @param join number of the join; null for a processor
   */
  TaskLookup(LookupTable<K, V> table, @Nullable Integer join, ProcessingContext context) {
    this.table = table;
    this.hold = table.acquire();
    this.number = join == null ? hold.takeNumber() : NO_NUMBER;
    TaskMetrics registered = null;
    try {
      registered = new TaskMetrics(table, join == null ? "p" + number : join.toString(), context);
      this.metrics = registered;
      this.idleRoll =
          context.schedule(
              IDLE_ROLL_INTERVAL, PunctuationType.WALL_CLOCK_TIME, time -> hold.rollIdle());
      hold.metrics.add(registered);
    } catch (RuntimeException e) {
      if (registered != null) {
        registered.close();
      }
      release();
      throw e;
    }
  }

  /**
   * Looks up one key, and counts a hit or a miss.
   *
   * @return null if the key is absent
   * @throws NullPointerException if the key is null
   * @throws java.io.UncheckedIOException if the read fails
   */
  public @Nullable V get(K key) {
    enter();
    try {
      return lookUp(key, VersionHold.NO_TIME);
    } finally {
      exit();
    }
  }

  /**
   * Holds the version in service for several lookups, each of which counts a hit or a miss. Costs
   * one volatile read. Leases may be nested, and see one version then. {@link #close} ends those
   * that are left.
   */
  public Lease<K, V> lease() {
    enter();
    leases++;
    return new Entered();
  }

  private final class Entered implements Lease<K, V> {
    private final List<LookupIterator<V>> iterators = new ArrayList<>();
    private boolean released;

    @Override
    public @Nullable V get(K key) {
      requireHeld();
      return lookUp(key, VersionHold.NO_TIME);
    }

    @Override
    public LookupIterator<V> range(@Nullable K from, @Nullable K to) {
      return closedWithThis(requireHeld().range(from, to));
    }

    @Override
    public LookupIterator<V> reverseRange(@Nullable K from, @Nullable K to) {
      return closedWithThis(requireHeld().reverseRange(from, to));
    }

    @Override
    public LookupIterator<V> prefixScan(Consumer<? super KeyWriter> leadingColumns) {
      return closedWithThis(requireHeld().prefixScan(leadingColumns));
    }

    @Override
    public <P> LookupIterator<V> prefixScan(P prefix, Serializer<? super P> serializer) {
      return closedWithThis(requireHeld().prefixScan(prefix, serializer));
    }

    private LookupIterator<V> closedWithThis(LookupIterator<V> iterator) {
      iterators.removeIf(each -> !hold.isOpen(each));
      iterators.add(iterator);
      return iterator;
    }

    private VersionHold<K, V> requireHeld() {
      if (released || closed) {
        throw new IllegalStateException(
            "lookup in version " + hold.version() + ": the lease is closed");
      }
      return hold;
    }

    @Override
    public @Nullable String version() {
      return hold.version();
    }

    @Override
    public void close() {
      if (!released && !closed) {
        iterators.forEach(LookupIterator::close);
        leases--;
        exit();
      }
      released = true;
    }
  }

  void enter() {
    if (closed) {
      throw new IllegalStateException("the lookup of this task is closed");
    }
    hold.enter();
  }

  void exit() {
    hold.exit();
  }

  /**
   * Looks a key up. Called between {@link #enter} and {@link #exit}.
   *
   * @param timestamp as in {@link VersionHold#get(Object, long)}
   */
  @Nullable V lookUp(K key, long timestamp) {
    V value;
    if (metrics.isTimed()) {
      long start = System.nanoTime();
      value = hold.get(key, timestamp);
      metrics.took(System.nanoTime() - start);
    } else {
      value = hold.get(key, timestamp);
    }
    if (value == null) {
      metrics.missed();
    } else {
      metrics.hit();
    }
    return value;
  }

  void countDropped() {
    metrics.dropped();
  }

  void stamp(Headers headers, String header) {
    hold.stamp(headers, header);
  }

  /**
   * Lets the version go and removes the metrics. Call it in the processor's close(). Idempotent.
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (; leases > 0; leases--) {
      exit(); // else other tasks of the thread would stay with the version
    }
    hold.metrics.remove(metrics);
    try (metrics) {
      idleRoll.cancel();
    } finally {
      release();
    }
  }

  private void release() {
    if (number != NO_NUMBER) {
      hold.giveNumber(number);
    }
    table.release(hold);
  }
}
