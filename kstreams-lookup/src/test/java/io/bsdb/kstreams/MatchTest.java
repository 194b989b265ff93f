package io.bsdb.kstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.row.KeyEncoding;
import io.bsdb.row.Row;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lookups of the record that is near a key. */
class MatchTest {
  private static final Schema PRICES =
      Schema.builder()
          .column("item", "STRING")
          .column("valid_from", "BIGINT")
          .column("price", "INT")
          .primaryKey("item", "valid_from")
          .keyEncoding(KeyEncoding.ORDERED)
          .build();

  @TempDir private Path table;

  record At(String item, long time) {}

  private void buildPrices(RecordOrder order) throws IOException {
    RowCodec codec = RowCodec.of(PRICES);
    WriterOptions options = WriterOptions.builder().order(order).schema(PRICES).build();
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      writer.add(codec.encodeKey("a", 10L), codec.encodeValue(1));
      writer.add(codec.encodeKey("a", 20L), codec.encodeValue(2));
      writer.add(codec.encodeKey("b", -5L), codec.encodeValue(3));
      writer.publish();
    }
  }

  private LookupBuilder<At, Integer> prices() {
    return SnapshotLookup.<At, Integer>builder("prices")
        .table(table)
        .match(Match.FLOOR)
        .refreshEvery(Duration.ofDays(1))
        .rows(
            (key, at) -> key.writeString(at.item()).writeLong(at.time()),
            (Row row) -> row.intValue("price"));
  }

  @Test
  void findsThePriceInForceOfTheSameItem() throws Exception {
    buildPrices(RecordOrder.KEY);
    try (var prices = prices().build()) {
      assertThat(prices.get(new At("a", 10))).isEqualTo(1);
      assertThat(prices.get(new At("a", 19))).isEqualTo(1);
      assertThat(prices.get(new At("a", 1000))).isEqualTo(2);
      assertThat(prices.get(new At("a", 9))).isNull();
      assertThat(prices.get(new At("b", -6))).isNull(); // not that of item a
      assertThat(prices.get(new At("b", 0))).isEqualTo(3);
      assertThat(prices.get(new At("c", 0))).isNull();
    }
  }

  @Test
  void findsTheLongestPrefix() throws Exception {
    WriterOptions options = WriterOptions.builder().order(RecordOrder.KEY).build();
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      writer.add(bytes("41"), bytes("Switzerland"));
      writer.add(bytes("4144"), bytes("Zurich"));
      writer.publish();
    }
    try (var operators =
        SnapshotLookup.<String, String>builder("operators")
            .table(table)
            .match(Match.LONGEST_PREFIX)
            .serdes(Serdes.String(), Serdes.String())
            .build()) {
      assertThat(operators.get("41446681234")).isEqualTo("Zurich");
      assertThat(operators.get("41791234567")).isEqualTo("Switzerland");
      assertThat(operators.get("33")).isNull();
    }
  }

  @Test
  void refusesATableInHashOrder() throws Exception {
    buildPrices(RecordOrder.HASH);
    assertThatThrownBy(() -> prices().build())
        .isInstanceOf(SchemaMismatchException.class)
        .hasMessageContaining("it is in hash order, which has no match FLOOR");

    buildPrices(RecordOrder.KEY);
    try (var prices = prices().build()) {
      buildPrices(RecordOrder.HASH);
      assertThatThrownBy(prices::refresh).isInstanceOf(SchemaMismatchException.class);
      assertThat(prices.get(new At("a", 19))).isEqualTo(1);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
