package io.bsdb.kstreams.broker;

import io.bsdb.kstreams.SnapshotLookup;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.ForeachAction;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;

/**
 * The application under test: exactly-once, two threads, from a topic of orders to one of enriched
 * orders.
 */
final class Enrichment {
  static final String VERSION_HEADER = "customers-version";
  static final int THREADS = 2;

  private Enrichment() {}

  /** Orders name a customer. What comes out is {@code order=customer}, or {@code order=null}. */
  static Topology topology(
      SnapshotLookup<String, String> customers,
      TopicNames names,
      ForeachAction<? super String, ? super String> afterwards) {
    StreamsBuilder builder = new StreamsBuilder();
    KStream<String, String> orders = builder.stream(names.orders());
    customers
        .leftJoin(
            orders,
            (key, order) -> order,
            (order, customer) -> order + "=" + customer,
            Named.as("enrich"))
        .peek(afterwards)
        .to(names.enriched());
    return builder.build();
  }

  static KafkaStreams streams(
      Topology topology,
      String bootstrapServers,
      TopicNames names,
      Path stateDirectory,
      Map<String, Object> settings) {
    Properties config = new Properties();
    config.putAll(settings);
    config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    config.put(StreamsConfig.APPLICATION_ID_CONFIG, names.application());
    config.put(StreamsConfig.STATE_DIR_CONFIG, stateDirectory.toString());
    config.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    config.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, THREADS);
    config.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 50);
    config.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    config.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    config.put(StreamsConfig.consumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "earliest");
    config.put(StreamsConfig.consumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), 3000);
    config.put(StreamsConfig.consumerPrefix(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG), 200);
    config.put(StreamsConfig.consumerPrefix(ConsumerConfig.MAX_POLL_RECORDS_CONFIG), 50);
    config.put(StreamsConfig.producerPrefix(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG), 3000);
    return new KafkaStreams(topology, config);
  }
}
