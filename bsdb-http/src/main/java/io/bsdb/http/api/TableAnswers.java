package io.bsdb.http.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.bsdb.http.exchange.Address;
import io.bsdb.http.exchange.Exchange;
import io.bsdb.http.exchange.MediaType;
import io.bsdb.http.exchange.Problem;
import io.bsdb.http.table.Held;
import io.bsdb.http.table.Sample;
import io.bsdb.http.table.ServedTable;
import io.bsdb.http.table.Service;
import io.bsdb.http.table.VersionRows;
import io.bsdb.row.Schema;
import io.bsdb.row.text.RowJsonWriter;
import io.bsdb.table.SnapshotParts;
import io.bsdb.table.Table;
import io.bsdb.table.VersionFacts;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Answers about tables and their versions. */
public final class TableAnswers {
  private static final int MAX_SAMPLE = 1000;

  private final Service service;

  public TableAnswers(Service service) {
    this.service = service;
  }

  /** Refuses parameters, and media types other than JSON. */
  static void requireJson(Exchange exchange) {
    exchange.address().allow(Set.of());
    exchange.negotiate(List.of(MediaType.JSON));
  }

  public void tables(Exchange exchange) throws IOException {
    requireJson(exchange);
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    for (ServedTable table : service.tables()) {
      list.add(describe(table.name(), table.reader().manifest(), true));
    }
    ObjectNode answer = Exchange.object();
    answer.set("tables", list);
    ArrayNode failures = answer.putArray("notServed");
    service
        .unopened()
        .forEach(
            (name, table) -> failures.addObject().put("name", name).put("failure", table.reason()));
    exchange.answerJson(answer);
  }

  void describe(Exchange exchange, ServedTable table, @Nullable String version) throws IOException {
    Manifest manifest = table.manifest(version);
    exchange.answerJson(
        describe(table.name(), manifest, manifest.version().equals(table.reader().version())));
  }

  private static ObjectNode describe(String name, Manifest manifest, boolean inUse) {
    VersionFacts facts = new VersionFacts(manifest);
    ObjectNode answer =
        Exchange.object()
            .put("name", name)
            .put("version", manifest.version())
            .put("inUse", inUse)
            .put("parent", manifest.parent())
            .put("createdAt", manifest.createdAt().toString())
            .put("order", facts.order());
    answer.setAll(Exchange.MAPPER.<ObjectNode>valueToTree(facts.history()));
    answer.setAll(Exchange.MAPPER.<ObjectNode>valueToTree(facts.figures()));
    putAll(answer.putObject("properties"), manifest.properties());
    putAll(answer.putObject("sourcePositions"), manifest.sourcePositions());
    return answer;
  }

  private static void putAll(ObjectNode node, Map<String, String> texts) {
    new TreeMap<>(texts).forEach(node::put);
  }

  void versions(Exchange exchange, ServedTable table) throws IOException {
    ObjectNode answer = Exchange.object().put("table", table.name());
    answer.put("inUse", table.reader().version());
    Table files = Table.at(table.directory());
    answer.put("inService", files.currentVersion());
    ArrayNode list = answer.putArray("versions");
    for (String version : files.versions()) {
      try {
        list.add(
            describe(
                table.name(), table.manifest(version), version.equals(table.reader().version())));
      } catch (IOException e) {
        list.addObject().put("version", version).put("failure", e.getMessage());
      } catch (Problem pruned) {
        // between the listing and now
      }
    }
    exchange.answerJson(answer);
  }

  void schema(Exchange exchange, ServedTable table, @Nullable String version) throws IOException {
    Manifest manifest = table.manifest(version);
    Schema schema = manifest.schema();
    ObjectNode answer =
        Exchange.object().put("table", table.name()).put("version", manifest.version());
    answer.set("schema", schema == null ? null : schema.toJson());
    exchange.answerJson(answer);
  }

  void stats(Exchange exchange, ServedTable table, @Nullable String version) throws IOException {
    Manifest manifest = table.manifest(version);
    ObjectNode answer =
        describe(table.name(), manifest, manifest.version().equals(table.reader().version()));
    putAll(answer.putObject("options"), manifest.options());
    VersionFacts facts = new VersionFacts(manifest);
    answer.put("keyBytes", facts.keyBytes());
    answer.put("valueBytes", facts.valueBytes());
    SnapshotParts parts = table.parts(manifest);
    answer.set("parts", parts == null ? null : Exchange.MAPPER.valueToTree(parts.bytes()));
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
    Lines lines;
    try (Held held = service.hold(table, version)) {
      exchange.access.version = held.version();
      RowJsonWriter writer = held.rows().writer(address);
      lines = new Lines(exchange, held, type, "rows");
      Sample.read(
          held,
          count,
          exchange::requireTime,
          (key, value) -> {
            lines.next();
            VersionRows.writeRecord(lines.json(), writer, key, value);
            return true;
          });
    }
    lines.answer(true);
  }
}
