package io.bsdb.kstreams;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.kstreams.testing.TemporaryRows;
import io.bsdb.reader.follow.OnMissing;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** Ranges and prefixes of keys, in processors and elsewhere. */
class RangeLookupTest {
  private static final Schema PRICES =
      Schema.builder()
          .column("item", "STRING")
          .column("day", "INT")
          .column("price", "INT")
          .primaryKey("item", "day")
          .keyEncoding(KeyEncoding.ORDERED)
          .build();

  @TempDir private Path directory;

  record On(String item, int day) {}

  private static Map<String, Object> price(String item, int day, int price) {
    return Map.of("item", item, "day", day, "price", price);
  }

  /** Days around zero, and an item whose name another one begins with. */
  private static TemporaryRows prices() {
    TemporaryRows table = TemporaryRows.create(PRICES);
    table.publish(
        List.of(
            price("bread", -1, 10),
            price("bread", 0, 11),
            price("bread", 7, 12),
            price("breadcrumbs", 3, 20),
            price("milk", 5, 30)));
    return table;
  }

  private static LookupBuilder<On, Integer> lookup(TemporaryRows table) {
    return table
        .<On, Integer>lookup("prices")
        .rows(
            (key, on) -> key.writeString(on.item()).writeInt(on.day()),
            row -> row.intValue("price"));
  }

  private static <V> List<V> all(LookupIterator<V> iterator) {
    try (iterator) {
      List<V> values = new ArrayList<>();
      iterator.forEachRemaining(values::add);
      return values;
    }
  }

  @Test
  void iteratesOverRowsInTheOrderOfTheirColumns() throws Exception {
    try (var table = prices();
        var prices = lookup(table).build();
        var lease = prices.lease()) {
      assertThat(all(lease.range(new On("bread", -1), new On("bread", 7))))
          .containsExactly(10, 11, 12);
      assertThat(all(lease.range(new On("bread", 1), new On("c", 0)))).containsExactly(12, 20);
      assertThat(all(lease.range(null, new On("bread", 0)))).containsExactly(10, 11);
      assertThat(all(lease.range(new On("milk", 0), null))).containsExactly(30);
      assertThat(all(lease.range(null, null))).containsExactly(10, 11, 12, 20, 30);
      assertThat(all(lease.range(new On("milk", 0), new On("bread", 0)))).isEmpty();
      assertThat(all(lease.reverseRange(new On("bread", 0), new On("breadcrumbs", 3))))
          .containsExactly(20, 12, 11);
      assertThat(all(lease.reverseRange(null, null))).containsExactly(30, 20, 12, 11, 10);
      assertThat(all(lease.prefixScan(key -> key.writeString("bread"))))
          .containsExactly(10, 11, 12);
      assertThat(all(lease.prefixScan(key -> key.writeString("bread").writeInt(7))))
          .containsExactly(12);
      assertThat(all(lease.prefixScan(key -> key.writeString("brea")))).isEmpty();
      assertThat(all(lease.prefixScan(key -> {}))).hasSize(5);
    }
  }

  /** Sums the prices of an item, in a task. */
  private static final class Sum implements Processor<String, String, String, String> {
    private final SnapshotLookup<On, Integer> prices;
    private ProcessorContext<String, String> context;
    private TaskLookup<On, Integer> inTask;
    private LookupIterator<Integer> forgotten;

    Sum(SnapshotLookup<On, Integer> prices) {
      this.prices = prices;
    }

    @Override
    public void init(ProcessorContext<String, String> context) {
      this.context = context;
      this.inTask = prices.forTask(context);
    }

    @Override
    public void process(Record<String, String> order) {
      if (forgotten != null) {
        assertThatThrownBy(forgotten::hasNext)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("the iterator or its lease is closed");
      }
      Lease<On, Integer> lease = inTask.lease();
      try (lease) {
        int sum = 0;
        forgotten = lease.prefixScan(key -> key.writeString(order.value()));
        while (forgotten.hasNext()) {
          sum += forgotten.next();
        }
        int last =
            lease
                .reverseRange(
                    new On(order.value(), Integer.MIN_VALUE),
                    new On(order.value(), Integer.MAX_VALUE))
                .next();
        context.forward(order.withValue(order.value() + "=" + sum + " last=" + last));
      }
      assertThatThrownBy(() -> lease.range(null, null)).isInstanceOf(IllegalStateException.class);
    }

    @Override
    public void close() {
      inTask.close();
    }
  }

  /** Neither a swap nor the end of the lookup waits for iterators that nobody closed. */
  @Test
  @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
  void iteratesInATopologyAndEndsWithTheLease() throws Exception {
    try (var table = prices();
        var prices = lookup(table).build()) {
      try (Joins joins = Joins.of(orders -> orders.process(() -> new Sum(prices)))) {
        assertThat(joins.send("o1", "bread")).containsExactly("bread=33 last=12");
        table.publish(List.of(price("bread", 1, 5), price("bread", -1, 6)));
        assertThat(prices.refresh()).isTrue();
        assertThat(joins.send("o2", "bread")).containsExactly("bread=11 last=5");
      }
      assertThat(prices.table().holds()).isZero();
    }
  }

