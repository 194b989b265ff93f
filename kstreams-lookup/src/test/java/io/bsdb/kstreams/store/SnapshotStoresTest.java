package io.bsdb.kstreams.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.processor.StateStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotStoresTest {
  @TempDir Path directory;

  @Test
  void needAKafkaStreamsWhoseStoresManageOffsets() {
    boolean newEnough =
        Stream.of(StateStore.class.getMethods())
            .anyMatch(method -> method.getName().equals("managesOffsets"));
    if (newEnough) {
      var supplier = SnapshotStores.keyValue("customers").base(directory);
      assertThat(supplier.name()).isEqualTo("customers");
      assertThat(supplier.metricsScope()).isEqualTo("bsdb");
    } else {
      assertThatThrownBy(() -> SnapshotStores.keyValue("customers"))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("Kafka Streams 4.3 or newer: store=customers");
    }
  }

  @Test
  @Tag("stores")
  void areForGlobalTables() {
    StreamsBuilder builder = new StreamsBuilder();
    builder.table(
        "customers",
        Consumed.with(Serdes.String(), Serdes.String()),
        Materialized.as(SnapshotStores.keyValue("customers").base(directory)));
    Properties config = new Properties();
    config.put(StreamsConfig.APPLICATION_ID_CONFIG, "test");
    config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "localhost:1");
    config.put(StreamsConfig.STATE_DIR_CONFIG, directory.toString());
    assertThatThrownBy(() -> new TopologyTestDriver(builder.build(), config))
        .hasStackTraceContaining("StreamsBuilder.globalTable");
  }

  @Test
  void sayThatBrokersDoNotAnswer() {
    assertThatThrownBy(() -> TopicState.get(new CompletableFuture<>(), Duration.ZERO))
        .isInstanceOf(TimeoutException.class)
        .hasMessageStartingWith(
            "the brokers have not answered within 0 s; check bootstrap.servers");
  }
}
