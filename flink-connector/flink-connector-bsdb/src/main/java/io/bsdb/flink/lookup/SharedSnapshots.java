package io.bsdb.flink.lookup;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.format.io.Closing;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.table.Table;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One reader per table, settings and share of the keys for all tasks of the process: the first user
 * opens it, the last one closes it. Flink loads this class once per job if the connector comes with
 * the job, and once per task manager if it lies in {@code lib/}.
 *
 * <p>Safe for many threads. A user who opens a table holds up only those who want the same one.
 */
public final class SharedSnapshots {
  private static final Logger LOG = LoggerFactory.getLogger(SharedSnapshots.class);
  private static final Map<Key, Shared> OPEN = new HashMap<>();

  private SharedSnapshots() {}

  /**
   * @param table where it lies
   * @param settings name a version unless newer ones are looked for: jobs that start at different
   *     times read different ones
   */
  private record Key(String table, ReadSettings settings, KeyShare share) {}

  /**
   * A use of a shared reader; ends with {@link #close}, which is idempotent. Used by one thread.
   */
  public static final class Use implements Closeable {
    private final Key key;
    private final Shared shared;
    private final TableReader live;
    private boolean closed;

    private Use(Key key, Shared shared, TableReader live) {
      this.key = key;
      this.shared = shared;
      this.live = live;
    }

    public TableReader live() {
      return live;
    }

    /** Returns the share of the keys that the reader was opened for. */
    KeyShare share() {
      return key.share;
    }

    /** Returns what the reader has loaded. */
    Loads loads() {
      return shared.loads;
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
    private final Loads loads;

    /** Guarded by the map. */
    private int users;

    private final ReentrantLock opening = new ReentrantLock();
    private volatile @Nullable TableReader live;

    Shared(Loads loads) {
      this.loads = loads;
    }

    /**
     * Opens the reader. While another user opens it, which may take as long as a copy, a task can
     * be cancelled.
     */
    TableReader open(DeclaredTable table, Key key) throws IOException {
      try {
        opening.lockInterruptibly();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        InterruptedIOException interrupted =
            new InterruptedIOException(
                "interrupted while another task was opening the table " + key.table);
        interrupted.initCause(e);
        throw interrupted;
      }
      try {
        TableReader opened = live;
        if (opened == null) {
          opened = follow(table, key, loads);
          loads.finished(opened.manifest());
          live = opened;
          LOG.info(
              "Opened table {}, version {}, share {} of the keys.",
              key.table,
              opened.version(),
              key.share);
        }
        return opened;
      } finally {
        opening.unlock();
      }
    }

    @Nullable TableReader live() {
      return live;
    }

    /** Closes the reader, for the last user. */
    void close() throws IOException {
      TableReader opened = live;
      live = null;
      if (opened != null) {
        opened.close();
      }
    }
  }

  private static TableReader follow(DeclaredTable table, Key key, Loads loads) throws IOException {
    ReadSettings settings = key.settings;
    TableReader.Builder builder =
        (settings.readsInPlace(table)
                ? TableReader.builder(table.directory())
                : TableReader.builder(table.table())
                    .localDirectory(settings.localDirectory(key.table))
                    .maxLocalBytes(settings.maxLocalBytes()))
            .options(settings.readerOptions(key.share))
            .check(loads)
            .listener(loads);
    String version = settings.requireVersion(table.table());
    return version == null
        ? builder.refreshEvery(settings.refreshInterval()).open()
        : builder.pin(version).open();
  }

  /**
   * Returns the reader of a share of a table's keys.
   *
   * @throws NoSuchFileException if nothing has been published there
   */
  public static Use use(DeclaredTable table, ReadSettings settings, KeyShare share)
      throws IOException {
    Table place = table.table();
    Key key = new Key(place.storage().toString(), settings.settled(place), share);
    Shared shared;
    synchronized (OPEN) {
      shared = OPEN.computeIfAbsent(key, absent -> new Shared(new Loads(key.table)));
      shared.users++;
    }
    try {
      return new Use(key, shared, shared.open(table, key));
    } catch (IOException | RuntimeException | Error e) {
      Closing.after(e, () -> release(key, shared));
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

  /** Returns the shares of the keys that are open, or about to be: one for each reader. */
  static List<KeyShare> shares() {
    synchronized (OPEN) {
      return OPEN.keySet().stream().map(Key::share).toList();
    }
  }

  /** Returns the readers that are open. */
  static List<TableReader> open() {
    synchronized (OPEN) {
      return OPEN.values().stream().map(Shared::live).filter(Objects::nonNull).toList();
    }
  }
}
