package io.bsdb.flink.catalog;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.bsdb.format.ChecksummedJson;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.UnsupportedVersionException;
import io.bsdb.table.TableStorage;
import java.io.CharConversionException;
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
  private static final ObjectMapper JSON = new ObjectMapper();

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
    ObjectNode root = JSON.createObjectNode();
    root.put("formatVersion", FORMAT_VERSION);
    ObjectNode table = root.putObject("table");
    new TreeMap<>(properties).forEach(table::put);
    return ChecksummedJson.encode(root);
  }

  private static Map<String, String> decode(byte[] content, String file) throws IOException {
    JsonNode root;
    try {
      root = JSON.readTree(content);
    } catch (JsonProcessingException | CharConversionException e) {
      throw new CorruptSnapshotException(
          "declaration of a table cannot be read: file=%s %s".formatted(file, e.getMessage()), e);
    }
    int formatVersion = root.path("formatVersion").asInt();
    if (formatVersion > FORMAT_VERSION) {
      throw new UnsupportedVersionException(
          "declaration of a table has format version %d, this bsdb reads version %d: file=%s; upgrade bsdb"
              .formatted(formatVersion, FORMAT_VERSION, file));
    }
    ChecksummedJson.verify(content, "declaration of a table", file);
    Map<String, String> properties = new HashMap<>();
    root.path("table")
        .properties()
        .forEach(entry -> properties.put(entry.getKey(), entry.getValue().asText()));
    return properties;
  }
}
