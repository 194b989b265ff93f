package io.bsdb.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.examples.KafkaStreamsHistory.Order;
import io.bsdb.kstreams.SnapshotLookup;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.kstream.ValueMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Joins with what was valid at the time of the record. */
class KafkaStreamsHistoryTest {
  @TempDir private Path directory;

  private static <K> List<String> priced(
      SnapshotLookup<K, KafkaStreamsHistory.Price> prices,
      ValueMapper<String, K> key,
      Instant... times) {
    try (var driver =
        new TopologyTestDriver(KafkaStreamsHistory.topology(prices, key), new Properties())) {
      var orders =
          driver.createInputTopic("orders", new StringSerializer(), new StringSerializer());
      for (Instant time : times) {
        orders.pipeInput("o", "bread", time);
      }
      return driver
          .createOutputTopic("priced-orders", new StringDeserializer(), new StringDeserializer())
          .readValuesToList();
    }
  }

  @Test
  void takesTheTimeOfTheRecord() throws Exception {
    Instant now = Instant.now();
    var unused = JavaHistory.build(directory, now);

    try (var prices = KafkaStreamsHistory.prices(directory)) {
      assertThat(
              priced(
                  prices,
                  item -> item,
                  now,
                  now.minus(Duration.ofDays(7)),
                  now.minus(Duration.ofDays(15))))
          .containsExactly("bread was 3.50", "bread had no price", "bread was 3.20");
    }
  }

  @Test
  void addsTheTimeToTheOtherColumns() throws Exception {
    Schema schema =
        Schema.builder()
            .column("region", "STRING")
            .column("item", "STRING")
            .column("valid_from", "TIMESTAMP(3)")
            .column("price", "DECIMAL(8, 2)")
            .primaryKey("region", "item", "valid_from")
            .keyEncoding(KeyEncoding.ORDERED)
            .build();
    RowCodec codec = RowCodec.of(schema);
    WriterOptions options = WriterOptions.builder().history(null).schema(schema).build();
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      for (int hour = 1; hour < 4; hour++) {
        writer.add(
            codec.encodeKey("north", "bread", LocalDateTime.of(2026, 1, 1, hour, 0)),
            codec.encodeValue(new BigDecimal(hour + ".00")));
      }
      writer.publish();
    }

    Instant two = Instant.parse("2026-01-01T02:59:59Z");
    try (var prices = KafkaStreamsHistory.regionalPrices(directory)) {
      assertThat(priced(prices, item -> new Order("north", item), two))
          .containsExactly("bread was 2.00");
      assertThat(priced(prices, item -> new Order("south", item), two))
          .containsExactly("bread had no price");
    }
  }
}
