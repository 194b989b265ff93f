package io.bsdb.flink.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.bsdb.format.ChecksummedJson;
import io.bsdb.table.TableStorage;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.jspecify.annotations.Nullable;

/**
 * What CREATE TABLE said, kept in a file of the table's directory: columns, key, distribution,
 * comment and options, in Flink's own form of properties. A table that was built without it needs
 * none.
 */
final class TableDeclaration {
  static final String FILE = "flink-table.json";
  private static final int FORMAT_VERSION = 1;
  private static final int MAX_LENGTH = 64 << 20;

  private TableDeclaration() {}

  /** Writes or replaces the declaration, in one step. */
  static void write(TableStorage storage, ResolvedCatalogTable table) throws IOException {
    storage.replace(FILE, encode(table.toProperties()));
  }

  /** The declaration of a table, or null if it has none. */
  static @Nullable CatalogTable read(TableStorage storage) throws IOException {
    byte[] content;
    try {
      content = storage.read(FILE, MAX_LENGTH);
    } catch (NoSuchFileException e) {
      return null;
    }
    return CatalogTable.fromProperties(decode(content, storage + "/" + FILE));
  }

  private static byte[] encode(Map<String, String> properties) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("formatVersion", FORMAT_VERSION);
    ObjectNode table = root.putObject("table");
    new TreeMap<>(properties).forEach(table::put);
    return ChecksummedJson.encode(root);
  }

  private static Map<String, String> decode(byte[] content, String file) throws IOException {
    JsonNode root = ChecksummedJson.decode(content, FORMAT_VERSION, "declaration of a table", file);
    Map<String, String> properties = new HashMap<>();
    root.path("table")
        .properties()
        .forEach(entry -> properties.put(entry.getKey(), entry.getValue().asText()));
    return properties;
  }
}