  @Test
  void anIteratorEndsWithItsLeaseInsideOfAnother() throws Exception {
    try (var table = prices();
        var prices = lookup(table).build();
        Joins joins =
            Joins.of(
                orders ->
                    orders.process(
                        () ->
                            new ContextualProcessor<String, String, String, String>() {
                              @Override
                              public void process(Record<String, String> order) {
                                try (var inTask = prices.forTask(context());
                                    var outer = inTask.lease()) {
                                  LookupIterator<Integer> ofOuter;
                                  LookupIterator<Integer> ofInner;
                                  try (var inner = inTask.lease()) {
                                    ofInner = inner.range(null, null);
                                    ofOuter = outer.range(null, null);
                                  }
                                  assertThat(all(ofOuter)).hasSize(5);
                                  assertThatThrownBy(ofInner::hasNext)
                                      .isInstanceOf(IllegalStateException.class)
                                      .hasMessageContaining("the iterator or its lease is closed");
                                  context().forward(order);
                                }
                              }
                            }))) {
      assertThat(joins.send("o1", "bread")).containsExactly("bread");
    }
  }

  @Test
  void anIteratorHasNoKeyBeforeItsFirstValueAndNothingBehindItsLast() throws Exception {
    try (var table = prices();
        var prices = lookup(table).build();
        var lease = prices.lease();
        var milk = lease.prefixScan(key -> key.writeString("milk"))) {
      assertThatThrownBy(milk::key).isInstanceOf(IllegalStateException.class);
      assertThat(milk.next()).isEqualTo(30);
      assertThat(milk.key()).startsWith(bytes("milk"));
      assertThat(milk.hasNext()).isFalse();
      assertThatThrownBy(milk::next).isInstanceOf(NoSuchElementException.class);
    }
  }

  @Test
  void passesOverValuesThatStandForAbsence() throws Exception {
    try (var table = prices();
        var prices =
            table
                .<On, Integer>lookup("prices")
                .rows(
                    (key, on) -> key.writeString(on.item()).writeInt(on.day()),
                    row -> row.intValue("price") % 2 == 0 ? null : row.intValue("price"))
                .build();
        var lease = prices.lease()) {
      assertThat(all(lease.range(null, null))).containsExactly(11);
    }
  }

  private LookupBuilder<String, String> operators(RecordOrder order) throws Exception {
    WriterOptions options = WriterOptions.builder().order(order).build();
    Records.of("41", "Switzerland", "4144", "Zurich", "43", "Austria").publish(directory, options);
    return SnapshotLookup.<String, String>builder("operators")
        .table(directory)
        .refreshEvery(Duration.ofDays(1))
        .serdes(Serdes.String(), Serdes.String());
  }

  @Test
  void iteratesOverBytesOfSerdes() throws Exception {
    try (var operators = operators(RecordOrder.KEY).build();
        var lease = operators.lease()) {
      assertThat(all(lease.prefixScan("41", Serdes.String().serializer())))
          .containsExactly("Switzerland", "Zurich");
      assertThat(all(lease.range("410", "43"))).containsExactly("Zurich", "Austria");
      try (var one = lease.range("42", null)) {
        assertThat(one.next()).isEqualTo("Austria");
        assertThat(one.key()).isEqualTo(bytes("43"));
      }
      assertThatThrownBy(() -> lease.prefixScan(key -> key.writeString("41")))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("the table has no schema");
    }
  }

  @Test
  void refusesASerializerThatWritesNoBeginningOfKeys() throws Exception {
    Schema numbers =
        Schema.builder()
            .column("id", "BIGINT")
            .primaryKey("id")
            .keyEncoding(KeyEncoding.ORDERED)
            .build();
    try (var table = TemporaryRows.create(numbers)) {
      table.publish(List.of(Map.of("id", 7L)));
      try (var lookup =
              table.<Long, Long>lookup("numbers").rows(row -> row.longValue("id")).build();
          var lease = lookup.lease()) {
        assertThat(all(lease.range(-1L, 8L))).containsExactly(7L);
        assertThatThrownBy(() -> lease.prefixScan(7L, Serdes.Long().serializer()))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(
                "a prefix that LongSerializer writes needs a key of one such column")
            .hasMessageContaining("`id` BIGINT NOT NULL");
      }
    }
  }

  @Test
  void refusesATableInHashOrder() throws Exception {
    try (var operators = operators(RecordOrder.HASH).build();
        var lease = operators.lease()) {
      assertThatThrownBy(() -> lease.range("41", "43"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("build it with order 'key'");
    }
  }

  @Test
  void refusesABoundThatNoTableHolds() throws Exception {
    try (var table = prices();
        var prices = lookup(table).build();
        var lease = prices.lease()) {
      On tooLong = new On("x".repeat(70_000), 0);
      assertThatThrownBy(() -> lease.range(tooLong, null))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("no table can hold the bound of a range");
    }
  }

  @Test
  void findsNothingWhileThereIsNoTable() throws Exception {
    try (var table = TemporaryRows.create(PRICES);
        var prices = lookup(table).onMissing(OnMissing.EMPTY).build();
        var lease = prices.lease()) {
      assertThat(all(lease.range(null, null))).isEmpty();
    }
  }
}
