package io.bsdb.kstreams;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.test.TestRecord;

/** A topology from "orders" to "enriched", all strings, in a test driver. */
final class Joins implements AutoCloseable {
  static final String ORDERS = "orders";
  static final String ENRICHED = "enriched";

  final TopologyTestDriver driver;
  final TestInputTopic<String, String> orders;
  final TestOutputTopic<String, String> enriched;

  private boolean closed;

  private Joins(StreamsBuilder builder, Map<String, ?> settings) {
    Properties config = config();
    config.putAll(settings);
    this.driver = new TopologyTestDriver(builder.build(), config);
    var strings = Serdes.String();
    this.orders = driver.createInputTopic(ORDERS, strings.serializer(), strings.serializer());
    this.enriched =
        driver.createOutputTopic(ENRICHED, strings.deserializer(), strings.deserializer());
  }

  static Properties config() {
    Properties config = new Properties();
    config.put(StreamsConfig.APPLICATION_ID_CONFIG, "joins");
    config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "none:9092");
    // newer versions create it even without stores, and leave it
    config.put(
        StreamsConfig.STATE_DIR_CONFIG,
        Path.of("target", "streams-state", UUID.randomUUID().toString()).toString());
    config.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    config.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    return config;
  }

  static Joins of(UnaryOperator<KStream<String, String>> topology) {
    return of(topology, Map.of());
  }

  static Joins of(UnaryOperator<KStream<String, String>> topology, Map<String, ?> settings) {
    return of((builder, orders) -> topology.apply(orders), settings);
  }

  static Joins of(
      BiFunction<StreamsBuilder, KStream<String, String>, KStream<String, String>> topology) {
    return of(topology, Map.of());
  }

  private static Joins of(
      BiFunction<StreamsBuilder, KStream<String, String>, KStream<String, String>> topology,
      Map<String, ?> settings) {
    StreamsBuilder builder = new StreamsBuilder();
    KStream<String, String> orders =
        builder.stream(ORDERS, Consumed.with(Serdes.String(), Serdes.String()));
    topology.apply(builder, orders).to(ENRICHED, Produced.with(Serdes.String(), Serdes.String()));
    return new Joins(builder, settings);
  }

  /** What the topology made of one order. */
  List<String> send(String key, String value) {
    orders.pipeInput(key, value);
    return enriched.readValuesToList();
  }

  List<TestRecord<String, String>> send(TestRecord<String, String> order) {
    orders.pipeInput(order);
    return enriched.readRecordsToList();
  }

  /** May be called twice, unlike the driver's. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      driver.close();
    }
  }
}
