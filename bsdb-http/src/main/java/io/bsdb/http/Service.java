package io.bsdb.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.bsdb.reader.follow.TableReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/** The tables that are served, and whether they are ready. Safe for use by many threads. */
final class Service implements Closeable {
  private final Map<String, ServedTable> tables = new ConcurrentSkipListMap<>();

  /** Those that are to be served, and are not yet. */
  private final Map<String, Unopened> unopened = new ConcurrentSkipListMap<>();

  private final Opener opener;
  private final TableReader.Listener listener;
  private final PinnedVersions pinned;
  private final Limits limits;
  private final Budget budget;
  private final @Nullable Duration maxAge;

  private volatile boolean stopping;

  /** Opens tables. */
  interface Opener {
    ServedTable open(String name, Path directory) throws IOException;
  }

  /**
   * A table that is not open.
   *
   * @param failure why; null before it has been tried
   */
  record Unopened(Path directory, @Nullable Exception failure) {
    String reason() {
      Exception cause = failure;
      return cause == null ? "not opened yet" : String.valueOf(cause.getMessage());
    }
  }

  /**
   * @param listener is informed of tables that cannot be opened
   */
  Service(Opener opener, TableReader.Listener listener, Limits limits, @Nullable Duration maxAge) {
    this.opener = opener;
    this.listener = listener;
    this.pinned = new PinnedVersions(limits, System::nanoTime);
    this.limits = limits;
    this.budget = new Budget(limits.allAnswersBytes());
    this.maxAge = maxAge;
  }

  /** Opens a table and serves it. */
  void open(String name, Path directory) throws IOException {
    tables.put(name, opener.open(name, directory));
  }

  /** Adds a table that is opened by {@link #openRest}. */
  void openLater(String name, Path directory) {
    unopened.put(name, new Unopened(directory, null));
  }

  /** Opens the tables that are not open, as far as that is possible; reports each new failure. */
  synchronized void openRest() {
    unopened.forEach(
        (name, table) -> {
          if (stopping) {
            return;
          }
          try {
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
  Map<String, Unopened> unopened() {
    return unopened;
  }

  Limits limits() {
    return limits;
  }

  Budget budget() {
    return budget;
  }

  Collection<ServedTable> tables() {
    return tables.values();
  }

  PinnedVersions pinned() {
    return pinned;
  }

  /** Returns a table by its configured name; nothing else of an address leads to a file. */
  ServedTable table(String name) {
    ServedTable table = tables.get(name);
    Unopened other = table == null ? unopened.get(name) : null;
    Exception failure = other == null ? null : other.failure();
    if (failure != null) {
      throw Problem.of(failure);
    }
    if (table == null) {
      throw new Problem(
          Problem.Kind.UNKNOWN_TABLE, "'%s'; there are %s".formatted(name, tables.keySet()));
    }
    return table;
  }

  /** Holds a version, or the one in use. */
  Held hold(ServedTable table, @Nullable String version) throws IOException {
    return version == null ? table.hold() : pinned.hold(table, version);
  }

  void beginStop() {
    stopping = true;
  }

  void live(Exchange exchange) throws IOException {
    exchange.address().allow(Set.of());
    exchange.answerJson(object().put("status", "live"));
  }

  void ready(Exchange exchange) throws IOException {
    exchange.address().allow(Set.of());
    if (stopping) {
      throw new Problem(Problem.Kind.STOPPING, "the server is stopping; ask another one");
    }
    for (ServedTable table : tables.values()) {
      Duration age = Duration.between(table.reader().manifest().createdAt(), Instant.now());
      if (maxAge != null && age.compareTo(maxAge) > 0) {
        throw new Problem(
            Problem.Kind.OVERLOADED,
            "table %s is %d s old, expected<=%d"
                .formatted(table.name(), age.toSeconds(), maxAge.toSeconds()));
      }
    }
    if (!unopened.isEmpty()) {
      List<String> reasons = new ArrayList<>();
      unopened.forEach((name, table) -> reasons.add(name + ": " + table.reason()));
      throw new Problem(
          Problem.Kind.OVERLOADED, "tables are not served: " + String.join(", ", reasons));
    }
    exchange.answerJson(object().put("status", "ready"));
  }

  static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  @Override
  public synchronized void close() throws IOException {
    stopping = true;
    try {
      pinned.close();
    } finally {
      for (ServedTable table : tables.values()) {
        table.close();
      }
    }
  }
}
