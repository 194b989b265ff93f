package io.bsdb.examples;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.common.test.KafkaClusterTestKit;
import org.apache.kafka.common.test.TestKitNodes;

/** A Kafka broker within this process, on the loopback interface. */
public final class EmbeddedKafka implements AutoCloseable {
  /** What makes one broker suffice, and lets an application start at once. */
  private static final Map<String, String> PROPERTIES =
      Map.of(
          "offsets.topic.replication.factor", "1",
          "offsets.topic.num.partitions", "1",
          "transaction.state.log.replication.factor", "1",
          "transaction.state.log.min.isr", "1",
          "transaction.state.log.num.partitions", "1",
          "group.initial.rebalance.delay.ms", "0");

  private final KafkaClusterTestKit cluster;

  private EmbeddedKafka(KafkaClusterTestKit cluster) {
    this.cluster = cluster;
  }

  /**
   * Starts a broker with free ports.
   *
   * @param directory for its files; closing deletes them
   */
  public static EmbeddedKafka start(Path directory) throws Exception {
    Files.createDirectories(directory);
    TestKitNodes nodes =
        new TestKitNodes.Builder()
            .setBaseDirectory(directory)
            .setCombined(true)
            .setNumBrokerNodes(1)
            .setNumControllerNodes(1)
            .build();
    KafkaClusterTestKit.Builder builder = new KafkaClusterTestKit.Builder(nodes);
    PROPERTIES.forEach(builder::setConfigProp);
    KafkaClusterTestKit cluster = builder.build();
    try {
      format(cluster);
      cluster.startup();
      cluster.waitForReadyBrokers();
      return new EmbeddedKafka(cluster);
    } catch (Throwable e) {
      cluster.close();
      throw e;
    }
  }

  /** Standard output is for results, and the test kit prints to it what it does. */
  private static void format(KafkaClusterTestKit cluster) throws Exception {
    PrintStream standardOutput = System.out;
    System.setOut(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
    try {
      cluster.format();
    } finally {
      System.setOut(standardOutput);
    }
  }

  /** Where clients connect. */
  public String bootstrapServers() {
    return cluster.bootstrapServers();
  }

  @Override
  public void close() throws Exception {
    cluster.close();
  }
}
