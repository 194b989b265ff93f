package io.bsdb.examples;

import io.bsdb.kstreams.SnapshotStores;
import io.bsdb.live.Durability;
import io.bsdb.live.WritableOptions;
import io.bsdb.live.WritableTable;
import io.bsdb.live.WriteBatch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.GlobalKTable;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;

/**
 * Joins a stream of orders with a global table of customers that begins with a snapshot. Run it
 * with {@code base} from time to time, on one machine, so that applications that begin have little
 * left to read of the topic.
 */
public final class KafkaStreamsGlobalTable {
  private KafkaStreamsGlobalTable() {}

  /** Runs it with the base's directory and Kafka's bootstrap servers, and perhaps {@code base}. */
  public static void main(String[] arguments) throws Exception {
    Path base = Path.of(arguments[0]);
    if (arguments.length == 3 && arguments[2].equals("base")) {
      readTopic("customers", base, arguments[1]);
      return;
    }
    Properties properties = new Properties();
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "bsdb-global-table");
    properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[1]);
    properties.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    properties.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    CountDownLatch end = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(KafkaStreamsLookup.endOf(Thread.currentThread(), end));
    try (var streams = new KafkaStreams(topology(base), properties)) {
      streams.start();
      end.await();
    }
  }

  /** Returns the topology from "orders", whose values are customer ids, to "enriched-orders". */
  static Topology topology(Path base) {
    StreamsBuilder builder = new StreamsBuilder();
    GlobalKTable<String, String> customers =
        builder.globalTable(
            "customers",
            Consumed.with(Serdes.String(), Serdes.String()),
            Materialized.as(SnapshotStores.keyValue("customers").base(base)));
    KStream<String, String> orders = builder.stream("orders");
    orders
        .leftJoin(
            customers,
            (orderId, customerId) -> customerId,
            (customerId, customer) -> customerId + " is " + customer)
        .to("enriched-orders");
    return builder.build();
  }

  /** Has the base go on to where the topic ends now. */
  static void readTopic(String topic, Path base, String bootstrapServers) throws Exception {
    Map<String, Object> settings = Map.of("bootstrap.servers", bootstrapServers);
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    try (Admin admin = Admin.create(settings);
        var consumer = new KafkaConsumer<>(settings, bytes, bytes);
        WritableTable table =
            WritableTable.open(base, WritableOptions.defaults().withDurability(Durability.OS))) {
      Map<String, String> positions = table.sourcePositions();
      for (var end : SnapshotStores.endPositions(admin, topic).entrySet()) {
        String source = end.getKey(); // kafka:<cluster id>/<topic>/<topic id>/<partition>
        int partition = Integer.parseInt(source.substring(source.lastIndexOf('/') + 1));
        TopicPartition from = new TopicPartition(topic, partition);
        consumer.assign(List.of(from));
        if (positions.containsKey(source)) {
          consumer.seek(from, Long.parseLong(positions.get(source)));
        } else {
          consumer.seekToBeginning(List.of(from));
        }
        do {
          WriteBatch batch = new WriteBatch();
          for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
            if (record.value() == null) {
              batch.delete(record.key());
            } else {
              batch.put(record.key(), record.value());
            }
          }
          batch.position(source, Long.toString(consumer.position(from)));
          table.write(batch);
        } while (consumer.position(from) < Long.parseLong(end.getValue()));
      }
      table.publish();
    }
  }
}
