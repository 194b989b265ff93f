package io.bsdb.kstreams;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.util.Properties;
import org.apache.kafka.streams.KafkaStreams;
import org.junit.jupiter.api.Test;

class KafkaVersionTest {
  /** That the profile which is to test with another release does. */
  @Test
  void testsRunOnTheReleaseThatWasAskedFor() throws Exception {
    Properties properties = new Properties();
    try (InputStream in =
        KafkaStreams.class.getResourceAsStream("/kafka/kafka-streams-version.properties")) {
      properties.load(in);
    }
    String expected =
        System.getProperty("kafka.expected.version", System.getProperty("kafka.version"));
    assertThat(properties).containsEntry("version", expected);
  }
}
