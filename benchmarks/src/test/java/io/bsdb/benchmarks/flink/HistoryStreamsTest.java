package io.bsdb.benchmarks.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.benchmarks.flink.HistoryStreams.Stream;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.Test;

class HistoryStreamsTest {
  private static final int ORDERS = 600;

  private final HistoryStreams streams = new HistoryStreams(100, ORDERS);

  /** Looks for the last price of the item that is not after the order. */
  @Test
  void knowsThePriceOfEachOrder() {
    int late = 0;
    for (long order = 0; order < ORDERS; order++) {
      RowData row = streams.row(Stream.ORDERS, order);
      long expected = -1;
      for (long price = 0; price < streams.count(Stream.PRICES); price++) {
        RowData change = streams.row(Stream.PRICES, price);
        if (change.getLong(0) == row.getLong(0)
            && change.getTimestamp(2, 3).compareTo(row.getTimestamp(2, 3)) <= 0) {
          expected = change.getLong(1);
        }
      }
      assertThat(streams.price(order)).isEqualTo(expected).isNotNegative();
      late += streams.isLate(order) ? 1 : 0;
    }
    assertThat(late).isBetween(20, 40);
  }
}
