package io.bsdb.kstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.kstreams.testing.TemporaryRows;
import io.bsdb.kstreams.testing.TemporaryTable;
import io.bsdb.reader.follow.OnMissing;
import io.bsdb.row.Column;
import io.bsdb.row.Row;
import io.bsdb.row.Schema;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.kstream.KStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RowsTest {
  private static final Schema CUSTOMERS =
      Schema.builder()
          .column("id", "STRING")
          .column("name", "STRING")
          .column("orders", "BIGINT")
          .primaryKey("id")
          .build();

  private static final Schema PLACES =
      Schema.builder()
          .column("country", "STRING")
          .column("id", "BIGINT")
          .column("name", "STRING")
          .primaryKey("country", "id")
          .build();

  record Customer(String id, String name, long orders) {
    static Customer of(Row row) {
      return new Customer(row.string("id"), row.string("name"), row.longValue("orders"));
    }
  }

  record PlaceKey(String country, long id) {}

  @Test
  void joinsWithRows() throws Exception {
    try (var table = TemporaryRows.create(CUSTOMERS)) {
      table.publish(
          List.of(
              Map.of("id", "c1", "name", "Ada", "orders", 3L),
              Map.of("id", "c2", "name", "Grace", "orders", 5L),
              Map.of("id", "?", "name", "Nobody", "orders", 0L)));
      try (var customers = table.<String, Customer>lookup("customers").rows(Customer::of).build();
          Joins joins =
              Joins.of(
                  orders -> {
                    KStream<String, Customer> joined =
                        customers.leftJoin(
                            orders, RowsTest::unescaped, (order, customer) -> customer);
                    return joined.mapValues(String::valueOf);
                  })) {
        assertThat(joins.send("o1", "c2")).containsExactly("Customer[id=c2, name=Grace, orders=5]");
        assertThat(joins.send("o2", "c3")).containsExactly("null");
        assertThat(joins.send("o3", "")).containsExactly("null");
        assertThat(joins.send("o4", "x".repeat(70_000))).containsExactly("null");
        assertThat(joins.send("o5", "é".repeat(32_768))).containsExactly("null");
        assertThat(joins.send("o6", "unpaired surrogate")).containsExactly("null");
      }
    }
  }

  /** No topic brings malformed text, but a function may make it. */
  private static String unescaped(String key, String order) {
    return order.equals("unpaired surrogate") ? "\ud800" : order;
  }

  @Test
  void writesCompositeKeys() throws Exception {
    try (var table = TemporaryRows.create(PLACES)) {
      table.publish(List.of(Map.of("country", "CH", "id", 7L, "name", "Bern")));
      try (var places =
          table
              .<PlaceKey, String>lookup("places")
              .rows(
                  (writer, place) -> writer.writeString(place.country()).writeLong(place.id()),
                  row -> row.string("name"))
              .build()) {
        assertThat(places.get(new PlaceKey("CH", 7))).isEqualTo("Bern");
        assertThat(places.get(new PlaceKey("CH", 8))).isNull();
        assertThat(places.get(new PlaceKey("x".repeat(70_000), 7))).isNull();
        assertThat(places.get(new PlaceKey("CH", 7))).isEqualTo("Bern");
      }
      try (var incomplete =
          table
              .<PlaceKey, String>lookup("incomplete")
              .rows(
                  (writer, place) -> writer.writeString(place.country()), row -> row.string("name"))
              .build()) {
        assertThatThrownBy(() -> incomplete.get(new PlaceKey("CH", 7)))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("`id` BIGINT NOT NULL is not written");
      }
    }
  }

  @Test
  void readsTheColumnsThatWereNamed() throws Exception {
    try (var table = TemporaryRows.create(CUSTOMERS)) {
      table.publish(List.of(Map.of("id", "c1", "name", "Ada", "orders", 3L)));
      try (var names =
              table
                  .<String, String>lookup("names")
                  .rows(row -> row.string("name"), "name")
                  .build();
          var rows =
              table.<String, String>lookup("rows").rows(Row::toString, "orders", "id").build();
          var others =
              table.<String, Long>lookup("others").rows(r -> r.longValue("orders"), "id").build()) {
        assertThat(names.get("c1")).isEqualTo("Ada");
        assertThat(rows.get("c1")).isEqualTo("{id=c1, orders=3}");
        assertThatThrownBy(() -> others.get("c1"))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("column 'orders' is not among the columns that were selected");

        Schema narrower =
            Schema.builder()
                .column("id", "STRING")
                .column("name", "STRING")
                .primaryKey("id")
                .build();
        table.withSchema(narrower).publish(List.of(Map.of("id", "c1", "name", "Grace")));
        assertThat(names.refresh()).isTrue();
        assertThat(names.get("c1")).isEqualTo("Grace");
        assertThatThrownBy(rows::refresh).hasMessageContaining("column 'orders', which is to be");

        Schema numbered =
            Schema.builder()
                .column("id", "BIGINT")
                .column("name", "STRING")
                .primaryKey("id")
                .build();
        table.withSchema(numbered).publish(List.of(Map.of("id", 1L, "name", "Edsger")));
        assertThatThrownBy(names::refresh)
            .isInstanceOf(SchemaMismatchException.class)
            .hasMessageContaining("column 'id': expected=STRING NOT NULL actual=BIGINT NOT NULL");
        assertThat(names.get("c1")).isEqualTo("Grace");
      }
      assertThatThrownBy(() -> table.lookup("none").rows(Row::toString, "nobody").build())
          .isInstanceOf(SchemaMismatchException.class)
          .hasMessageContaining("column 'nobody', which is to be read, is missing");
    }
  }

  static Stream<Arguments> keys() {
    return Stream.of(
        Arguments.of("STRING", Serdes.String(), "Zürich"),
        Arguments.of("BYTES", Serdes.ByteArray(), new byte[] {1, 0, -1}),
        Arguments.of("INT", Serdes.Integer(), -7),
        Arguments.of("BIGINT", Serdes.Long(), Long.MIN_VALUE + 1),
        Arguments.of("SMALLINT", Serdes.Short(), (short) -300),
        Arguments.of("FLOAT", Serdes.Float(), 1.5f),
        Arguments.of("DOUBLE", Serdes.Double(), -1e300),
        Arguments.of("BOOLEAN", Serdes.Boolean(), true));
  }

  /**
   * A table of rows answers keys that Kafka serialized, and a table of serialized records could
   * hold rows.
   */
  @ParameterizedTest
  @MethodSource("keys")
  <K> void keysAgreeWithKafkasSerializers(String type, Serde<K> serde, K key) throws Exception {
    Schema schema =
        Schema.builder().column("id", type).column("name", "STRING").primaryKey("id").build();
    try (var table = TemporaryRows.create(schema)) {
      table.publish(List.of(Map.of("id", key, "name", "found")));
      try (var rows = table.<K, String>lookup("rows").rows(row -> row.string("name")).build();
          var bytes = table.<K, byte[]>lookup("bytes").serdes(serde, Serdes.ByteArray()).build()) {
        assertThat(rows.get(key)).isEqualTo("found");
        assertThat(bytes.get(key)).isNotNull();
      }
    }
  }

  @Test
  void refusesATableWithoutASchema() {
    try (var table = TemporaryTable.create(Serdes.String(), Serdes.String())) {
      String version = table.publish(Map.of("c1", "Ada"));
      assertThatThrownBy(() -> table.lookup("customers").rows(row -> row.string("name")).build())
          .isInstanceOf(SchemaMismatchException.class)
          .hasMessage(
              "lookup 'customers': version=%s does not fit: the table has no schema, so it has no rows;"
                      .formatted(version)
                  + " use serdes(keys, values)");
    }
  }

  @Test
  void refusesASingleKeyForACompositeOne() {
    try (var table = TemporaryRows.create(PLACES)) {
      table.publish(List.of(Map.of("country", "CH", "id", 7L, "name", "Bern")));
      assertThatThrownBy(() -> table.lookup("places").rows(row -> row.string("name")).build())
          .isInstanceOf(SchemaMismatchException.class)
          .hasMessageContaining("the key has the columns [country, id]");
    }
  }

  @Test
  void refusesANewVersionThatLacksWhatTheFirstHad() throws Exception {
    try (var table = TemporaryRows.create(CUSTOMERS)) {
      table.publish(List.of(Map.of("id", "c1", "name", "Ada", "orders", 3L)));
      try (var customers =
          table.<String, String>lookup("customers").rows(row -> row.string("name")).build()) {
        var wider =
            Schema.builder()
                .column("city", "STRING")
                .column("id", "STRING")
                .column("name", "STRING NOT NULL")
                .column("orders", "BIGINT")
                .primaryKey("id")
                .build();
        table
            .withSchema(wider)
            .publish(List.of(Map.of("id", "c1", "name", "Grace", "orders", 3L, "city", "Bern")));
        assertThat(customers.refresh()).isTrue();
        assertThat(customers.get("c1")).isEqualTo("Grace");

        var id = Column.of("id", "STRING");
        var name = Column.of("name", "STRING");
        var orders = Column.of("orders", "BIGINT");
        assertRefused(
            table,
            customers,
            Schema.of(List.of(id, name), List.of("id")),
            "column `orders` BIGINT is missing");
        assertRefused(
            table,
            customers,
            Schema.of(List.of(id, name, Column.of("orders", "INT")), List.of("id")),
            "column 'orders': expected=BIGINT actual=INT");
        assertRefused(
            table,
            customers,
            Schema.of(List.of(id, name, orders), List.of("name")),
            "primary key: expected=[id] actual=[name]");
        assertThat(customers.get("c1")).isEqualTo("Grace");
        assertThat(customers.table().failedRefreshes()).isEqualTo(3);
      }
    }
  }

  @Test
  void aLookupDoesNotSayWhatTheNextOneOfItsBuilderMustFind() throws Exception {
    try (var table = TemporaryRows.create(CUSTOMERS)) {
      table.publish(List.of(Map.of("id", "c1", "name", "Ada", "orders", 3L)));
      var builder = table.<String, String>lookup("names").rows(row -> row.string("name"));
      builder.build().close();
      var narrower =
          Schema.builder().column("id", "STRING").column("name", "STRING").primaryKey("id").build();
      table.withSchema(narrower).publish(List.of(Map.of("id", "c1", "name", "Grace")));
      try (var names = builder.build()) {
        assertThat(names.get("c1")).isEqualTo("Grace");
      }
    }
  }

  /** No record has been read of it, so nobody relies on its schema. */
  @Test
  void aVersionThatDidNotOpenDoesNotSayWhatTheNextOnesMustHave() throws Exception {
    try (var table = TemporaryRows.create(CUSTOMERS);
        var names =
            table
                .<String, String>lookup("names")
                .onMissing(OnMissing.EMPTY)
                .rows(row -> row.string("name"))
                .build()) {
      Damage.publish(table.directory(), CUSTOMERS);
      assertThatThrownBy(names::refresh).isInstanceOf(CorruptSnapshotException.class);
      var narrower =
          Schema.builder().column("id", "STRING").column("name", "STRING").primaryKey("id").build();
      table.withSchema(narrower).publish(List.of(Map.of("id", "c1", "name", "Ada")));
      assertThat(names.refresh()).isTrue();
      assertThat(names.get("c1")).isEqualTo("Ada");
    }
  }

  private static void assertRefused(
      TemporaryRows table, SnapshotLookup<String, String> customers, Schema schema, String why) {
    table.withSchema(schema).publish(List.of(Map.of("id", "c1", "name", "Nobody")));
    assertThatThrownBy(customers::refresh)
        .isInstanceOf(SchemaMismatchException.class)
        .hasMessageContaining(why);
  }
}
