package io.bsdb.benchmarks.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.benchmarks.flink.HistoryStreams.Stream;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How fast anything is does not matter. */
class HistoryBenchTest {
  private static final int ORDERS = 600;

  private final HistoryStreams streams = new HistoryStreams(100, ORDERS);

  @TempDir private Path directory;

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

  @Test
  void lookupsAreRightWhereTheTemporalJoinDropsLateOrders() throws Exception {
    List<Section> sections = HistoryBench.run(directory, streams.items(), ORDERS, 1);

    assertThat(sections.get(0).rows())
        .extracting(Row::name)
        .containsExactly("bsdb", "temporal join, RocksDB", "temporal join, heap");
    assertThat(sections.get(0).rows())
        .allSatisfy(
            row ->
                assertThat(row.measures())
                    .containsKeys("joined, rows/s", "all, s", "checkpoint, bytes"));
    Row bsdb = sections.get(1).rows().get(0);
    assertThat(bsdb.median("right") + bsdb.median("late right")).isEqualTo(ORDERS);
    assertThat(sections.get(1).rows())
        .allSatisfy(
            row ->
                assertThat(row.measures().keySet().stream().mapToDouble(row::median).sum())
                    .isEqualTo(ORDERS));
    assertThat(directory).isEmptyDirectory();
  }
}
