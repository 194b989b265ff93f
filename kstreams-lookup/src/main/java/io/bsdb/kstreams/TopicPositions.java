package io.bsdb.kstreams;

import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Positions up to which the records of one topic are in a table, as its source positions say. They
 * are named {@code kafka:<cluster id>/<topic>/<topic id>/<partition>}.
 *
 * @param offsets the next one to be read of each partition
 */
record TopicPositions(
    String clusterId, String topic, String topicId, SortedMap<Integer, Long> offsets) {
  private static final String SCHEME = "kafka:";
  private static final String FORM = "kafka:<cluster id>/<topic>/<topic id>/<partition>";
  private static final Pattern NAME =
      Pattern.compile(SCHEME + "([^/]+)/([^/]+)/([^/]+)/([0-9]{1,9})");
  private static final Pattern OFFSET = Pattern.compile("[0-9]{1,18}");

  /**
   * Finds the positions of a topic among a table's source positions.
   *
   * @throws IllegalArgumentException if there are none, or those of several topics
   */
  static TopicPositions of(Map<String, String> sourcePositions) {
    Matcher first = null;
    SortedMap<Integer, Long> offsets = new TreeMap<>();
    for (Map.Entry<String, String> entry : new TreeMap<>(sourcePositions).entrySet()) {
      if (!entry.getKey().startsWith(SCHEME)) {
        continue;
      }
      Matcher name = NAME.matcher(entry.getKey());
      if (!name.matches() || !OFFSET.matcher(entry.getValue()).matches()) {
        throw new IllegalArgumentException(
            "a source position is not understood: expected='%s' and an offset actual='%s' and '%s'"
                .formatted(FORM, entry.getKey(), entry.getValue()));
      }
      if (first == null) {
        first = name;
      } else if (!topicOf(name).equals(topicOf(first))) {
        throw new IllegalArgumentException(
            "it has source positions of several topics: '%s', '%s'"
                .formatted(topicOf(first), topicOf(name)));
      }
      offsets.put(Integer.valueOf(name.group(4)), Long.valueOf(entry.getValue()));
    }
    if (first == null) {
      throw new IllegalArgumentException("it has no source positions of a topic: '" + FORM + "'");
    }
    return new TopicPositions(first.group(1), first.group(2), first.group(3), offsets);
  }

  private static String topicOf(Matcher name) {
    return name.group().substring(0, name.start(4));
  }

  /** Returns the name of a partition's position. */
  String name(int partition) {
    return SCHEME + clusterId + "/" + topic + "/" + topicId + "/" + partition;
  }

  /** Returns these as source positions of a table. */
  Map<String, String> sourcePositions() {
    Map<String, String> positions = new HashMap<>();
    offsets.forEach((partition, offset) -> positions.put(name(partition), offset.toString()));
    return positions;
  }
}
