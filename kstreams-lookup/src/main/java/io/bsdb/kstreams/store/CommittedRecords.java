package io.bsdb.kstreams.store;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Reads the committed records of a topic, one partition after the other. */
final class CommittedRecords {
  /** For which a partition may give nothing although its end is not reached. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Consumer<byte[], byte[]> consumer;
  private long count;

  CommittedRecords(Consumer<byte[], byte[]> consumer) {
    this.consumer = consumer;
  }

  /** Returns the settings of the consumer. */
  static Map<String, Object> settings(Map<String, ?> settings) {
    Map<String, Object> all = new HashMap<>(settings);
    all.remove(ConsumerConfig.GROUP_ID_CONFIG);
    all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    return all;
  }

  /** Takes records. */
  interface Target {
    void put(byte[] key, byte[] value) throws IOException;

    void delete(byte[] key) throws IOException;

    /** Called with the offset after the records of a partition that came since the last call. */
    default void position(int partition, long offset) throws IOException {}
  }

  /** Returns the number of records read so far. */
  long count() {
    return count;
  }

  /**
   * Reads a topic.
   *
   * @param ends offset at which to stop, by partition
   * @throws org.apache.kafka.clients.consumer.OffsetOutOfRangeException if records are gone
   */
  void read(
      String topic, SortedMap<Integer, Long> starts, SortedMap<Integer, Long> ends, Target target)
      throws IOException, TimeoutException {
    for (Map.Entry<Integer, Long> start : starts.entrySet()) {
      TopicPartition partition = new TopicPartition(topic, start.getKey());
      long end = ends.getOrDefault(start.getKey(), 0L);
      consumer.assign(List.of(partition));
      consumer.seek(partition, start.getValue());
      long position = start.getValue();
      long moved = System.nanoTime();
      while (position < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          if (record.offset() < end) {
            add(record, target);
          }
        }
        long next = Math.min(consumer.position(partition), end);
        if (next > position) {
          moved = System.nanoTime();
          target.position(partition.partition(), next);
        } else if (System.nanoTime() - moved > PATIENCE.toNanos()) {
          throw new TimeoutException(
              "no records came for %d s: topic=%s partition=%d position=%d end=%d; check that the brokers answer and permit to read the topic"
                  .formatted(PATIENCE.toSeconds(), topic, partition.partition(), position, end));
        }
        position = next;
      }
    }
  }

  /** Adds a record, unless it has no key or an empty one. */
  private void add(ConsumerRecord<byte[], byte[]> record, Target target) throws IOException {
    count++;
    if (record.key() == null || record.key().length == 0) {
      return;
    }
    try {
      if (record.value() == null) {
        target.delete(record.key());
      } else {
        target.put(record.key(), record.value());
      }
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "a table cannot hold a record: topic=%s partition=%d offset=%d: %s"
              .formatted(record.topic(), record.partition(), record.offset(), e.getMessage()),
          e);
    }
  }
}
