package io.bsdb.examples;

import io.bsdb.kstreams.store.SnapshotStores;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
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
    boolean makesBase = arguments.length == 3 && arguments[2].equals("base");
    if (arguments.length != 2 && !makesBase) {
      System.err.println("usage: KafkaStreamsGlobalTable BASE BOOTSTRAP_SERVERS [base]");
      System.exit(2);
    }
    Path base = Path.of(arguments[0]);
    if (makesBase) {
      System.out.println(
          SnapshotStores.readTopic(Map.of("bootstrap.servers", arguments[1]), "customers", base));
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
}
