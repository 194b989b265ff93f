package io.bsdb.http.api;

import io.bsdb.http.exchange.AccessRules;
import io.bsdb.http.exchange.Exchange;
import io.bsdb.http.exchange.Problem;
import io.bsdb.http.table.ServedTable;
import io.bsdb.http.table.Service;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Answers whether the server is alive, and whether it is ready. */
public final class Health {
  private final Service service;
  private final AccessRules rules;
  private final @Nullable Duration maxAge;

  /**
   * @param rules by which requests see names of tables and reasons; others only that there are some
   * @param maxAge age from which on a version in service makes the server not ready; null for none
   */
  public Health(Service service, AccessRules rules, @Nullable Duration maxAge) {
    this.service = service;
    this.rules = rules;
    this.maxAge = maxAge;
  }

  public void live(Exchange exchange) throws IOException {
    exchange.address().allow(Set.of());
    exchange.answerJson(Exchange.object().put("status", "live"));
  }

  public void ready(Exchange exchange) throws IOException {
    exchange.address().allow(Set.of());
    if (service.isStopping()) {
      throw new Problem(Problem.Kind.STOPPING, "the server is stopping; ask another one");
    }
    for (ServedTable table : service.tables()) {
      Duration age = table.reader().manifest().age(Instant.now());
      if (maxAge != null && age.compareTo(maxAge) > 0) {
        throw notReady(
            exchange,
            "table %s is %d s old, expected<=%d"
                .formatted(table.name(), age.toSeconds(), maxAge.toSeconds()));
      }
    }
    if (!service.unopened().isEmpty()) {
      List<String> reasons = new ArrayList<>();
      service.unopened().forEach((name, table) -> reasons.add(name + ": " + table.reason()));
      throw notReady(exchange, "tables are not served: " + String.join(", ", reasons));
    }
    exchange.answerJson(Exchange.object().put("status", "ready"));
  }

  private Problem notReady(Exchange exchange, String detail) {
    return new Problem(
        Problem.Kind.NOT_READY,
        rules.permits(exchange.request())
            ? detail
            : "a table is not served, or too old; with the token, this names it");
  }
}
