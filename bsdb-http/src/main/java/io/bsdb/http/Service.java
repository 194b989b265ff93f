package io.bsdb.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.reader.SnapshotDiff;
import io.bsdb.reader.SnapshotParts;
import io.bsdb.row.Schema;
import io.bsdb.row.text.RowJsonWriter;
import io.bsdb.table.Manifest;
import io.bsdb.table.Table;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** The tables that are served, and answers about them. Safe for use by many threads. */
final class Service implements Closeable {
  private static final int MAX_SAMPLE = 1000;
  private static final int MAX_DIFFERENCES = 10_000;

  private final Map<String, ServedTable> tables;
  private final PinnedVersions pinned;
  private final Limits limits;
  private final @Nullable Duration maxAge;

  /** Comparisons may read all of two versions. */
  private final Semaphore comparisons = new Semaphore(2);

  private volatile boolean stopping;

  Service(Map<String, ServedTable> tables, Limits limits, @Nullable Duration maxAge) {
    this.tables = new TreeMap<>(tables);
    this.pinned = new PinnedVersions(limits, System::nanoTime);
    this.limits = limits;
    this.maxAge = maxAge;
  }

  Limits limits() {
    return limits;
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

  void tables(Exchange exchange) throws IOException {
    exchange.address().allow(Set.of());
    exchange.negotiate(List.of(MediaType.JSON));
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    for (ServedTable table : tables.values()) {
      list.add(describe(table.name(), table.reader().manifest(), true));
    }
    ObjectNode answer = object();
    answer.set("tables", list);
    exchange.answerJson(answer);
  }

  void describe(Exchange exchange, ServedTable table, @Nullable String version) throws IOException {
    exchange.address().allow(Set.of());
    exchange.negotiate(List.of(MediaType.JSON));
    Manifest manifest = table.manifest(version);
    exchange.answerJson(
        describe(table.name(), manifest, manifest.version().equals(table.reader().version())));
  }

  private static ObjectNode describe(String name, Manifest manifest, boolean inUse) {
    ObjectNode answer =
        object()
            .put("name", name)
            .put("version", manifest.version())
            .put("inUse", inUse)
            .put("parent", manifest.parent())
            .put("createdAt", manifest.createdAt().toString())
            .put("records", manifest.hasChanges() ? null : manifest.recordCount())
            .put("partitionRecords", manifest.recordCount())
            .put("bytes", manifest.length())
            .put("segments", manifest.changes().segments().size())
            .put("changes", manifest.changes().count());
    putAll(answer.putObject("properties"), manifest.properties());
    putAll(answer.putObject("sourcePositions"), manifest.sourcePositions());
    return answer;
  }

  private static void putAll(ObjectNode node, Map<String, String> texts) {
    new TreeMap<>(texts).forEach(node::put);
  }

  void versions(Exchange exchange, ServedTable table) throws IOException {
    exchange.address().allow(Set.of());
    exchange.negotiate(List.of(MediaType.JSON));
    ObjectNode answer = object().put("table", table.name());
    answer.put("inUse", table.reader().version());
    Table files = Table.at(table.directory());
    answer.put("inService", files.currentVersion());
    ArrayNode list = answer.putArray("versions");
    for (String version : files.versions()) {
      try {
        list.add(
            describe(
                table.name(), table.manifest(version), version.equals(table.reader().version())));
      } catch (CorruptSnapshotException e) {
        list.addObject().put("version", version).put("damage", e.getMessage());
      } catch (Problem pruned) {
        // between the listing and now
      }
    }
    exchange.answerJson(answer);
  }

  void schema(Exchange exchange, ServedTable table, @Nullable String version) throws IOException {
    exchange.address().allow(Set.of());
    exchange.negotiate(List.of(MediaType.JSON));
    Manifest manifest = table.manifest(version);
    Schema schema = manifest.schema();
    ObjectNode answer = object().put("table", table.name()).put("version", manifest.version());
    answer.set("schema", schema == null ? null : schema.toJson());
    exchange.answerJson(answer);
  }

  void stats(Exchange exchange, ServedTable table, @Nullable String version) throws IOException {
    exchange.address().allow(Set.of());
    exchange.negotiate(List.of(MediaType.JSON));
    Manifest manifest = table.manifest(version);
    ObjectNode answer =
        describe(table.name(), manifest, manifest.version().equals(table.reader().version()));
    putAll(answer.putObject("options"), manifest.options());
    answer.put("keyBytes", manifest.partitions().stream().mapToLong(each -> each.keyBytes()).sum());
    answer.put(
        "valueBytes", manifest.partitions().stream().mapToLong(each -> each.valueBytes()).sum());
    ObjectNode parts = answer.putObject("parts");
    SnapshotParts.of(table.directory(), manifest).bytes().forEach(parts::put);
    ArrayNode partitions = answer.putArray("partitions");
    manifest
        .partitions()
        .forEach(
            file ->
                partitions
                    .addObject()
                    .put("file", file.name())
                    .put("records", file.recordCount())
                    .put("bytes", file.length())
                    .put("keyBytes", file.keyBytes())
                    .put("valueBytes", file.valueBytes()));
    exchange.answerJson(answer);
  }

  void sample(Exchange exchange, ServedTable table, @Nullable String version) throws IOException {
    Address address = exchange.address();
    address.allow(Set.of("n", "columns", "numbers"));
    int count = address.number("n", 20, MAX_SAMPLE);
    MediaType type = exchange.negotiate(List.of(MediaType.JSON, MediaType.NDJSON));
    try (Held held = hold(table, version)) {
      exchange.access.version = held.version();
      RowJsonWriter writer =
          held.rows().writer(address.parameter("columns"), address.parameter("numbers"));
      Lines lines = new Lines(exchange, held, type, "rows");
      for (Sample.Row record : Sample.of(held.reader(), count)) {
        lines.next();
        if (writer != null) {
          writer.writeRow(lines.json(), record.key(), record.value());
        } else {
          lines.json().writeStartObject();
          lines.json().writeBinaryField("key", record.key());
          VersionRows.writeBytes(lines.json(), record.value());
          lines.json().writeEndObject();
        }
      }
      lines.answer(true);
    }
  }

  void diff(Exchange exchange, ServedTable table) throws IOException {
    Address address = exchange.address();
    address.allow(Set.of("from", "to", "limit", "sample"));
    String from = address.parameter("from");
    String to = address.parameter("to");
    if (from == null) {
      throw new Problem(Problem.Kind.BAD_REQUEST, "parameter 'from' is missing: a version");
    }
    int limit = address.number("limit", 100, MAX_DIFFERENCES);
    double share = share(address.parameter("sample"));
    MediaType type = exchange.negotiate(List.of(MediaType.JSON, MediaType.NDJSON));
    try (Closeable turn = turn();
        Held first = pinned.hold(table, from);
        Held second = hold(table, to);
        SnapshotDiff diff = diff(first, second, share)) {
      exchange.access.version = second.version();
      Lines lines = new Lines(exchange, second, type, "differences");
      int found = 0;
      SnapshotDiff.Difference next = diff.next();
      while (next != null && found < limit) {
        found++;
        lines.next();
        DiffJson.write(lines.json(), first.rows(), second.rows(), next);
        next = diff.next();
      }
      lines.note("from", first.version());
      lines.note("to", second.version());
      lines.note("compared", diff.compared());
      lines.answer(next == null && !diff.isStopped());
    }
  }

  /** Takes one of the few turns to compare. */
  Closeable turn() {
    if (!comparisons.tryAcquire()) {
      throw new Problem(Problem.Kind.OVERLOADED, "other comparisons are in progress");
    }
    return comparisons::release;
  }

  private static double share(@Nullable String text) {
    if (text == null) {
      return 1;
    }
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new Problem(
          Problem.Kind.BAD_REQUEST,
          "parameter 'sample' is '%s': expected a number above 0, at most 1".formatted(text));
    }
  }

  /** Begins a comparison that ends with the time of a request. */
  SnapshotDiff diff(Held first, Held second, double share) throws IOException {
    long end = System.nanoTime() + limits.request().toNanos();
    try {
      return SnapshotDiff.between(
          first.reader(), second.reader(), share, () -> System.nanoTime() - end > 0);
    } catch (IllegalArgumentException e) {
      throw new Problem(Problem.Kind.NOT_COMPARABLE, String.valueOf(e.getMessage()));
    }
  }

  private static ObjectNode object() {
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
