package io.bsdb.table;

import static io.bsdb.table.JsonMembers.checksum;
import static io.bsdb.table.JsonMembers.number;
import static io.bsdb.table.JsonMembers.required;
import static io.bsdb.table.JsonMembers.text;
import static io.bsdb.table.JsonMembers.texts;
import static io.bsdb.table.JsonMembers.uuid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.bsdb.format.ChecksummedJson;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Excerpt;
import io.bsdb.format.Internal;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.UnsupportedVersionException;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.Schema;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Manifest of a snapshot: the file that is written last and read first. Immutable.
 *
 * @param snapshotId the build that made it
 * @param version the name of its directory
 * @param parent the version that was in service when the build began; null if there was none
 * @param createdAt when the build published it, to the millisecond
 * @param schema of its rows; null if keys and values are plain bytes
 * @param options the writer's options, for people: layout, perfect hash and so on
 * @param partitions one file each, in order
 * @param properties whatever the builder wished to say
 * @param sourcePositions how far the build had read its sources, for example topic and partition to
 *     offset
 * @param changes what has changed since the partition files were built
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
    Map<String, String> sourcePositions,
    Changes changes) {

  /** Longest manifest that is read, in bytes. */
  public static final int MAX_LENGTH = 64 << 20;

  /** Maximum number of entries of each of the maps. */
  public static final int MAX_TEXTS = JsonMembers.MAX;

  private static final String WHAT = "manifest";
  static final Pattern VERSION = Pattern.compile("[0-9]{10}-[0-9a-f]{8}");

  /** Maximum of lengths, so that the sum over all partitions is a long. */
  private static final long MAX_BYTES = Long.MAX_VALUE / SnapshotFormat.MAX_PARTITIONS;

  private static final Pattern TIME =
      Pattern.compile("[0-9]{4}(-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){2}(\\.[0-9]{3})?Z");
  private static final Pattern FILE_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,199}");
  private static final String HASH = "XXH3-128, seed 0";
  private static final String KEY_ORDER = "key";

  /** Creates the manifest of a build without changes. */
  public Manifest(
      UUID snapshotId,
      String version,
      @Nullable String parent,
      Instant createdAt,
      @Nullable Schema schema,
      Map<String, String> options,
      List<PartitionFile> partitions,
      Map<String, String> properties,
      Map<String, String> sourcePositions) {
    this(
        snapshotId,
        version,
        parent,
        createdAt,
        schema,
        options,
        partitions,
        properties,
        sourcePositions,
        Changes.NONE);
  }

  public Manifest {
    options = Map.copyOf(options);
    partitions =
        partitions.stream().sorted(Comparator.comparingInt(PartitionFile::partition)).toList();
    properties = Map.copyOf(properties);
    sourcePositions = Map.copyOf(sourcePositions);
  }

  /**
   * Returns whether a text has the form of a version's name, such as {@code 0000000042-0a1b2c3d}.
   */
  public static boolean isVersion(String text) {
    return VERSION.matcher(text).matches();
  }

  /**
   * Returns what says which partition a key is in.
   *
   * @hidden
   */
  @Internal
  public Partitioning partitioning() {
    return order() == RecordOrder.HASH
        ? new Partitioning(partitions.size())
        : Partitioning.byKey(
            partitions.stream()
                .skip(1)
                .map(file -> Base64.getDecoder().decode(file.lowerBound()))
                .toList());
  }

  /** Returns the order of the records. */
  public RecordOrder order() {
    return partitions.get(0).lowerBound() == null ? RecordOrder.HASH : RecordOrder.KEY;
  }

  /** Returns the format version that a reader must know: only segments and key order need 2. */
  int formatVersion() {
    boolean plain =
        order() == RecordOrder.HASH
            && changes.equals(Changes.NONE)
            && partitions.stream()
                .allMatch(file -> file.version() == null && file.foldedThrough() == 0);
    return plain ? 1 : SnapshotFormat.VERSION;
  }

  /** Returns a manifest with other partitions, positions and changes; see {@link Table#edit}. */
  public Manifest with(
      List<PartitionFile> newPartitions, Map<String, String> newPositions, Changes newChanges) {
    return new Manifest(
        snapshotId,
        version,
        parent,
        createdAt,
        schema,
        options,
        newPartitions,
        properties,
        newPositions,
        newChanges);
  }

  /** Returns the line of versions that this is of: see {@link History}. */
  UUID line() {
    UUID line = changes.history().line();
    return line == null ? snapshotId : line;
  }

  /**
   * Returns whether this version has all changes of another one.
   *
   * @hidden
   */
  @Internal
  public boolean follows(Manifest other) {
    return line().equals(other.line()) && changes.lastSegment() >= other.changes.lastSegment();
  }

  /** Returns whether records lack their keys, so that none can be told from another key's. */
  public boolean hasKeysOmitted() {
    return "omitted".equals(options.get("keys"));
  }

  /** Returns whether there are changes over the partition files. */
  public boolean hasChanges() {
    return !changes.segments().isEmpty();
  }

  /**
   * Returns all files that the version needs: those that are read, and its history.
   *
   * @hidden
   */
  @Internal
  public Set<String> filesToKeep() {
    Set<String> files = files();
    changes.history().segments().forEach(segment -> files.add(segment.path()));
    return files;
  }

  /** Returns all files that are read but the manifest, relative to the table directory. */
  public Set<String> files() {
    Set<String> files = new LinkedHashSet<>();
    for (PartitionFile file : partitions) {
      files.add(file.directory(version) + "/" + file.name());
    }
    for (SegmentFile segment : changes.segments()) {
      files.add(segment.path());
    }
    return files;
  }

  /** Records in all partition files, whatever has changed since. */
  public long recordCount() {
    return partitions.stream().mapToLong(PartitionFile::recordCount).sum();
  }

  /** Returns the bytes of all partition files. */
  public long length() {
    return partitions.stream().mapToLong(PartitionFile::length).sum();
  }

  /**
   * Returns the file: JSON whose last member is the checksum of all bytes before it.
   *
   * @throws IllegalArgumentException if it would be longer than {@link #MAX_LENGTH}
   */
  public byte[] encode() {
    ObjectNode root = toJson();
    byte[] bytes = ChecksummedJson.encode(root);
    if (bytes.length > MAX_LENGTH) {
      root.remove("checksum");
      Map.Entry<String, JsonNode> longest =
          Collections.max(
              root.properties(),
              Comparator.comparingInt(member -> member.getValue().toString().length()));
      throw new IllegalArgumentException(
          "manifest too long: expected<=%d bytes actual=%d; its longest member is '%s' with %d characters"
              .formatted(
                  MAX_LENGTH,
                  bytes.length,
                  longest.getKey(),
                  longest.getValue().toString().length()));
    }
    return bytes;
  }

  private ObjectNode toJson() {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("formatVersion", formatVersion());
    root.put("snapshotId", snapshotId.toString());
    root.put("version", version);
    if (parent != null) {
      root.put("parent", parent);
    }
    root.put("createdAt", createdAt.toString());
    root.put("recordCount", recordCount());
    root.put("hash", HASH);
    if (order() == RecordOrder.KEY) {
      root.put("order", KEY_ORDER);
    }
    if (schema != null) {
      root.set("schema", schema.toJson());
    }
    putAll(root.putObject("options"), options);
    putAll(root.putObject("properties"), properties);
    putAll(root.putObject("sourcePositions"), sourcePositions);
    ArrayNode files = root.putArray("partitions");
    for (PartitionFile file : partitions) {
      ObjectNode entry = files.addObject().put("file", file.name());
      if (file.version() != null) {
        entry.put("version", file.version());
      }
      if (file.foldedThrough() > 0) {
        entry.put("foldedThrough", file.foldedThrough());
      }
      entry
          .put("fileId", file.fileId().toString())
          .put("length", file.length())
          .put("checksum", SnapshotFormat.hex(file.checksum()))
          .put("recordCount", file.recordCount())
          .put("keyBytes", file.keyBytes())
          .put("valueBytes", file.valueBytes());
      if (file.lowerBound() != null) {
        entry.put("lowerBound", file.lowerBound());
      }
    }
    ChangesJson.write(changes, root);
    return root;
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
  public static Manifest decode(byte[] bytes, String file)
      throws CorruptSnapshotException, UnsupportedVersionException {
    ObjectNode root = ChecksummedJson.decode(bytes, SnapshotFormat.VERSION, WHAT, file);
    try {
      String hash = text(root, "hash");
      if (!hash.equals(HASH)) {
        throw new UnsupportedVersionException(
            "snapshot was built with another hash: file=%s expected=%s actual=%s; rebuild the table"
                .formatted(file, HASH, Excerpt.of(hash)));
      }
      return fromJson(root, file);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw ChecksummedJson.unreadable(WHAT, file, e.getMessage(), e);
    }
  }

  private static Manifest fromJson(ObjectNode root, String file)
      throws CorruptSnapshotException, UnsupportedVersionException {
    JsonNode schema = root.get("schema");
    Manifest manifest =
        new Manifest(
            uuid(root, "snapshotId"),
            text(root, "version", VERSION),
            root.has("parent") ? text(root, "parent", VERSION) : null,
            Instant.parse(text(root, "createdAt", TIME)),
            schema == null ? null : Schema.fromJson(schema, file),
            texts(root, "options"),
            partitions(required(root, "partitions"), isInKeyOrder(root, file), file),
            texts(root, "properties"),
            texts(root, "sourcePositions"),
            ChangesJson.read(root, file));
    if (number(root, "formatVersion", Long.MAX_VALUE) < manifest.formatVersion()) {
      throw new CorruptSnapshotException(
          "manifest of format version 1 has what only version 2 has: file=" + file);
    }
    if (manifest.order() == RecordOrder.KEY
        && manifest.schema() != null
        && manifest.schema().keyEncoding() != KeyEncoding.ORDERED) {
      throw new CorruptSnapshotException(
          "manifest has key order and a schema whose keys do not sort: file=%s keyEncoding='%s'"
              .formatted(file, manifest.schema().keyEncoding().label()));
    }
    if (manifest.recordCount() != number(root, "recordCount", Long.MAX_VALUE)) {
      throw new CorruptSnapshotException(
          "manifest contradicts itself on the record count: file=" + file);
    }
    return manifest;
  }

  private static boolean isInKeyOrder(ObjectNode root, String file)
      throws UnsupportedVersionException {
    if (!root.has("order")) {
      return false;
    }
    String order = text(root, "order");
    if (!order.equals(KEY_ORDER)) {
      throw new UnsupportedVersionException(
          "the records have an order that this bsdb does not support: file=%s order='%s'; upgrade bsdb"
              .formatted(file, Excerpt.of(order)));
    }
    return true;
  }

  /** Reads a bound and checks that it is above the one of the partition before. */
  private static String lowerBound(JsonNode node, List<PartitionFile> before) {
    String text = text(node, "lowerBound");
    byte[] bound = Base64.getDecoder().decode(text);
    boolean above;
    if (before.isEmpty()) {
      above = bound.length == 0;
    } else {
      String previous = Objects.requireNonNull(before.get(before.size() - 1).lowerBound());
      above = Arrays.compareUnsigned(Base64.getDecoder().decode(previous), bound) < 0;
    }
    if (!above
        || bound.length > SnapshotFormat.MAX_KEY_LENGTH
        || !Base64.getEncoder().encodeToString(bound).equals(text)) {
      throw new IllegalArgumentException(
          "lowerBound of partition %d is not above the one before, too long or no Base64: '%s'"
              .formatted(before.size(), Excerpt.of(text)));
    }
    return text;
  }

  private static List<PartitionFile> partitions(JsonNode nodes, boolean inKeyOrder, String file)
      throws CorruptSnapshotException {
    if (!nodes.isArray() || nodes.isEmpty() || nodes.size() > SnapshotFormat.MAX_PARTITIONS) {
      throw new CorruptSnapshotException(
          "manifest has an impossible number of partitions: file=%s partitions=%d"
              .formatted(file, nodes.size()));
    }
    List<PartitionFile> partitions = new ArrayList<>();
    Set<String> names = new HashSet<>();
    Set<UUID> fileIds = new HashSet<>();
    for (JsonNode node : nodes) {
      String name = text(node, "file");
      if (!FILE_NAME.matcher(name).matches() || !names.add(name)) {
        throw new CorruptSnapshotException(
            "manifest names an impossible file: file=%s name='%s'"
                .formatted(file, Excerpt.of(name)));
      }
      UUID fileId = uuid(node, "fileId");
      if (!fileIds.add(fileId)) {
        throw new CorruptSnapshotException(
            "manifest gives two files one id: file=%s name='%s' fileId=%s"
                .formatted(file, name, fileId));
      }
      partitions.add(
          new PartitionFile(
              partitions.size(),
              name,
              fileId,
              number(node, "length", MAX_BYTES),
              checksum(node),
              (int) number(node, "recordCount", SnapshotFormat.MAX_PARTITION_RECORDS),
              number(node, "keyBytes", MAX_BYTES),
              number(node, "valueBytes", MAX_BYTES),
              node.has("version") ? text(node, "version", VERSION) : null,
              node.has("foldedThrough") ? number(node, "foldedThrough", Long.MAX_VALUE) : 0,
              inKeyOrder ? lowerBound(node, partitions) : null));
      if (inKeyOrder
          && nodes.size() > 1
          && partitions.get(partitions.size() - 1).recordCount() == 0) {
        throw new CorruptSnapshotException(
            "manifest has an empty partition among others in key order: file=%s name='%s'"
                .formatted(file, name));
      }
    }
    return partitions;
  }
}
