package io.bsdb.flink.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.bsdb.format.ChecksummedJson;
import io.bsdb.table.storage.TableStorage;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.table.catalog.CatalogTable;
import org.jspecify.annotations.Nullable;

/**
 * Declaration by CREATE TABLE and ALTER TABLE, kept in a file of the table's directory: columns,
 * key, distribution, comment and options, in Flink's own form of properties. A table that was built
 * without it needs none.
 */
final class TableDeclaration {
  static final String FILE = "flink-table.json";
  private static final String ADDED_COLUMNS = "addedColumns";
  private static final int FORMAT_VERSION = 1;
  private static final int MAX_LENGTH = 64 << 20;

  private TableDeclaration() {}

  /**
   * Writes or replaces the declaration, in one step.
   *
   * @param properties that Flink makes of the table
   * @param addedColumns names of those that ALTER TABLE added
   */
  static void write(TableStorage storage, Map<String, String> properties, Set<String> addedColumns)
      throws IOException {
    storage.replace(FILE, encode(properties, addedColumns));
  }

  /** Returns the columns that ALTER TABLE added, which versions that are older do not have. */
  static Set<String> addedColumns(TableStorage storage) throws IOException {
    JsonNode root = readFile(storage);
    Set<String> names = new TreeSet<>();
    if (root != null) {
      root.path(ADDED_COLUMNS).forEach(name -> names.add(name.asText()));
    }
    return names;
  }

  /** Returns the declaration of a table, or null if it has none. */
  static @Nullable CatalogTable read(TableStorage storage) throws IOException {
    JsonNode root = readFile(storage);
    if (root == null) {
      return null;
    }
    Map<String, String> properties = new HashMap<>();
    root.path("table")
        .properties()
        .forEach(entry -> properties.put(entry.getKey(), entry.getValue().asText()));
    return CatalogTable.fromProperties(properties);
  }

  private static @Nullable JsonNode readFile(TableStorage storage) throws IOException {
    try {
      return decode(storage.read(FILE, MAX_LENGTH), storage + "/" + FILE);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  private static byte[] encode(Map<String, String> properties, Set<String> addedColumns) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("formatVersion", FORMAT_VERSION);
    ObjectNode table = root.putObject("table");
    new TreeMap<>(properties).forEach(table::put);
    ArrayNode added = root.putArray(ADDED_COLUMNS);
    new TreeSet<>(addedColumns).forEach(added::add);
    return ChecksummedJson.encode(root);
  }

  private static JsonNode decode(byte[] content, String file) throws IOException {
    return ChecksummedJson.decode(content, FORMAT_VERSION, "declaration of a table", file);
  }
}
