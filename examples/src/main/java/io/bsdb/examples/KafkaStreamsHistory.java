package io.bsdb.examples;

import io.bsdb.kstreams.Match;
import io.bsdb.kstreams.SnapshotLookup;
import io.bsdb.row.Row;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.ValueMapper;
import org.jspecify.annotations.Nullable;

/**
 * Joins orders with the prices that were valid at the times of their records, from a table with a
 * history such as {@link JavaHistory} builds.
 */
public final class KafkaStreamsHistory {
  private KafkaStreamsHistory() {}

  /** A price. */
  record Price(@Nullable BigDecimal price) {
    static Price of(Row row) {
      return new Price(row.decimal("price"));
    }
  }

  /** An order. */
  record Order(String region, String item) {}

  /** Opens prices by item. */
  static SnapshotLookup<String, Price> prices(Path table) throws IOException {
    return SnapshotLookup.<String, Price>builder("prices")
        .table(table)
        .match(Match.FLOOR)
        .rows(Price::of) // a key is the item
        .build();
  }

  /** Opens prices by region and item. */
  static SnapshotLookup<Order, Price> regionalPrices(Path table) throws IOException {
    return SnapshotLookup.<Order, Price>builder("regional prices")
        .table(table)
        .match(Match.FLOOR)
        .rows((key, order) -> key.writeString(order.region()).writeString(order.item()), Price::of)
        .build();
  }

  /**
   * Returns the topology from "orders", whose values are items, to "priced-orders".
   *
   * @param key of a price, made of an item
   */
  static <K> Topology topology(SnapshotLookup<K, Price> prices, ValueMapper<String, K> key) {
    StreamsBuilder builder = new StreamsBuilder();
    var orders = builder.stream("orders", Consumed.with(Serdes.String(), Serdes.String()));
    prices
        .leftJoin(
            orders,
            (orderId, item) -> key.apply(item),
            (item, price) -> item + (price == null ? " had no price" : " was " + price.price()))
        .to("priced-orders", Produced.with(Serdes.String(), Serdes.String()));
    return builder.build();
  }
}
