package io.bsdb.kstreams.broker;

import java.util.Map;

/** What makes a single broker quick to start, to rebalance and to give up on what crashed. */
final class BrokerConfig {
  static final Map<String, String> PROPERTIES =
      Map.of(
          "offsets.topic.replication.factor", "1",
          "offsets.topic.num.partitions", "1",
          "transaction.state.log.replication.factor", "1",
          "transaction.state.log.min.isr", "1",
          "transaction.state.log.num.partitions", "1",
          "transaction.abort.timed.out.transaction.cleanup.interval.ms", "500",
          "group.min.session.timeout.ms", "1000",
          "group.initial.rebalance.delay.ms", "0");

  private BrokerConfig() {}
}
