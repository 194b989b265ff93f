package io.bsdb.kstreams;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
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

  /**
   * That the profile tests with the libraries of that release, too, not with those of this build.
   */
  @Test
  void testsRunOnTheLibrariesOfThatRelease() {
    String expected =
        System.getProperty("zstd-jni.expected.version", System.getProperty("zstd-jni.version"));
    assertThat(Zstd.class.getProtectionDomain().getCodeSource().getLocation())
        .asString()
        .endsWith("zstd-jni-" + expected + ".jar");
  }
}
