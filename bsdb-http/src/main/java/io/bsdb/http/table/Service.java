package io.bsdb.http.table;

import io.bsdb.format.io.Closing;
import io.bsdb.http.exchange.Budget;
import io.bsdb.http.exchange.Problem;
import io.bsdb.http.wire.Limits;
import io.bsdb.reader.follow.TableReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/** The tables that are served. Safe for use by many threads. */
public final class Service implements Closeable {
  private final Map<String, ServedTable> tables = new ConcurrentSkipListMap<>();

  /** Those that are to be served, and are not yet. */
  private final Map<String, Unopened> unopened = new ConcurrentSkipListMap<>();

  private final Opener opener;
  private final TableReader.Listener listener;
  private final PinnedVersions pinned;
  private final Limits limits;
  private final Budget budget;

  private volatile boolean stopping;

  /** Opens tables. */
  public interface Opener {
    ServedTable open(String name, Path directory) throws IOException;
  }

  /**
   * A table that is not open.
   *
   * @param failure why; null before it has been tried
   */
  public record Unopened(Path directory, @Nullable Exception failure) {
    public String reason() {
      Exception cause = failure;
      return cause == null ? "not opened yet" : Problem.text(cause);
    }
  }

  /**
   * @param listener is informed of tables that cannot be opened
   */
  public Service(Opener opener, TableReader.Listener listener, Limits limits) {
    this.opener = opener;
    this.listener = listener;
    this.pinned = new PinnedVersions(limits, System::nanoTime);
    this.limits = limits;
    this.budget = new Budget(limits.allAnswersBytes());
  }

  /** Opens a table and serves it. */
  public void open(String name, Path directory) throws IOException {
    tables.put(name, opener.open(name, directory));
  }

  /** Adds a table that is opened by {@link #openRest}. */
  public void openLater(String name, Path directory) {
    unopened.put(name, new Unopened(directory, null));
  }

  /** Opens the tables that are not open, as far as that is possible; reports each new failure. */
  public synchronized void openRest() {
    unopened.forEach(
        (name, table) -> {
          if (stopping) {
            return;
          }
          try {
            if (name.indexOf('/') >= 0) {
              throw new IOException(
                  "another table has the name '%s'; rename one of the two directories"
                      .formatted(name.replace('/', '.')));
            }
            ServedTable.requireName(name);
            open(name, table.directory());
            unopened.remove(name);
          } catch (IOException | RuntimeException e) {
            Unopened failed =
                new Unopened(
                    table.directory(),
                    e instanceof IllegalArgumentException ? new IOException(e.getMessage(), e) : e);
            if (!failed.reason().equals(table.reason())) {
              listener.onRefreshFailed(
                  null,
                  new IOException(
                      "table %s is not served: directory=%s %s"
                          .formatted(name, table.directory(), failed.reason()),
                      e));
            }
            unopened.put(name, failed);
          }
        });
  }

  /** Returns the tables that should be served, and are not. */
  public Map<String, Unopened> unopened() {
    return unopened;
  }

  public Limits limits() {
    return limits;
  }

  public Budget budget() {
    return budget;
  }

  public Collection<ServedTable> tables() {
    return tables.values();
  }

  public PinnedVersions pinned() {
    return pinned;
  }

  /** Returns a table that is open; null if there is none of this name. */
  public @Nullable ServedTable tableOrNull(String name) {
    return tables.get(name);
  }

  /** Returns a table by its configured name; nothing else of an address leads to a file. */
  public ServedTable table(String name) {
    ServedTable table = tables.get(name);
    Unopened other = table == null ? unopened.get(name) : null;
    Exception failure = other == null ? null : other.failure();
    if (failure != null) {
      throw Problem.of(failure);
    }
    if (table == null) {
      throw new Problem(Problem.Kind.UNKNOWN_TABLE, "'%s'; there are %s", name, tables.keySet());
    }
    return table;
  }

  /** Holds a version, or the one in use. */
  public Held hold(ServedTable table, @Nullable String version) throws IOException {
    return version == null ? table.hold() : pinned.hold(table, version);
  }

  public void beginStop() {
    stopping = true;
  }

  public boolean isStopping() {
    return stopping;
  }

  @Override
  public synchronized void close() throws IOException {
    stopping = true;
    List<Closeable> all = new ArrayList<>(tables.values());
    all.add(0, pinned);
    Closing.all(all);
  }
}
