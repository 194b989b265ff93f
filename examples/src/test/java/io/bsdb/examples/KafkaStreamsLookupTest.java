package io.bsdb.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.kstreams.testing.TemporaryTable;
import io.bsdb.testkit.Await;
import io.bsdb.testkit.ChildProcess;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TopologyTestDriver;
import org.junit.jupiter.api.Test;

/** How to test a topology: the example of the guide, with what it leaves out. */
class KafkaStreamsLookupTest {
  @Test
  void enrichesOrders() throws Exception {
    Properties config = new Properties();
    config.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    config.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    try (var table = TemporaryTable.create(Serdes.String(), Serdes.String())) {
      table.publish(Map.of("c1", "Ada"));
      try (var customers = table.lookup("customers").build();
          var driver = new TopologyTestDriver(KafkaStreamsLookup.topology(customers), config)) {
        var orders =
            driver.createInputTopic("orders", new StringSerializer(), new StringSerializer());
        var enriched =
            driver.createOutputTopic(
                "enriched-orders", new StringDeserializer(), new StringDeserializer());
        orders.pipeInput("o1", "c1");
        orders.pipeInput("o2", "c2");
        assertThat(enriched.readValuesToList()).containsExactly("c1 is Ada", "c2 is null");

        table.publish(Map.of("c1", "Grace"));
        customers.refresh();
        orders.pipeInput("o3", "c1");
        assertThat(enriched.readValue()).isEqualTo("c1 is Grace");
      }
    }
  }

  @Test
  void closesTheApplicationBeforeJavaHalts() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    AtomicReference<Thread> hook = new AtomicReference<>();
    AtomicReference<Thread.State> stateWhileClosing = new AtomicReference<>();
    Thread main =
        new Thread(
            () -> {
              try {
                end.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              stateWhileClosing.set(restingState(hook.get()));
            });
    hook.set(KafkaStreamsLookup.endOf(main, end));
    main.start();
    hook.get().start();
    hook.get().join();
    main.join();
    assertThat(stateWhileClosing).hasValue(Thread.State.WAITING);
  }

  /** That of a thread once it waits or has ended. */
  private static Thread.State restingState(Thread thread) {
    Await.until(
        () ->
            thread.getState() == Thread.State.WAITING
                || thread.getState() == Thread.State.TERMINATED);
    return thread.getState();
  }

  @Test
  void withoutArgumentsItShowsItsUsage() throws Exception {
    ChildProcess.Result result = ChildProcess.run(ChildProcess.of(KafkaStreamsLookup.class));
    assertThat(result.lines()).containsExactly("usage: KafkaStreamsLookup TABLE BOOTSTRAP_SERVERS");
    assertThat(result.status()).isEqualTo(2);
  }

  @Test
  void opensATable() throws Exception {
    try (var table = TemporaryTable.create(Serdes.String(), Serdes.String())) {
      table.publish(Map.of("c1", "Ada"));
      try (var customers = KafkaStreamsLookup.open(table.directory())) {
        assertThat(customers.get("c1")).isEqualTo("Ada");
      }
    }
  }
}
