package io.bsdb.flink.lookup;

import io.bsdb.format.Manifest;
import io.bsdb.reader.LiveSnapshot;
import io.bsdb.table.Table;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One reader per table and settings for all tasks of the process: the first user opens it, the last
 * one closes it. Flink loads this class once per job if the connector comes with the job, and once
 * per task manager if it lies in {@code lib/}.
 *
 * <p>Safe for many threads. A user who opens a table holds up only those who want the same one.
 */
public final class SharedSnapshots {
  private static final Logger LOG = LoggerFactory.getLogger(SharedSnapshots.class);
  private static final Map<Key, Shared> OPEN = new HashMap<>();

  private SharedSnapshots() {}

  private record Key(Path table, ReadSettings settings) {}

  /**
   * A use of a shared reader; ends with {@link #close}, which is idempotent. Used by one thread.
   */
  public static final class Use implements Closeable {
    private final Key key;
    private final Shared shared;
    private final LiveSnapshot live;
    private boolean closed;

    private Use(Key key, Shared shared, LiveSnapshot live) {
      this.key = key;
      this.shared = shared;
      this.live = live;
    }

    public LiveSnapshot live() {
      return live;
    }

    @Override
    public void close() throws IOException {
      if (!closed) {
        closed = true;
        release(key, shared);
      }
    }
  }

  private static final class Shared {
    /** Guarded by the map. */
    private int users;

    private @Nullable LiveSnapshot live;

    synchronized LiveSnapshot open(Key key) throws IOException {
      LiveSnapshot opened = live;
      if (opened == null) {
        opened = follow(key);
        live = opened;
        LOG.info("Opened table {}, version {}.", key.table, opened.version());
      }
      return opened;
    }

    synchronized @Nullable LiveSnapshot live() {
      return live;
    }

    synchronized void close() throws IOException {
      LiveSnapshot opened = live;
      live = null;
      if (opened != null) {
        opened.close();
      }
    }
  }

  private static LiveSnapshot follow(Key key) throws IOException {
    LiveSnapshot.Builder builder =
        LiveSnapshot.builder(key.table)
            .options(key.settings.readerOptions())
            .listener(new LoggingListener(key.table));
    String version = key.settings.version();
    if (version == null) {
      return builder.refreshEvery(key.settings.refreshInterval()).open();
    }
    List<String> versions = Table.at(key.table).versions();
    if (!versions.contains(version)) {
      throw new NoSuchFileException(
          key.table.toString(), null, "no version %s; there are %s".formatted(version, versions));
    }
    return builder.pin(version).open();
  }

  private record LoggingListener(Path table) implements LiveSnapshot.Listener {
    @Override
    public void onRefreshed(Manifest manifest) {
      LOG.info("Table {} now serves version {}.", table, manifest.version());
    }

    @Override
    public void onRefreshFailed(@Nullable String version, Exception cause) {
      LOG.warn(
          "Table {} keeps its version; {} cannot be opened.",
          table,
          version == null ? "CURRENT" : version,
          cause);
    }
  }

  /**
   * The reader of a table.
   *
   * @throws NoSuchFileException if nothing has been published there
   */
  public static Use use(Path table, ReadSettings settings) throws IOException {
    Key key = new Key(table, settings);
    Shared shared;
    synchronized (OPEN) {
      shared = OPEN.computeIfAbsent(key, absent -> new Shared());
      shared.users++;
    }
    try {
      return new Use(key, shared, shared.open(key));
    } catch (IOException | RuntimeException | Error e) {
      try {
        release(key, shared);
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  private static void release(Key key, Shared shared) throws IOException {
    synchronized (OPEN) {
      shared.users--;
      if (shared.users > 0) {
        return;
      }
      OPEN.remove(key);
    }
    shared.close();
  }

  /** How many readers are open in this process, or about to be. */
  static int openCount() {
    synchronized (OPEN) {
      return OPEN.size();
    }
  }

  /** The readers that are open. */
  static List<LiveSnapshot> open() {
    synchronized (OPEN) {
      return OPEN.values().stream().map(Shared::live).filter(Objects::nonNull).toList();
    }
  }
}
