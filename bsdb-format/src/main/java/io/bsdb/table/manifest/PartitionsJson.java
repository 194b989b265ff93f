package io.bsdb.table.manifest;

import static io.bsdb.table.manifest.JsonMembers.checksum;
import static io.bsdb.table.manifest.JsonMembers.number;
import static io.bsdb.table.manifest.JsonMembers.required;
import static io.bsdb.table.manifest.JsonMembers.text;
import static io.bsdb.table.manifest.JsonMembers.uuid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Excerpt;
import io.bsdb.format.SnapshotFormat;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/** The partition files in the JSON of a manifest. */
final class PartitionsJson {
  /** Maximum of lengths, so that the sum over all partitions is a long. */
  private static final long MAX_BYTES = Long.MAX_VALUE / SnapshotFormat.MAX_PARTITIONS;

  private static final Pattern FILE_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,199}");

  private PartitionsJson() {}

  static void write(List<PartitionFile> partitions, ObjectNode root) {
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
      if (file.lowerBound().isKey()) {
        entry.put("lowerBound", file.lowerBound().toString());
      }
    }
  }

  /** Reads a bound and checks that it is above the one of the partition before. */
  private static Bound lowerBound(JsonNode node, List<PartitionFile> before) {
    String text = text(node, "lowerBound");
    try {
      Bound bound = Bound.parse(text);
      if (before.isEmpty()
          ? bound.equals(Bound.FIRST)
          : before.get(before.size() - 1).lowerBound().compareTo(bound) < 0) {
        return bound;
      }
    } catch (IllegalArgumentException e) {
      // The message below covers it.
    }
    throw new IllegalArgumentException(
        "lowerBound of partition %d is not above the one before, too long or no Base64: '%s'"
            .formatted(before.size(), Excerpt.of(text)));
  }

  static List<PartitionFile> read(ObjectNode root, boolean inKeyOrder, String file)
      throws CorruptSnapshotException {
    JsonNode nodes = required(root, "partitions");
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
              name,
              fileId,
              number(node, "length", MAX_BYTES),
              checksum(node),
              (int) number(node, "recordCount", SnapshotFormat.MAX_PARTITION_RECORDS),
              number(node, "keyBytes", MAX_BYTES),
              number(node, "valueBytes", MAX_BYTES),
              new PartitionFile.Place(
                  partitions.size(),
                  node.has("version") ? text(node, "version", Manifest.VERSION) : null,
                  node.has("foldedThrough") ? number(node, "foldedThrough", Long.MAX_VALUE) : 0,
                  inKeyOrder ? lowerBound(node, partitions) : Bound.NONE)));
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
