package io.bsdb.kstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.row.KeyEncoding;
import io.bsdb.row.Row;
import io.bsdb.row.RowCodec;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.Records;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
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
    Records.of("41", "Switzerland", "4144", "Zurich").publish(table, options);
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

  private static final int LONGEST_KEY = 65_535;

  @Test
  void findsWhatIsNearAKeyThatNoTableCanHold() throws Exception {
    Schema schema =
        Schema.builder()
            .column("prefix", "STRING")
            .column("operator", "STRING")
            .primaryKey("prefix")
            .keyEncoding(KeyEncoding.ORDERED)
            .build();
    String longest = "41" + "0".repeat(LONGEST_KEY - 2);
    RowCodec codec = RowCodec.of(schema);
    new Records(
            List.of(codec.encodeKey("41"), codec.encodeKey("4"), codec.encodeKey(longest)),
            List.of(codec.encodeValue("CH"), codec.encodeValue("?"), codec.encodeValue("long")))
        .publish(table, WriterOptions.builder().order(RecordOrder.KEY).schema(schema).build());
    Serde<String> texts =
        Serdes.serdeFrom(
            new StringSerializer(),
            (topic, value) -> codec.decode(codec.encodeKey("4"), value).string("operator"));
    for (Match match : Match.values()) {
      try (var read = operators(match).rows((Row row) -> row.string("operator")).build();
          var written =
              operators(match)
                  .rows((key, number) -> key.writeString(number), row -> row.string("operator"))
                  .build();
          var bytes = operators(match).serdes(Serdes.String(), texts).build()) {
        for (var operators : List.of(read, written, bytes)) {
          assertThat(operators.get(longest)).isEqualTo("long");
          assertThat(operators.get(longest + "0")).isEqualTo(match == Match.EXACT ? null : "long");
          assertThat(operators.get(longest + "0".repeat(LONGEST_KEY)))
              .isEqualTo(match == Match.EXACT ? null : "long");
          assertThat(operators.get("41" + "5".repeat(LONGEST_KEY)))
              .isEqualTo(
                  switch (match) {
                    case EXACT -> null;
                    case LONGEST_PREFIX -> "CH";
                    case FLOOR -> "long";
                  });
          assertThat(operators.get("3" + "5".repeat(LONGEST_KEY))).isNull();
        }
      }
    }
  }

  private LookupBuilder<String, String> operators(Match match) {
    return SnapshotLookup.<String, String>builder("operators").table(table).match(match);
  }

  @Test
  void findsWhatIsNearAKeyWhoseLastColumnIsTooLong() throws Exception {
    Schema schema =
        Schema.builder()
            .column("country", "STRING")
            .column("prefix", "STRING")
            .column("operator", "STRING")
            .primaryKey("country", "prefix")
            .keyEncoding(KeyEncoding.ORDERED)
            .build();
    RowCodec codec = RowCodec.of(schema);
    String country = "c".repeat(LONGEST_KEY - 2);
    new Records(
            List.of(
                codec.encodeKey("ch", "079"),
                codec.encodeKey(country, ""),
                codec.encodeKey("d", "0")),
            List.of(codec.encodeValue("mobile"), codec.encodeValue("all"), codec.encodeValue("d")))
        .publish(table, WriterOptions.builder().order(RecordOrder.KEY).schema(schema).build());
    for (Match match : List.of(Match.LONGEST_PREFIX, Match.FLOOR)) {
      try (var operators =
          SnapshotLookup.<List<String>, String>builder("operators")
              .table(table)
              .match(match)
              .rows(
                  (key, number) -> key.writeString(number.get(0)).writeString(number.get(1)),
                  row -> row.string("operator"))
              .build()) {
        assertThat(operators.get(List.of("ch", "079" + "1".repeat(LONGEST_KEY))))
            .isEqualTo("mobile");
        assertThat(operators.get(List.of("ch", "07" + "1".repeat(LONGEST_KEY)))).isNull();
        assertThat(operators.get(List.of(country, "1"))).isEqualTo("all");
        assertThat(operators.get(List.of(country, "1".repeat(2 * LONGEST_KEY)))).isEqualTo("all");
        assertThat(operators.get(List.of(country + "c", ""))).isNull();
        assertThat(operators.get(List.of(country + "c", "1"))).isNull();
        assertThat(operators.get(List.of("c".repeat(2 * LONGEST_KEY), "1"))).isNull();
      }
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

  private static final Schema HISTORY =
      Schema.builder()
          .column("item", "STRING")
          .column("valid_from", "TIMESTAMP_LTZ(3)")
          .column("price", "INT")
          .primaryKey("item", "valid_from")
          .keyEncoding(KeyEncoding.ORDERED)
          .build();

  private void buildHistory() throws IOException {
    RowCodec codec = RowCodec.of(HISTORY);
    WriterOptions options = WriterOptions.builder().history(null).schema(HISTORY).build();
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      writer.add(codec.encodeKey("a", Instant.ofEpochMilli(10)), codec.encodeValue(1));
      writer.add(codec.encodeKey("a", Instant.ofEpochMilli(20)), codec.encodeValue(2));
      writer.add(codec.encodeKey("a", Instant.ofEpochMilli(30)), RowWriter.ended());
      writer.add(codec.encodeKey("b", Instant.ofEpochMilli(-5)), codec.encodeValue(3));
      writer.publish();
    }
  }

  @Test
  void joinsWithTheRowOfAHistoryThatWasValidAtTheTimeOfTheRecord() throws Exception {
    buildHistory();
    try (var prices =
            SnapshotLookup.<String, Integer>builder("prices")
                .table(table)
                .match(Match.FLOOR)
                .rows((Row row) -> row.intValue("price"))
                .build();
        var written =
            SnapshotLookup.<At, Integer>builder("written")
                .table(table)
                .match(Match.FLOOR)
                .rows(
                    (key, at) -> {
                      key.writeString(at.item());
                      if (at.time() != 0) {
                        key.writeTimestamp(at.time(), 0);
                      }
                    },
                    (Row row) -> row.intValue("price"))
                .build();
        Joins joins =
            Joins.of(
                orders ->
                    written.leftJoin(
                        prices.leftJoin(orders, (key, item) -> item, (item, price) -> item + price),
                        (key, item) -> new At(item.substring(0, 1), key.equals("own") ? 12 : 0),
                        (item, price) -> item + price))) {
      assertThat(send(joins, "record", "a", 9)).isEqualTo("anullnull");
      assertThat(send(joins, "record", "a", 19)).isEqualTo("a11");
      assertThat(send(joins, "record", "a", 20)).isEqualTo("a22");
      assertThat(send(joins, "own", "a", 20)).isEqualTo("a21");
      assertThat(send(joins, "record", "a", 30)).isEqualTo("anullnull"); // has ended
      assertThat(send(joins, "record", "a", 12)).isEqualTo("a11"); // late
      assertThat(send(joins, "record", "b", 0)).isEqualTo("b33");
      assertThat(send(joins, "record", "c", 40)).isEqualTo("cnullnull");
      assertThatThrownBy(() -> prices.get("a"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("valid_from");
    }
  }

  private static String send(Joins joins, String key, String item, long time) {
    joins.orders.pipeInput(key, item, time);
    return joins.enriched.readValue();
  }

  @Test
  void cutsATimeThatIsFinerThanItsColumn() throws Exception {
    buildHistory();
    try (var prices =
            SnapshotLookup.<Long, Integer>builder("prices")
                .table(table)
                .match(Match.FLOOR)
                .rows(
                    (key, nanos) ->
                        key.writeString("a")
                            .writeTimestamp(nanos / 1_000_000, (int) (nanos % 1_000_000)),
                    row -> row.intValue("price"))
                .build();
        var lease = prices.lease()) {
      assertThat(prices.get(19_999_999L)).isEqualTo(1);
      assertThat(prices.get(20_000_001L)).isEqualTo(2);
      assertThat(prices.get(30_000_001L)).isNull(); // has ended
      assertThatThrownBy(() -> lease.range(20_000_001L, null))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("no table can hold the bound of a range");
    }
  }

  @Test
  void cutsAKeyThatIsATimeFinerThanItsColumn() throws Exception {
    assertCut("TIMESTAMP_LTZ(3)", Instant.EPOCH.minusMillis(5), nanos -> t -> t.plusNanos(nanos));
    assertCut(
        "TIMESTAMP(0)", LocalDateTime.of(1969, 12, 31, 23, 59), nanos -> t -> t.plusNanos(nanos));
    assertCut("TIME(3)", LocalTime.of(8, 30), nanos -> t -> t.plusNanos(nanos));
  }

  private <T> void assertCut(String type, T time, LongFunction<UnaryOperator<T>> plusNanos)
      throws IOException {
    Schema schema =
        Schema.builder()
            .column("at", type)
            .column("price", "INT")
            .primaryKey("at")
            .keyEncoding(KeyEncoding.ORDERED)
            .build();
    RowCodec codec = RowCodec.of(schema);
    new Records(
            List.of(codec.encodeKey(time), codec.encodeKey(plusNanos.apply(1_000_000).apply(time))),
            List.of(codec.encodeValue(1), codec.encodeValue(2)))
        .publish(table, WriterOptions.builder().order(RecordOrder.KEY).schema(schema).build());
    LookupBuilder<T, Integer> prices =
        SnapshotLookup.<T, Integer>builder("prices")
            .table(table)
            .rows((Row row) -> row.intValue("price"));
    try (var exact = prices.build();
        var floor = prices.match(Match.FLOOR).build();
        var lease = floor.lease()) {
      for (long nanos : new long[] {0, 1, 999_999, 1_000_000, 1_000_001, -1}) {
        T at = plusNanos.apply(nanos).apply(time);
        Integer expected = nanos < 0 ? null : nanos < 1_000_000 ? 1 : 2;
        assertThat(floor.get(at)).as("floor of %s", at).isEqualTo(expected);
        boolean isKey = nanos % 1_000_000 == 0;
        assertThat(exact.get(at)).as("%s", at).isEqualTo(isKey ? expected : null);
        if (!isKey) {
          assertThatThrownBy(() -> lease.range(at, null))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("no table can hold the bound of a range");
        }
      }
    }
  }

  /** Its keys would lack the time, which no record of a plain table is looked up by. */
  @Test
  void refusesAPlainTableInPlaceOfAHistory() throws Exception {
    buildHistory();
    try (var prices =
            SnapshotLookup.<String, Integer>builder("prices")
                .table(table)
                .match(Match.FLOOR)
                .rows((key, item) -> key.writeString(item), row -> row.intValue("price"))
                .build();
        Joins joins =
            Joins.of(
                orders ->
                    prices.leftJoin(orders, (key, item) -> item, (item, price) -> item + price))) {
      RowCodec codec = RowCodec.of(HISTORY);
      WriterOptions plain = WriterOptions.builder().order(RecordOrder.KEY).schema(HISTORY).build();
      new Records(
              List.of(codec.encodeKey("a", Instant.ofEpochMilli(10))),
              List.of(codec.encodeValue(7)))
          .publish(table, plain);
      assertThatThrownBy(prices::refresh)
          .isInstanceOf(SchemaMismatchException.class)
          .hasMessageContaining("it has no history, as the first version had");
      assertThat(send(joins, "record", "a", 19)).isEqualTo("a1");
    }
  }

  @Test
  void refusesOtherMatchesOfAHistory() throws Exception {
    buildHistory();
    LookupBuilder<String, Integer> prices =
        SnapshotLookup.<String, Integer>builder("prices")
            .table(table)
            .rows((Row row) -> row.intValue("price"));
    assertThatThrownBy(prices::build)
        .isInstanceOf(SchemaMismatchException.class)
        .hasMessageContaining("the key has the columns [item, valid_from]");
    assertThatThrownBy(prices.match(Match.LONGEST_PREFIX)::build)
        .isInstanceOf(SchemaMismatchException.class)
        .hasMessageContaining("the key has the columns [item, valid_from]");
    LookupBuilder<At, Integer> longest = prices().match(Match.LONGEST_PREFIX);
    assertThatThrownBy(longest::build)
        .isInstanceOf(SchemaMismatchException.class)
        .hasMessageContaining("it has a history, whose keys end in a time and are no prefixes");
  }
}
