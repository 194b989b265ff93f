package io.bsdb.kstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.kstreams.testing.TemporaryTable;
import io.bsdb.reader.follow.OnMissing;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lookups of processors and of other callers, one by one or under a lease. */
class ProcessorLookupTest {
  private TemporaryTable<String, String> table;
  private SnapshotLookup<String, String> customers;

  @BeforeEach
  void open() throws Exception {
    table = TemporaryTable.create(Serdes.String(), Serdes.String());
    table.publish(Map.of("buyer", "Ada", "seller", "Grace"));
    customers = table.lookup("customers").build();
  }

  @AfterEach
  void close() {
    assertThat(customers.table().holds()).isZero();
    customers.close();
    table.close();
  }

  private void swap() {
    table.publish(Map.of("buyer", "Edsger", "seller", "Barbara"));
    try {
      assertThat(customers.refresh()).isTrue();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Two lookups of one record, between which a version may go into service. */
  private final class Trade implements Processor<String, String, String, String> {
    private ProcessorContext<String, String> context;
    private TaskLookup<String, String> inTask;

    @Override
    public void init(ProcessorContext<String, String> context) {
      this.context = context;
      this.inTask = customers.forTask(context);
    }

    @Override
    public void process(Record<String, String> order) {
      try (var lease = inTask.lease()) {
        String buyer = lease.get("buyer");
        if (order.value().contains("swap")) {
          swap();
        }
        assertThat(inTask.get("buyer")).isEqualTo(buyer);
        lease.get("nobody");
        context.forward(order.withValue(order.value() + "=" + buyer + "+" + lease.get("seller")));
      }
    }

    @Override
    public void close() {
      inTask.close();
      inTask.close();
      assertThatThrownBy(() -> inTask.get("buyer")).isInstanceOf(IllegalStateException.class);
    }
  }

  private Joins trades() {
    return Joins.of(orders -> orders.process(Trade::new));
  }

  @Test
  void aRecordSeesOneVersionUnderALease() {
    try (Joins joins = trades()) {
      assertThat(joins.send("o1", "calm")).containsExactly("calm=Ada+Grace");
      assertThat(joins.send("o2", "swap")).containsExactly("swap=Ada+Grace");
      assertThat(joins.send("o3", "calm")).containsExactly("calm=Edsger+Barbara");
      assertThat(customers.table().holds()).isEqualTo(1);
    }
  }

  @Test
  void aRecordSeesOneVersionInJoinsAndProcessors() {
    try (Joins joins =
        Joins.of(
            orders -> {
              KStream<String, String> joined =
                  customers.leftJoin(
                      orders,
                      (key, order) -> {
                        if (order.equals("new version")) {
                          swap();
                        }
                        return "buyer";
                      },
                      (order, buyer) -> order + "=" + buyer);
              return joined.process(Trade::new);
            })) {
      assertThat(joins.send("o1", "new version")).containsExactly("new version=Ada=Ada+Grace");
      assertThat(joins.send("o2", "calm")).containsExactly("calm=Edsger=Edsger+Barbara");
    }
  }

  @Test
  void countsHitsAndMissesOfProcessors() {
    try (Joins joins =
        Joins.of(orders -> orders.process(Trade::new).merge(orders.process(Trade::new)))) {
      joins.send("o1", "calm");
      joins.send("o2", "calm");
      for (String processor : new String[] {"customers-p0-0_0", "customers-p1-0_0"}) {
        assertThat(MetricsTest.values(joins.driver, processor))
            .containsEntry("hit-total", 6.0)
            .containsEntry("miss-total", 2.0)
            .containsEntry("snapshot-sequence", 1.0);
      }
      joins.close();
      assertThat(joins.driver.metrics().keySet()).noneMatch(MetricsTest::isOurs);
    }
  }

  /** A lease that is left would keep all tasks of the thread at its version. */
  @Test
  void aTaskEndsTheLeasesThatItLeft() {
    try (Joins other =
        Joins.of(
            orders ->
                customers.leftJoin(orders, (key, order) -> order, ProcessorLookupTest::both))) {
      List<Lease<String, String>> left = new ArrayList<>();
      try (Joins leaves = Joins.of(orders -> orders.process(() -> new Leaving(left)))) {
        leaves.send("o1", "buyer");
        swap();
        assertThat(other.send("o2", "buyer")).containsExactly("buyer=Ada");
      }
      assertThat(other.send("o3", "buyer")).containsExactly("buyer=Edsger");
      assertThatThrownBy(() -> left.get(0).get("buyer"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageEndingWith("the lease is closed");
      left.forEach(Lease::close);
      swap();
      assertThat(other.send("o4", "buyer")).containsExactly("buyer=Edsger");
    }
  }

  private static String both(String order, String customer) {
    return order + "=" + customer;
  }

  /** Closes no lease. */
  private final class Leaving implements Processor<String, String, String, String> {
    private final List<Lease<String, String>> left;
    private TaskLookup<String, String> inTask;

    Leaving(List<Lease<String, String>> left) {
      this.left = left;
    }

    @Override
    public void init(ProcessorContext<String, String> context) {
      inTask = customers.forTask(context);
    }

    @Override
    public void process(Record<String, String> order) {
      left.add(inTask.lease());
      left.add(inTask.lease());
    }

    @Override
    public void close() {
      inTask.close();
    }
  }

  @Test
  void leasesServeAnyThread() throws Exception {
    String first = customers.manifest().version();
    Lease<String, String> lease = customers.lease();
    swap();
    assertThat(lease.version()).isEqualTo(first);
    assertThat(lease.get("buyer")).isEqualTo("Ada");
    assertThat(lease.get("nobody")).isNull();
    assertThat(customers.get("buyer")).isEqualTo("Edsger");
    lease.close();
    lease.close();
    assertThatThrownBy(() -> lease.get("buyer"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("lookup 'customers': table=%s: the lease is closed", table.directory());
    try (var empty = TemporaryTable.create(Serdes.String(), Serdes.String());
        var nothing = empty.lookup("empty").onMissing(OnMissing.EMPTY).build();
        var none = nothing.lease()) {
      assertThat(none.version()).isNull();
      assertThat(none.get("buyer")).isNull();
    }
  }

  @Test
  void nullIsNoKey() {
    assertThatThrownBy(() -> customers.get(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("lookup 'customers': the key is null");
    try (var lease = customers.lease()) {
      assertThatThrownBy(() -> lease.get(null)).hasMessage("lookup 'customers': the key is null");
    }
  }
}
