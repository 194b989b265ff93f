package io.bsdb.kstreams;

import io.bsdb.reader.follow.TableReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Objects;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * A thread's hold on one version. Used by one thread at a time.
 *
 * <p>Joins call each other: forwarding a record processes it downstream before it returns. So the
 * hold counts how many joins the thread is inside of, and moves on only when there are none: a
 * record sees one version in all joins with this table that it passes one after another.
 */
final class VersionHold<K, V> implements Lease<K, V> {
  private final SnapshotSource source;
  private final TableFormat<K, V> format;
  private @Nullable Held<K, V> held;
  private final BitSet processors = new BitSet();
  private int depth;
  private boolean closed;
  int users; // guarded by ThreadHolds

  private record Held<K, V>(TableReader.Lease lease, TableFormat.Codec<K, V> codec) {
    /** For headers, which keep the array. */
    byte[] versionBytes() {
      return lease.version().getBytes(StandardCharsets.UTF_8);
    }
  }

  /** A hold on the version in service; on nothing while there is none. */
  VersionHold(SnapshotSource source, TableFormat<K, V> format) {
    this.source = source;
    this.format = format;
    this.held = take();
  }

  private @Nullable Held<K, V> take() {
    TableReader.Lease lease = source.lease();
    if (lease == null) {
      return null;
    }
    try {
      return new Held<>(lease, format.of(lease.reader().manifest()));
    } catch (RuntimeException e) {
      source.release(lease);
      throw e;
    }
  }

  /**
   * Begins a join. The outermost moves on to the version in service, which costs one volatile read
   * if that is the one held. Once the lookup is closed, what is held stays, be it nothing.
   */
  void enter() {
    if (depth == 0) {
      roll();
    }
    depth++;
  }

  /** Ends a join. */
  void exit() {
    depth--;
  }

  private void roll() {
    Held<K, V> before = held;
    if ((before != null && before.lease.isCurrent()) || source.isClosed()) {
      return;
    }
    held = take();
    if (before != null) {
      source.release(before.lease);
    }
  }

  /** Moves on to the version in service as {@link #enter} does, between records. */
  void rollIdle() {
    if (depth == 0) {
      roll();
    }
  }

  @Override
  public @Nullable V get(K key) {
    if (key == null) {
      throw new NullPointerException("lookup '" + source.settings().name() + "': the key is null");
    }
    if (closed) {
      throw new IllegalStateException(source.settings().describe() + ": the lease is closed");
    }
    Held<K, V> current = held;
    if (current == null) {
      return null;
    }
    try {
      byte[] keyBytes = current.codec.encode(key);
      byte[] value = keyBytes == null ? null : current.lease.reader().get(keyBytes);
      return keyBytes == null || value == null ? null : current.codec.decode(keyBytes, value);
    } catch (IOException e) {
      throw failed(current, e);
    } catch (UncheckedIOException e) {
      throw failed(current, Objects.requireNonNull(e.getCause()));
    }
  }

  private UncheckedIOException failed(Held<K, V> current, IOException cause) {
    return new UncheckedIOException(
        "%s version=%s: lookup failed: %s"
            .formatted(source.settings().describe(), current.lease.version(), cause.getMessage()),
        cause);
  }

  /** The least number that none of the thread's processors has, to be given back. */
  int takeNumber() {
    int number = processors.nextClearBit(0);
    processors.set(number);
    return number;
  }

  void giveNumber(int number) {
    processors.clear(number);
  }

  /**
   * Writes the version held into a header, of which there is one then; none while no version is
   * held.
   */
  void stamp(Headers headers, String header) {
    headers.remove(header);
    Held<K, V> current = held;
    if (current != null) {
      headers.add(header, current.versionBytes());
    }
  }

  @Override
  public @Nullable String version() {
    Held<K, V> current = held;
    return current == null ? null : current.lease.version();
  }

  @Override
  public void close() {
    closed = true;
    Held<K, V> current = held;
    held = null;
    if (current != null) {
      source.release(current.lease);
    }
  }
}
