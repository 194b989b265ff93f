package io.bsdb.kstreams.store;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Positions up to which the records of one topic are in a table, from its source positions. They
 * are named {@code kafka:<cluster id>/<topic>/<topic id>/<partition>}, and {@code …/as-of}.
 *
 * @param offsets the next one to be read of each partition
 * @param asOf a time at which nothing had been deleted that follows the offsets, so that no delete
 *     is missed if the topic is read from there before it forgets deletes; null if unknown
 */
record TopicPositions(
    String clusterId,
    String topic,
    String topicId,
    SortedMap<Integer, Long> offsets,
    @Nullable Instant asOf) {
  private static final String SCHEME = "kafka:";
  private static final String AS_OF = "as-of";
  private static final String FORM = "kafka:<cluster id>/<topic>/<topic id>/<partition>";
  private static final Pattern NAME =
      Pattern.compile(SCHEME + "([^/]+)/([^/]+)/([^/]+)/([0-9]{1,9}|as-of)");
  private static final Pattern OFFSET = Pattern.compile("[0-9]{1,18}");

  /** By how much the clocks of the machines that build a base and use it may differ. */
  private static final Duration CLOCK_DIFFERENCE = Duration.ofMinutes(5);

  /**
   * Finds the positions of a topic among a table's source positions.
   *
   * @throws IllegalArgumentException if there are none, or those of several topics
   */
  static TopicPositions of(Map<String, String> sourcePositions) {
    Matcher first = null;
    Instant asOf = null;
    SortedMap<Integer, Long> offsets = new TreeMap<>();
    for (Map.Entry<String, String> entry : new TreeMap<>(sourcePositions).entrySet()) {
      if (!entry.getKey().startsWith(SCHEME)) {
        continue;
      }
      Matcher name = NAME.matcher(entry.getKey());
      boolean isTime = name.matches() && name.group(4).equals(AS_OF);
      if (!name.matches() || !(isTime ? isTime(entry) : isOffset(entry))) {
        throw new IllegalArgumentException(
            "a source position is not understood: expected='%s' and an offset, or 'as-of' in place of the partition and a time such as 2026-11-20T08:30:00Z actual='%s' and '%s'"
                .formatted(FORM, entry.getKey(), entry.getValue()));
      }
      if (first == null) {
        first = name;
      } else if (!topicOf(name).equals(topicOf(first))) {
        throw new IllegalArgumentException(
            "it has source positions of several topics: '%s', '%s'"
                .formatted(topicOf(first), topicOf(name)));
      }
      if (isTime) {
        asOf = Instant.parse(entry.getValue());
      } else {
        offsets.put(Integer.valueOf(name.group(4)), Long.valueOf(entry.getValue()));
      }
    }
    if (first == null) {
      throw new IllegalArgumentException("it has no source positions of a topic: '" + FORM + "'");
    }
    return new TopicPositions(first.group(1), first.group(2), first.group(3), offsets, asOf);
  }

  private static boolean isOffset(Map.Entry<String, String> position) {
    return OFFSET.matcher(position.getValue()).matches();
  }

  private static boolean isTime(Map.Entry<String, String> position) {
    try {
      Instant.parse(position.getValue());
      return true;
    } catch (DateTimeParseException e) {
      return false;
    }
  }

  private static String topicOf(Matcher name) {
    return name.group().substring(0, name.start(4));
  }

  /** Returns the name of a partition's position. */
  String name(int partition) {
    return name(Integer.toString(partition));
  }

  private String name(String position) {
    return SCHEME + clusterId + "/" + topic + "/" + topicId + "/" + position;
  }

  /**
   * Returns why a topic may have forgotten deletes that follow the offsets; null if it has not. The
   * age of a time in the future is not known.
   *
   * @param deletesKept for how long it keeps them; null if it keeps them as long as other records
   */
  @Nullable String forgotten(@Nullable Duration deletesKept) {
    if (deletesKept == null) {
      return null;
    }
    if (asOf == null) {
      return "it does not record as of when it has the topic, so deleted keys could come back: expected source position='%s'"
          .formatted(name(AS_OF));
    }
    Instant now = Instant.now();
    if (asOf.isAfter(now.plus(CLOCK_DIFFERENCE))) {
      return "it has the topic as of a time in the future, so its age is unknown and deleted keys could come back: as of=%s now=%s; set the clock of this machine, or that of the one that built the base and build it again"
          .formatted(asOf, now);
    }
    Duration age = Duration.between(asOf, now);
    return age.compareTo(deletesKept) < 0
        ? null
        : "it is older than the topic keeps deletes, so deleted keys could come back: as of=%s age=%d s delete.retention.ms=%d"
            .formatted(asOf, age.toSeconds(), deletesKept.toMillis());
  }

  /** Returns these as source positions of a table. */
  Map<String, String> sourcePositions() {
    Map<String, String> positions = new HashMap<>();
    offsets.forEach((partition, offset) -> positions.put(name(partition), offset.toString()));
    if (asOf != null) {
      positions.put(name(AS_OF), asOf.toString());
    }
    return positions;
  }
}
