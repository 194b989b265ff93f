package io.bsdb.examples.quickstart;

import io.bsdb.examples.cluster.LocalFlink;
import io.bsdb.examples.cluster.SqlJobs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.types.Row;

/**
 * Orders that come late get the prices of their own time. A streaming job writes changes of prices
 * into a table with a history; a batch job joins orders with the prices that were valid when they
 * were ordered, and with those that are valid now. Flink runs inside this process; what it does is
 * in the SQL files of {@code history}.
 *
 * @param settings whose events are the orders
 */
public record HistoryQuickstart(QuickstartSettings settings, QuickstartOutput output) {
  /**
   * Runs it.
   *
   * @return whether each order got the price of its time
   */
  public boolean run() throws IOException, InterruptedException {
    return Quickstart.run(settings, output, this::runJobs);
  }

  private boolean runJobs(QuickstartDirectory directory) throws Exception {
    Path prices = directory.cleared("history-prices");
    long orders = settings.events();
    long changes = Math.max(1, orders / 10);
    Map<String, String> variables =
        Map.of(
            "prices", prices.toString(),
            "changes", Long.toString(changes),
            "last_change", Long.toString(changes - 1),
            "orders", Long.toString(orders),
            "last_order", Long.toString(orders - 1));
    List<List<Row>> answers;
    try (LocalFlink flink = LocalFlink.start(2)) {
      SqlJobs jobs = new SqlJobs(flink, variables);
      try (var progress = output.start("1/2 a streaming job writes the changes of prices")) {
        jobs.insert("history/1-prices.sql");
      }
      try (var progress = output.start("2/2 a batch job joins orders with them")) {
        answers = jobs.select("history/2-orders.sql");
      }
    }
    return report(prices, answers, orders);
  }

  private boolean report(Path prices, List<List<Row>> answers, long orders) {
    output.section("Some orders, the price of their time, and the one of today");
    output.table(
        Quickstart.fields(answers.get(0)),
        "order",
        "item",
        "ordered at",
        "price then",
        "price now");
    output.section("Where it is");
    output.line("table  %s", prices);
    output.line(
        "ask for a time: ./bsdb get --table '%s' --as-of 2020-01-01T12:00:00Z -- 7", prices);
    Row counts = answers.get(1).get(0);
    output.line("");
    output.line(
        "orders=%d right=%d right_by_processing_time=%d",
        counts.<Long>getFieldAs(0), counts.<Long>getFieldAs(1), counts.<Long>getFieldAs(2));
    return counts.<Long>getFieldAs(0) == orders && counts.<Long>getFieldAs(1) == orders;
  }
}
