package io.bsdb.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The tables that are served, and whether they are ready. Safe for use by many threads. */
final class Service implements Closeable {
  private final Map<String, ServedTable> tables;
  private final PinnedVersions pinned;
  private final Limits limits;
  private final Budget budget;
  private final @Nullable Duration maxAge;

  private volatile boolean stopping;

  Service(Map<String, ServedTable> tables, Limits limits, @Nullable Duration maxAge) {
    this.tables = new TreeMap<>(tables);
    this.pinned = new PinnedVersions(limits, System::nanoTime);
    this.limits = limits;
    this.budget = new Budget(limits.allAnswersBytes());
    this.maxAge = maxAge;
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
    exchange.answerJson(object().put("status", "ready"));
  }

  static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  @Override
  public void close() throws IOException {
    try {
      pinned.close();
    } finally {
      for (ServedTable table : tables.values()) {
        table.close();
      }
    }
  }
}
