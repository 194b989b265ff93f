package io.bsdb.format;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.bsdb.format.row.Schema;
import java.io.CharConversionException;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a snapshot is: the file of it that is written last and read first. Immutable.
 *
 * @param snapshotId the build that made it; every partition file repeats it
 * @param version the name of its directory
 * @param parent the version that was in service when the build began; null if there was none
 * @param createdAt when the build published it, to the millisecond
 * @param schema of its rows; null if keys and values are plain bytes
 * @param options the writer's options, for people: layout, perfect hash and so on
 * @param partitions one file each, in order
 * @param properties whatever the builder wished to say
 * @param sourcePositions how far the build had read its sources, for example topic and partition to
 *     offset
 */
public record Manifest(
    UUID snapshotId,
    String version,
    @Nullable String parent,
    Instant createdAt,
    @Nullable Schema schema,
    Map<String, String> options,
    List<PartitionFile> partitions,
    Map<String, String> properties,
    Map<String, String> sourcePositions) {

  /** Longest manifest that is read, in bytes. */
  public static final int MAX_LENGTH = 64 << 20;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern FILE_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,199}");
  private static final String HASH = "XXH3-128, seed 0";
  private static final Pattern HEX = Pattern.compile("[0-9a-f]{8}");

  public Manifest {
    options = Map.copyOf(options);
    partitions =
        partitions.stream().sorted(Comparator.comparingInt(PartitionFile::partition)).toList();
    properties = Map.copyOf(properties);
    sourcePositions = Map.copyOf(sourcePositions);
  }

  /** Records in all partitions. */
  public long recordCount() {
    return partitions.stream().mapToLong(PartitionFile::recordCount).sum();
  }

  /** Bytes of all partition files. */
  public long length() {
    return partitions.stream().mapToLong(PartitionFile::length).sum();
  }

  /** The file: JSON whose last member is the checksum of all bytes before it. */
  public byte[] encode() {
    ObjectNode root = JSON.createObjectNode();
    root.put("formatVersion", SnapshotFormat.VERSION);
    root.put("snapshotId", snapshotId.toString());
    root.put("version", version);
    if (parent != null) {
      root.put("parent", parent);
    }
    root.put("createdAt", createdAt.toString());
    root.put("recordCount", recordCount());
    root.put("hash", HASH);
    if (schema != null) {
      root.set("schema", schema.toJson());
    }
    putAll(root.putObject("options"), options);
    putAll(root.putObject("properties"), properties);
    putAll(root.putObject("sourcePositions"), sourcePositions);
    ArrayNode files = root.putArray("partitions");
    for (PartitionFile file : partitions) {
      files
          .addObject()
          .put("file", file.name())
          .put("length", file.length())
          .put("checksum", SnapshotFormat.hex(file.checksum()))
          .put("recordCount", file.recordCount())
          .put("keyBytes", file.keyBytes())
          .put("valueBytes", file.valueBytes());
    }
    return ChecksummedJson.encode(root);
  }

  private static void putAll(ObjectNode node, Map<String, String> entries) {
    entries.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(entry -> node.put(entry.getKey(), entry.getValue()));
  }

  /**
   * Reads a manifest.
   *
   * @param bytes the whole file
   * @param file named in errors
   * @throws CorruptSnapshotException if it is damaged
   * @throws UnsupportedVersionException if a newer bsdb wrote it
   */
  public static Manifest decode(byte[] bytes, String file) throws IOException {
    try {
      JsonNode root = JSON.readTree(bytes);
      int formatVersion = required(root, "formatVersion").asInt();
      if (formatVersion > SnapshotFormat.VERSION) {
        throw new UnsupportedVersionException(
            "snapshot has format version %d, this bsdb reads version %d: file=%s; upgrade bsdb, or rebuild the table with this one"
                .formatted(formatVersion, SnapshotFormat.VERSION, file));
      }
      ChecksummedJson.verify(bytes, "manifest", file);
      if (formatVersion < 1) {
        throw new IllegalArgumentException("formatVersion out of range: " + formatVersion);
      }
      String hash = required(root, "hash").asText();
      if (!hash.equals(HASH)) {
        throw new UnsupportedVersionException(
            "snapshot was built with another hash: file=%s expected=%s actual=%s; rebuild the table"
                .formatted(file, HASH, hash));
      }
      return fromJson(root, file);
    } catch (JsonProcessingException
        | CharConversionException
        | IllegalArgumentException
        | DateTimeException e) {
      throw new CorruptSnapshotException(
          "manifest cannot be read: file=%s %s".formatted(file, e.getMessage()), e);
    }
  }

  private static Manifest fromJson(JsonNode root, String file) throws IOException {
    List<PartitionFile> partitions = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (JsonNode node : required(root, "partitions")) {
      String name = required(node, "file").asText();
      if (!FILE_NAME.matcher(name).matches() || !names.add(name)) {
        throw new CorruptSnapshotException(
            "manifest names an impossible file: file=%s name='%s'".formatted(file, name));
      }
      partitions.add(
          new PartitionFile(
              partitions.size(),
              name,
              number(node, "length", Long.MAX_VALUE >> 1),
              checksum(node),
              (int) number(node, "recordCount", SnapshotFormat.MAX_PARTITION_RECORDS),
              number(node, "keyBytes", Long.MAX_VALUE >> 1),
              number(node, "valueBytes", Long.MAX_VALUE >> 1)));
    }
    if (partitions.isEmpty() || partitions.size() > SnapshotFormat.MAX_PARTITIONS) {
      throw new CorruptSnapshotException(
          "manifest has an impossible number of partitions: file=%s partitions=%d"
              .formatted(file, partitions.size()));
    }
    JsonNode parent = root.get("parent");
    JsonNode schema = root.get("schema");
    Manifest manifest =
        new Manifest(
            UUID.fromString(required(root, "snapshotId").asText()),
            required(root, "version").asText(),
            parent == null ? null : parent.asText(),
            Instant.parse(required(root, "createdAt").asText()),
            schema == null ? null : Schema.fromJson(schema, file),
            strings(required(root, "options")),
            partitions,
            strings(required(root, "properties")),
            strings(required(root, "sourcePositions")));
    if (manifest.recordCount() != required(root, "recordCount").asLong()) {
      throw new CorruptSnapshotException(
          "manifest contradicts itself on the record count: file=" + file);
    }
    return manifest;
  }

  private static long number(JsonNode node, String name, long max) {
    JsonNode number = required(node, name);
    if (!number.isIntegralNumber()
        || !number.canConvertToLong()
        || number.longValue() < 0
        || number.longValue() > max) {
      throw new IllegalArgumentException(name + " out of range: " + number);
    }
    return number.longValue();
  }

  private static int checksum(JsonNode node) {
    String text = required(node, "checksum").asText();
    if (!HEX.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "checksum is not eight hexadecimal digits: '" + text + "'");
    }
    return Integer.parseUnsignedInt(text, 16);
  }

  private static JsonNode required(JsonNode node, String name) {
    JsonNode child = node.get(name);
    if (child == null) {
      throw new IllegalArgumentException("'" + name + "' is missing");
    }
    return child;
  }

  private static Map<String, String> strings(JsonNode node) {
    Map<String, String> strings = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> entry : node.properties()) {
      strings.put(entry.getKey(), entry.getValue().asText());
    }
    return strings;
  }
}
