package io.bsdb.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.WriterOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TopologyTestDriver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaStreamsLookupTest {
  @TempDir private Path table;

  @Test
  void enrichesOrders() throws IOException {
    try (SnapshotWriter writer = SnapshotWriter.create(table, WriterOptions.defaults())) {
      writer.add("c1".getBytes(StandardCharsets.UTF_8), "Ada".getBytes(StandardCharsets.UTF_8));
      writer.publish();
    }
    Properties properties = new Properties();
    properties.putAll(
        Map.of(
            StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class,
            StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class));
    try (var customers = KafkaStreamsLookup.open(table);
        var driver = new TopologyTestDriver(KafkaStreamsLookup.topology(customers), properties)) {
      var orders =
          driver.createInputTopic("orders", new StringSerializer(), new StringSerializer());
      var enriched =
          driver.createOutputTopic(
              "enriched-orders", new StringDeserializer(), new StringDeserializer());

      orders.pipeInput("o1", "c1");
      orders.pipeInput("o2", "c2");

      assertThat(enriched.readKeyValuesToMap())
          .containsExactlyInAnyOrderEntriesOf(Map.of("o1", "c1 is Ada", "o2", "c2 is null"));
    }
  }
}
