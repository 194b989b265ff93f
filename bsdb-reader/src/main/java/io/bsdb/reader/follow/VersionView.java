package io.bsdb.reader.follow;

import io.bsdb.reader.ClosedReaderException;
import io.bsdb.reader.SnapshotReader;
import java.io.Closeable;
import java.io.IOException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An object that a user of a table derives from the version in use, such as the decoder of its
 * rows, together with that version, which the view holds open. {@link #current} renews it between
 * two records.
 *
 * <p>If nothing can be derived from a newer version, the view keeps the one before, logs this once,
 * and {@link #refusal} returns why. Used by one thread at a time, except for {@link #latest} and
 * {@link #refusal}.
 *
 * @param <T> what is derived
 */
public final class VersionView<T> implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(VersionView.class);

  private final TableReader table;
  private final Function<? super SnapshotReader, ? extends T> derivation;
  private @Nullable Held<T> held;
  private volatile @Nullable T latest;
  private volatile @Nullable Refusal refusal;

  private record Held<T>(TableReader.Lease lease, T derived) {}

  private record Refusal(String version, RuntimeException cause) {}

  /** Views the version in use, if there is one. */
  VersionView(TableReader table, Function<? super SnapshotReader, ? extends T> derivation) {
    this.table = table;
    this.derivation = derivation;
    this.held = table.isEmpty() ? null : derive(table.lease());
    this.latest = held == null ? null : held.derived;
  }

  private Held<T> derive(TableReader.Lease lease) {
    try {
      return new Held<>(lease, derivation.apply(lease.reader()));
    } catch (RuntimeException | Error e) {
      lease.tryClose();
      throw e;
    }
  }

  /**
   * Returns what was derived from the version in use, after changing over to it if another one has
   * taken its place; that costs one volatile read as long as none has. Once the table is closed,
   * the version stays.
   *
   * @return null while the table has no version
   * @throws RuntimeException from the derivation if there was no version before
   */
  public @Nullable T current() {
    Held<T> now = held;
    if (now == null ? !table.isEmpty() : !now.lease.isCurrent()) {
      now = renew(now);
    }
    return now == null ? null : now.derived;
  }

  private @Nullable Held<T> renew(@Nullable Held<T> before) {
    if (refusal() != null) {
      return before;
    }
    TableReader.Lease lease;
    try {
      lease = table.lease();
    } catch (ClosedReaderException closed) {
      return before;
    }
    Held<T> next;
    try {
      next = derive(lease);
    } catch (RuntimeException e) {
      if (before == null) {
        throw e;
      }
      refusal = new Refusal(lease.version(), e);
      LOG.error(
          "{}: version {} does not suit one of its users, who keeps version {}",
          table,
          lease.version(),
          before.lease.version(),
          e);
      return before;
    }
    held = next;
    latest = next.derived;
    if (before != null) {
      before.lease.tryClose();
    }
    return next;
  }

  /**
   * Returns what {@link #current} returned last, without changing over, also after {@link #close}.
   * Safe for many threads.
   */
  public @Nullable T latest() {
    return latest;
  }

  /** Returns the name of the version that is held; null for none. */
  public @Nullable String version() {
    Held<T> now = held;
    return now == null ? null : now.lease.version();
  }

  /**
   * Returns why nothing could be derived from the version in use, so that the view keeps another
   * one; null if it does not. Safe for many threads.
   */
  public @Nullable RuntimeException refusal() {
    Refusal last = refusal;
    return last != null && last.version.equals(table.version()) ? last.cause : null;
  }

  /** Releases the version. Idempotent. */
  @Override
  public void close() throws IOException {
    Held<T> last = held;
    held = null;
    if (last != null) {
      last.lease.close();
    }
  }
}
