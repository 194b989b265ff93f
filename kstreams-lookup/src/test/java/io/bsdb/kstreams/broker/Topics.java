package io.bsdb.kstreams.broker;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Makes topics. */
final class Topics {
  private Topics() {}

  /**
   * Creates topics and waits until the leader of each partition answers for it. Metadata name the
   * leader a moment before. If a producer's first batch is refused in that moment, and its second
   * one is not, the leader takes the second one's sequence number for the partition's first, and
   * refuses the first batch until it expires.
   */
  static void create(Admin admin, NewTopic... topics) throws Exception {
    admin.createTopics(List.of(topics)).all().get(1, TimeUnit.MINUTES);
    Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
    for (NewTopic topic : topics) {
      for (int partition = 0; partition < topic.numPartitions(); partition++) {
        ends.put(new TopicPartition(topic.name(), partition), OffsetSpec.latest());
      }
    }
    long deadline = System.nanoTime() + Traffic.PATIENCE.toNanos();
    while (true) {
      try {
        admin.listOffsets(ends).all().get(1, TimeUnit.MINUTES);
        return;
      } catch (ExecutionException e) {
        // The admin client retries all but this: the broker is about to learn of the topic.
        if (!(e.getCause() instanceof UnknownTopicOrPartitionException)
            || System.nanoTime() > deadline) {
          throw e;
        }
      }
    }
  }
}
