package io.bsdb.kstreams.broker;

import org.apache.kafka.common.test.KafkaClusterTestKit;
import org.apache.kafka.common.test.TestKitNodes;

/** A KRaft node in this process, on the loopback interface. */
final class EmbeddedBroker implements Broker {
  private final KafkaClusterTestKit cluster;

  private EmbeddedBroker(KafkaClusterTestKit cluster) {
    this.cluster = cluster;
  }

  static Broker start() {
    try {
      var nodes =
          new TestKitNodes.Builder()
              .setCombined(true)
              .setNumBrokerNodes(1)
              .setNumControllerNodes(1)
              .build();
      var builder = new KafkaClusterTestKit.Builder(nodes);
      BrokerConfig.PROPERTIES.forEach(builder::setConfigProp);
      KafkaClusterTestKit cluster = builder.build();
      try {
        cluster.format();
        cluster.startup();
        cluster.waitForReadyBrokers();
        return new EmbeddedBroker(cluster);
      } catch (Throwable e) {
        cluster.close();
        throw e;
      }
    } catch (Exception e) {
      throw new IllegalStateException("no embedded broker", e);
    }
  }

  @Override
  public String bootstrapServers() {
    return cluster.bootstrapServers();
  }

  @Override
  public void close() throws Exception {
    cluster.close();
  }
}
