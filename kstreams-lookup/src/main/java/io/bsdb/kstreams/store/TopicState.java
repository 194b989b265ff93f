package io.bsdb.kstreams.store;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.jspecify.annotations.Nullable;

/**
 * A topic as its cluster describes it.
 *
 * @param asOf a time before the offsets were asked for
 * @param starts the first offset that each partition still has
 * @param stableEnds the first offset of each partition that may belong to a transaction in
 *     progress, or else that of the next record
 * @param ends the offset of the next record of each partition
 */
record TopicState(
    String clusterId,
    String topic,
    String topicId,
    Instant asOf,
    SortedMap<Integer, Long> starts,
    SortedMap<Integer, Long> stableEnds,
    SortedMap<Integer, Long> ends) {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final String NO_ID = Uuid.ZERO_UUID.toString();

  static TopicState of(Admin admin, String topic)
      throws ExecutionException, TimeoutException, InterruptedException {
    TopicDescription description = describe(admin, topic);
    Instant asOf = Instant.now();
    return new TopicState(
        get(admin.describeCluster().clusterId()),
        topic,
        description.topicId().toString(),
        asOf,
        offsets(admin, description, OffsetSpec.earliest(), IsolationLevel.READ_UNCOMMITTED),
        offsets(admin, description, OffsetSpec.latest(), IsolationLevel.READ_COMMITTED),
        offsets(admin, description, OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED));
  }

  private static TopicDescription describe(Admin admin, String topic)
      throws ExecutionException, TimeoutException, InterruptedException {
    try {
      return requireNonNull(get(admin.describeTopics(List.of(topic)).allTopicNames()).get(topic));
    } catch (ExecutionException e) {
      Throwable cause = requireNonNull(e.getCause());
      throw new ExecutionException(
          "the cluster does not describe the topic '%s': %s; check its name, and that this user may describe it"
              .formatted(topic, cause.getMessage()),
          cause);
    }
  }

  private static SortedMap<Integer, Long> offsets(
      Admin admin, TopicDescription topic, OffsetSpec wanted, IsolationLevel isolation)
      throws ExecutionException, TimeoutException, InterruptedException {
    Map<TopicPartition, OffsetSpec> partitions = new HashMap<>();
    for (TopicPartitionInfo partition : topic.partitions()) {
      partitions.put(new TopicPartition(topic.name(), partition.partition()), wanted);
    }
    SortedMap<Integer, Long> offsets = new TreeMap<>();
    get(admin.listOffsets(partitions, new ListOffsetsOptions(isolation)).all())
        .forEach((partition, found) -> offsets.put(partition.partition(), found.offset()));
    return offsets;
  }

  /**
   * Returns how long the topic keeps a record that deletes a key, at least; null if it keeps them
   * as long as any other.
   */
  static @Nullable Duration deletesKept(Admin admin, String topic)
      throws ExecutionException, TimeoutException, InterruptedException {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    Config config =
        requireNonNull(get(admin.describeConfigs(List.of(resource)).all()).get(resource));
    return config
            .get(TopicConfig.CLEANUP_POLICY_CONFIG)
            .value()
            .contains(TopicConfig.CLEANUP_POLICY_COMPACT)
        ? Duration.ofMillis(
            Long.parseLong(config.get(TopicConfig.DELETE_RETENTION_MS_CONFIG).value()))
        : null;
  }

  private static <T> T get(Future<T> answer)
      throws ExecutionException, TimeoutException, InterruptedException {
    return get(answer, TIMEOUT);
  }

  static <T> T get(Future<T> answer, Duration timeout)
      throws ExecutionException, TimeoutException, InterruptedException {
    try {
      return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException wordless) {
      throw new TimeoutException(
          "the brokers have not answered within %d s; check bootstrap.servers, and that they can be reached"
              .formatted(timeout.toSeconds()));
    }
  }

  /** Returns the position after the last record that is committed. */
  TopicPositions endPositions() {
    return new TopicPositions(clusterId, topic, topicId, stableEnds, asOf);
  }

  /** Returns the position before all records. */
  TopicPositions startPositions() {
    return new TopicPositions(clusterId, topic, topicId, starts, asOf);
  }

  /** Returns where to read on after some positions: added partitions from their start. */
  SortedMap<Integer, Long> missing(TopicPositions positions) {
    SortedMap<Integer, Long> missing = new TreeMap<>(starts);
    missing.putAll(positions.offsets());
    return missing;
  }

  /** Returns the positions once all that is missing after some has been read. */
  TopicPositions after(TopicPositions positions) {
    SortedMap<Integer, Long> after = new TreeMap<>(stableEnds);
    positions.offsets().forEach((partition, offset) -> after.merge(partition, offset, Math::max));
    return new TopicPositions(clusterId, topic, topicId, after, asOf);
  }

  /** Returns why a table cannot go on from its positions in this topic; null if it can. */
  @Nullable String misfit(TopicPositions positions) {
    if (!positions.clusterId().equals(clusterId)) {
      return "it is of another cluster: expected=%s actual=%s"
          .formatted(clusterId, positions.clusterId());
    }
    if (!positions.topicId().equals(topicId) && !positions.topicId().equals(NO_ID)) {
      return "the topic was deleted and created again: expected topic id=%s actual=%s"
          .formatted(topicId, positions.topicId());
    }
    if (!ends.keySet().containsAll(positions.offsets().keySet())) {
      return "it has positions of partitions that the topic does not have: expected=%s actual=%s"
          .formatted(ends.keySet(), positions.offsets().keySet());
    }
    for (Map.Entry<Integer, Long> position : positions.offsets().entrySet()) {
      int partition = position.getKey();
      long start = starts.getOrDefault(partition, 0L);
      long end = ends.getOrDefault(partition, 0L);
      if (position.getValue() < start) {
        return "records after it were deleted: partition=%d position=%d first offset=%d"
            .formatted(partition, position.getValue(), start);
      }
      if (position.getValue() > end) {
        return "the topic ends before it: partition=%d position=%d end offset=%d"
            .formatted(partition, position.getValue(), end);
      }
    }
    return null;
  }
}
