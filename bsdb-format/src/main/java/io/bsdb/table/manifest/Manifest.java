package io.bsdb.table.manifest;

import static io.bsdb.table.manifest.JsonMembers.number;
import static io.bsdb.table.manifest.JsonMembers.text;
import static io.bsdb.table.manifest.JsonMembers.texts;
import static io.bsdb.table.manifest.JsonMembers.time;
import static io.bsdb.table.manifest.JsonMembers.uuid;

import com.fasterxml.jackson.databind.JsonNode;
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
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Manifest of a snapshot: the file that is written last and read first. Immutable.
 *
 * @param identity of the version
 * @param schema of its rows; null if keys and values are plain bytes
 * @param options the writer's options, for people: layout, perfect hash and so on
 * @param partitions one file each, in order
 * @param properties whatever the builder wished to say
 * @param sourcePositions how far the build had read its sources, for example topic and partition to
 *     offset
 * @param changes what has changed since the partition files were built
 * @param validity of rows in time; null for a table without a history
 */
public record Manifest(
    Identity identity,
    @Nullable Schema schema,
    Map<String, String> options,
    List<PartitionFile> partitions,
    Map<String, String> properties,
    Map<String, String> sourcePositions,
    Changes changes,
    @Nullable Validity validity) {

  /** Longest manifest that is read, in bytes. */
  public static final int MAX_LENGTH = 64 << 20;

  /** Maximum number of entries of each of the maps. */
  public static final int MAX_TEXTS = JsonMembers.MAX;

  private static final String WHAT = "manifest";
  static final Pattern VERSION = Pattern.compile("[0-9]{10}-[0-9a-f]{8}");

  private static final String HASH = "XXH3-128, seed 0";
  private static final String KEY_ORDER = "key";
  private static final String HISTORY = "history";

  /**
   * The part of a manifest that no other version shares.
   *
   * @param snapshotId the build that made it
   * @param version the name of its directory
   * @param parent the version that was in service when the build began; null if there was none
   * @param createdAt when the build published it, to the millisecond
   */
  public record Identity(
      UUID snapshotId, String version, @Nullable String parent, Instant createdAt) {}

  /** Creates the manifest of a build without changes and without a history. */
  public Manifest(
      Identity identity,
      @Nullable Schema schema,
      Map<String, String> options,
      List<PartitionFile> partitions,
      Map<String, String> properties,
      Map<String, String> sourcePositions) {
    this(identity, schema, options, partitions, properties, sourcePositions, Changes.NONE, null);
  }

  public Manifest {
    options = Map.copyOf(options);
    partitions =
        partitions.stream().sorted(Comparator.comparingInt(PartitionFile::partition)).toList();
    properties = Map.copyOf(properties);
    sourcePositions = Map.copyOf(sourcePositions);
    if (validity != null) {
      Validity.requireSchema(schema);
      if (!partitions.get(0).lowerBound().isKey()) {
        throw new IllegalArgumentException("a table with a history is not in key order");
      }
    }
  }

  /**
   * Returns whether a text has the form of a version's name, such as {@code 0000000042-0a1b2c3d}.
   */
  public static boolean isVersion(String text) {
    return VERSION.matcher(text).matches();
  }

  /**
   * Returns the rule that assigns keys to partitions.
   *
   * @hidden
   */
  @Internal
  public Partitioning partitioning() {
    return order() == RecordOrder.HASH
        ? new Partitioning(partitions.size())
        : Partitioning.byKey(
            partitions.stream().skip(1).map(file -> file.lowerBound().key()).toList());
  }

  /** Returns the order of the records. */
  public RecordOrder order() {
    return partitions.get(0).lowerBound().isKey() ? RecordOrder.KEY : RecordOrder.HASH;
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

  /** Returns a manifest with other partitions, positions and changes; see {@code Table.edit}. */
  public Manifest with(
      List<PartitionFile> newPartitions, Map<String, String> newPositions, Changes newChanges) {
    return new Manifest(
        identity, schema, options, newPartitions, properties, newPositions, newChanges, validity);
  }

  /** Returns the same manifest with another validity; see {@code Table.edit}. */
  public Manifest with(@Nullable Validity newValidity) {
    return new Manifest(
        identity, schema, options, partitions, properties, sourcePositions, changes, newValidity);
  }

  /** Returns the id of the build that made it. */
  public UUID snapshotId() {
    return identity.snapshotId;
  }

  /** Returns the name of its directory. */
  public String version() {
    return identity.version;
  }

  /** Returns the version that was in service when the build began; null if there was none. */
  public @Nullable String parent() {
    return identity.parent;
  }

  /** Returns when the build published it. */
  public Instant createdAt() {
    return identity.createdAt;
  }

  /** Returns the time since then; zero if the clock was set back to before. */
  public Duration age(Instant now) {
    Duration age = Duration.between(createdAt(), now);
    return age.isNegative() ? Duration.ZERO : age;
  }

  /** Returns the line of versions that this is of: see {@link History}. */
  public UUID line() {
    UUID line = changes.history().line();
    return line == null ? snapshotId() : line;
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

  /**
   * Returns whether this version has all changes of another one, over the same partitions of
   * hashes: some in the partition files that are in the segments there, none the other way round.
   *
   * @hidden
   */
  @Internal
  public boolean foldsChangesOf(Manifest other) {
    return follows(other)
        && order() == RecordOrder.HASH
        && other.order() == RecordOrder.HASH
        && partitions.size() == other.partitions.size()
        && IntStream.range(0, partitions.size())
            .allMatch(
                i -> partitions.get(i).foldedThrough() >= other.partitions.get(i).foldedThrough());
  }

  /**
   * Returns whether records lack their keys, so that none can be distinguished from another key's.
   */
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
      files.add(file.directory(version()) + "/" + file.name());
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
   * @throws IllegalArgumentException if it would be longer than {@link #MAX_LENGTH}, or have more
   *     than {@link #MAX_TEXTS} options, properties or source positions: nobody could read it
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
    root.put("snapshotId", snapshotId().toString());
    root.put("version", version());
    if (parent() != null) {
      root.put("parent", parent());
    }
    root.put("createdAt", createdAt().toString());
    root.put("recordCount", recordCount());
    root.put("hash", HASH);
    if (order() == RecordOrder.KEY) {
      root.put("order", validity == null ? KEY_ORDER : HISTORY);
    }
    if (validity != null && validity.retention() != null) {
      root.put("retention", validity.retention().toString());
    }
    if (validity != null && validity.horizon() != null) {
      root.put("horizon", validity.horizon().toString());
    }
    if (schema != null) {
      root.set("schema", schema.toJson());
    }
    putAll(root, "options", options);
    putAll(root, "properties", properties);
    putAll(root, "sourcePositions", sourcePositions);
    PartitionsJson.write(partitions, root);
    ChangesJson.write(changes, root);
    return root;
  }

  private static void putAll(ObjectNode root, String name, Map<String, String> entries) {
    if (entries.size() > MAX_TEXTS) {
      throw new IllegalArgumentException(
          "'%s' of a manifest has too many entries: expected<=%d actual=%d"
              .formatted(name, MAX_TEXTS, entries.size()));
    }
    ObjectNode node = root.putObject(name);
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
    String order = order(root, file);
    Manifest manifest =
        new Manifest(
            new Identity(
                uuid(root, "snapshotId"),
                text(root, "version", VERSION),
                root.has("parent") ? text(root, "parent", VERSION) : null,
                time(root, "createdAt")),
            schema == null ? null : Schema.fromJson(schema, file),
            texts(root, "options"),
            PartitionsJson.read(root, order != null, file),
            texts(root, "properties"),
            texts(root, "sourcePositions"),
            ChangesJson.read(root, file),
            HISTORY.equals(order) ? validity(root) : null);
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

  /** Returns the order by its name; null for that of the hash. */
  private static @Nullable String order(ObjectNode root, String file)
      throws UnsupportedVersionException {
    if (!root.has("order")) {
      return null;
    }
    String order = text(root, "order");
    if (!order.equals(KEY_ORDER) && !order.equals(HISTORY)) {
      throw new UnsupportedVersionException(
          "the records have an order that this bsdb does not support: file=%s order='%s'; upgrade bsdb"
              .formatted(file, Excerpt.of(order)));
    }
    return order;
  }

  private static Validity validity(ObjectNode root) {
    return new Validity(
        root.has("retention") ? Duration.parse(text(root, "retention")) : null,
        root.has("horizon") ? time(root, "horizon") : null);
  }
}
