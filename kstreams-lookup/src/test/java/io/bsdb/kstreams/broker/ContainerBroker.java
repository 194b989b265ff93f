package io.bsdb.kstreams.broker;

import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.utility.DockerImageName;

/** A broker in a container, of the version that the tests were compiled with. */
final class ContainerBroker implements Broker {
  private final KafkaContainer container;

  private ContainerBroker(KafkaContainer container) {
    this.container = container;
  }

  static Broker start() {
    String version = System.getProperty("kafka.version", "4.3.1");
    var container = new KafkaContainer(DockerImageName.parse("apache/kafka-native:" + version));
    BrokerConfig.PROPERTIES.forEach(
        (name, value) ->
            container.withEnv(
                "KAFKA_" + name.toUpperCase(java.util.Locale.ROOT).replace('.', '_'), value));
    container.start();
    return new ContainerBroker(container);
  }

  @Override
  public String bootstrapServers() {
    return container.getBootstrapServers();
  }

  @Override
  public void close() {
    container.close();
  }
}
