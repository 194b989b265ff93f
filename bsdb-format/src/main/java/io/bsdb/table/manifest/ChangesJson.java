package io.bsdb.table.manifest;

import static io.bsdb.table.manifest.JsonMembers.array;
import static io.bsdb.table.manifest.JsonMembers.checksum;
import static io.bsdb.table.manifest.JsonMembers.number;
import static io.bsdb.table.manifest.JsonMembers.object;
import static io.bsdb.table.manifest.JsonMembers.text;
import static io.bsdb.table.manifest.JsonMembers.time;
import static io.bsdb.table.manifest.JsonMembers.uuid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.segment.SegmentWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;

/** The members of a manifest that only version 2 has, but for those of its partitions. */
final class ChangesJson {
  private static final Pattern HASH_WORD = Pattern.compile("[0-9a-f]{16}");

  private ChangesJson() {}

  static void write(Changes changes, ObjectNode root) {
    if (changes.equals(Changes.NONE)) {
      return;
    }
    root.put("lastSegment", changes.lastSegment());
    writeSegments(changes.segments(), root.putArray("segments"));
    History history = changes.history();
    if (!history.equals(History.NONE)) {
      ObjectNode node = root.putObject("history");
      if (history.line() != null) {
        node.put("line", history.line().toString());
      }
      node.put("after", history.after());
      writeSegments(history.segments(), node.putArray("segments"));
    }
    if (!changes.streams().isEmpty()) {
      ObjectNode streams = root.putObject("streams");
      new TreeMap<>(changes.streams())
          .forEach(
              (stream, progress) -> {
                ObjectNode entry = put(streams.putObject(stream), progress.last());
                ArrayNode superseded = entry.putArray("superseded");
                progress.superseded().forEach(last -> put(superseded.addObject(), last));
                if (progress.sourceTime() != null) {
                  entry.put("sourceTime", progress.sourceTime().toString());
                }
              });
    }
  }

  private static void writeSegments(List<SegmentFile> segments, ArrayNode target) {
    for (SegmentFile segment : segments) {
      target
          .addObject()
          .put("number", segment.number())
          .put("fileId", segment.fileId().toString())
          .put("length", segment.length())
          .put("checksum", SnapshotFormat.hex(segment.checksum()))
          .put("firstHash", "%016x".formatted(segment.firstHash()))
          .put("lastHash", "%016x".formatted(segment.lastHash()))
          .put("puts", segment.puts())
          .put("deletes", segment.deletes());
    }
  }

  private static ObjectNode put(ObjectNode entry, StreamProgress.Checkpoint checkpoint) {
    return entry
        .put("incarnation", checkpoint.incarnation().toString())
        .put("checkpoint", checkpoint.number());
  }

  /**
   * Reads them.
   *
   * @throws IllegalArgumentException if one has another form
   * @throws CorruptSnapshotException if they contradict each other
   */
  static Changes read(JsonNode root, String file) throws CorruptSnapshotException {
    if (!root.has("segments")) {
      return Changes.NONE;
    }
    long last = number(root, "lastSegment", Long.MAX_VALUE);
    Set<UUID> fileIds = new HashSet<>();
    List<SegmentFile> segments =
        segments(array(root, "segments", Changes.MAX_SEGMENTS), 0, last, fileIds, file);
    History history = History.NONE;
    if (root.has("history")) {
      JsonNode node = object(root, "history");
      long after = number(node, "after", last);
      history =
          new History(
              node.has("line") ? uuid(node, "line") : null,
              after,
              segments(array(node, "segments", History.MAX_SEGMENTS), after, last, fileIds, file));
    }
    return new Changes(segments, last, streams(root), history);
  }

  private static List<SegmentFile> segments(
      JsonNode nodes, long first, long last, Set<UUID> fileIds, String file)
      throws CorruptSnapshotException {
    List<SegmentFile> segments = new ArrayList<>();
    long before = first;
    for (JsonNode node : nodes) {
      SegmentFile segment =
          new SegmentFile(
              number(node, "number", last),
              uuid(node, "fileId"),
              number(node, "length", SegmentWriter.MAX_LENGTH),
              checksum(node),
              hash(node, "firstHash"),
              hash(node, "lastHash"),
              number(node, "puts", SegmentWriter.MAX_LENGTH),
              number(node, "deletes", SegmentWriter.MAX_LENGTH));
      if (segment.number() <= before || !fileIds.add(segment.fileId())) {
        throw new CorruptSnapshotException(
            "manifest has segments out of order: file=%s number=%d after %d fileId=%s"
                .formatted(file, segment.number(), before, segment.fileId()));
      }
      before = segment.number();
      segments.add(segment);
    }
    return segments;
  }

  private static Map<String, StreamProgress> streams(JsonNode root) {
    if (!root.has("streams")) {
      return Map.of();
    }
    Map<String, StreamProgress> streams = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> entry : object(root, "streams").properties()) {
      List<StreamProgress.Checkpoint> others = new ArrayList<>();
      array(entry.getValue(), "superseded", StreamProgress.MAX_SUPERSEDED)
          .forEach(other -> others.add(checkpoint(other)));
      JsonNode stream = entry.getValue();
      streams.put(
          entry.getKey(),
          new StreamProgress(
              checkpoint(stream),
              others,
              stream.has("sourceTime") ? time(stream, "sourceTime") : null));
    }
    return streams;
  }

  private static StreamProgress.Checkpoint checkpoint(JsonNode node) {
    return new StreamProgress.Checkpoint(
        uuid(node, "incarnation"), number(node, "checkpoint", Long.MAX_VALUE));
  }

  private static long hash(JsonNode node, String name) {
    return Long.parseUnsignedLong(text(node, name, HASH_WORD), 16);
  }
}
