package io.bsdb.examples;

import io.bsdb.kstreams.SnapshotLookup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;

/**
 * Joins a stream of orders with a table of customers in Kafka Streams. Keys and values are strings;
 * build the table with {@code bsdb build --table customers --input customers.txt}.
 */
public final class KafkaStreamsLookup {
  private KafkaStreamsLookup() {}

  /** Runs it with the table's directory and Kafka's bootstrap servers. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    if (arguments.length != 2) {
      System.err.println("usage: KafkaStreamsLookup TABLE BOOTSTRAP_SERVERS");
      System.exit(2);
    }
    Properties properties = new Properties();
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "bsdb-example");
    properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[1]);
    properties.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    properties.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    CountDownLatch end = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(endOf(Thread.currentThread(), end));
    try (var customers = open(Path.of(arguments[0]));
        var streams = new KafkaStreams(topology(customers), properties)) {
      streams.start();
      end.await();
    }
  }

  /**
   * Returns a hook that ends the main thread and waits for it: Java halts as soon as its hooks have
   * returned.
   */
  static Thread endOf(Thread main, CountDownLatch end) {
    return new Thread(
        () -> {
          end.countDown();
          try {
            main.join();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        },
        "end");
  }

  /** Opens the table: fails here, before the application joins its group, if it cannot be read. */
  static SnapshotLookup<String, String> open(Path table) throws IOException {
    return SnapshotLookup.<String, String>builder("customers")
        .table(table)
        .serdes(Serdes.String(), Serdes.String())
        .build();
  }

  /** Returns the topology from "orders", whose values are customer ids, to "enriched-orders". */
  static Topology topology(SnapshotLookup<String, String> customers) {
    StreamsBuilder builder = new StreamsBuilder();
    KStream<String, String> orders = builder.stream("orders");
    customers
        .leftJoin(
            orders,
            (orderId, customerId) -> customerId,
            (customerId, customer) -> customerId + " is " + customer)
        .to("enriched-orders");
    return builder.build();
  }
}
