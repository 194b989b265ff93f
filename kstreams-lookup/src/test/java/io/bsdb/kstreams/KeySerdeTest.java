package io.bsdb.kstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.kstreams.testing.TemporaryRows;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.Schema;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A serde that cannot write the keys of a table is an error, not a table without any key. */
class KeySerdeTest {
  private static final LocalDateTime NOON = LocalDateTime.of(2026, 1, 2, 12, 0);

  private static Schema keyed(String type) {
    return Schema.builder().column("id", type).column("name", "STRING").primaryKey("id").build();
  }

  private static TemporaryRows table(String type, Object key) {
    var table = TemporaryRows.create(keyed(type));
    table.publish(List.of(Map.of("id", key, "name", "Ada")));
    return table;
  }

  static Stream<Arguments> unfit() {
    return Stream.of(
        Arguments.of("BIGINT", 7L, Serdes.String(), "StringSerializer"),
        Arguments.of("BIGINT", 7L, Serdes.Integer(), "IntegerSerializer"),
        Arguments.of("BIGINT", 7L, Serdes.Double(), "DoubleSerializer"),
        Arguments.of("BIGINT", 7L, Serdes.UUID(), "UUIDSerializer"),
        Arguments.of("INT", 7, Serdes.Long(), "LongSerializer"),
        Arguments.of("INT", 7, Serdes.Float(), "FloatSerializer"),
        Arguments.of("INT", 7, Serdes.Short(), "ShortSerializer"),
        Arguments.of("INT", 7, Serdes.Boolean(), "BooleanSerializer"),
        Arguments.of("STRING", "c1", Serdes.Long(), "LongSerializer"),
        Arguments.of("CHAR(2)", "c1", Serdes.Long(), "LongSerializer"),
        Arguments.of("DECIMAL(10, 0)", 7, Serdes.Long(), "LongSerializer"),
        Arguments.of("TIMESTAMP(6)", NOON, Serdes.Long(), "LongSerializer"));
  }

  @ParameterizedTest
  @MethodSource("unfit")
  void refusesASerdeThatCannotWriteKeysOfTheTable(
      String type, Object key, Serde<?> serde, String serializer) {
    try (var table = table(type, key)) {
      var customers = table.lookup("customers");
      @SuppressWarnings("unchecked")
      var builder =
          customers.serdes((Serde<Object>) serde, (Serde<Object>) (Serde<?>) Serdes.Bytes());
      assertThatThrownBy(builder::build)
          .isInstanceOf(SchemaMismatchException.class)
          .hasMessageStartingWith("lookup 'customers': version=0000000001-")
          .hasMessageEndingWith(
              " does not fit: no key that %s writes can be in a table whose primary key is `id` %s NOT NULL; use a serde of that type, or rows(...)",
              serializer, type);
    }
  }

  static Stream<Arguments> ordered() {
    return Stream.of(
        Arguments.of("BIGINT", 7L, Serdes.Long(), false),
        Arguments.of("INT", 7, Serdes.Integer(), false),
        Arguments.of("DOUBLE", 7.0, Serdes.Double(), false),
        Arguments.of("STRING", "c1", Serdes.String(), true),
        Arguments.of("BOOLEAN", true, Serdes.Boolean(), true));
  }

  /** Keys that sort have other bytes than Kafka's serializers write, but for text. */
  @ParameterizedTest
  @MethodSource("ordered")
  void refusesASerdeWhoseKeysDoNotSort(String type, Object key, Serde<?> serde, boolean fits)
      throws Exception {
    Schema schema = keyed(type).withKeyEncoding(KeyEncoding.ORDERED);
    try (var table = TemporaryRows.create(schema)) {
      table.publish(List.of(Map.of("id", key, "name", "Ada")));
      @SuppressWarnings("unchecked")
      var builder =
          table
              .<Object, byte[]>lookup("customers")
              .serdes((Serde<Object>) serde, Serdes.ByteArray());
      if (fits) {
        try (var customers = builder.build()) {
          assertThat(customers.get(key)).isNotNull();
        }
      } else {
        assertThatThrownBy(builder::build)
            .isInstanceOf(SchemaMismatchException.class)
            .hasMessageContaining("use a serde of that type, or rows(...)");
      }
    }
  }

  static Stream<Arguments> fit() {
    return Stream.of(
        Arguments.of("VARCHAR(36)", "c1", Serdes.String(), "c1"),
        Arguments.of("STRING", new UUID(1, 2).toString(), Serdes.UUID(), new UUID(1, 2)),
        Arguments.of("BYTES", new byte[] {'c', '1'}, Serdes.String(), "c1"),
        Arguments.of("BINARY(4)", new byte[] {0, 0, 0, 7}, Serdes.Integer(), 7),
        Arguments.of("DATE", LocalDate.ofEpochDay(7), Serdes.Integer(), 7),
        Arguments.of("TIMESTAMP(3)", LocalDateTime.of(1970, 1, 1, 0, 0, 7), Serdes.Long(), 7000L),
        Arguments.of("BIGINT", 7L, Serdes.ByteArray(), new byte[] {0, 0, 0, 0, 0, 0, 0, 7}));
  }

  @ParameterizedTest
  @MethodSource("fit")
  void acceptsWhatHasTheSameBytes(String type, Object stored, Serde<?> serde, Object key)
      throws Exception {
    try (var table = table(type, stored)) {
      @SuppressWarnings("unchecked")
      var builder =
          table
              .<Object, byte[]>lookup("customers")
              .serdes((Serde<Object>) serde, Serdes.ByteArray());
      try (var customers = builder.build()) {
        assertThat(customers.get(key)).isNotNull();
      }
    }
  }

  @Test
  void refusesASingleValueForACompositeKey() {
    var places =
        Schema.builder()
            .column("country", "STRING")
            .column("id", "BIGINT")
            .primaryKey("country", "id")
            .build();
    try (var table = TemporaryRows.create(places)) {
      table.publish(List.of(Map.of("country", "CH", "id", 7L)));
      assertThatThrownBy(
              () ->
                  table
                      .lookup("places")
                      .serdes(objects(Serdes.String()), objects(Serdes.Bytes()))
                      .build())
          .isInstanceOf(SchemaMismatchException.class)
          .hasMessageContaining(
              "StringSerializer writes can be in a table whose primary key is `country` STRING NOT NULL, `id` BIGINT NOT NULL");
    }
  }

  @SuppressWarnings("unchecked")
  private static Serde<Object> objects(Serde<?> serde) {
    return (Serde<Object>) serde;
  }

  /** Nothing is known of what users' serializers write. */
  @Test
  void believesOtherSerializers() throws Exception {
    Serde<Long> text =
        Serdes.serdeFrom(
            (topic, key) -> Serdes.String().serializer().serialize(topic, key.toString()),
            (topic, bytes) -> null);
    try (var table = table("STRING", "7");
        var customers =
            table.<Long, byte[]>lookup("customers").serdes(text, Serdes.ByteArray()).build()) {
      assertThat(customers.get(7L)).isNotNull();
    }
  }

  @Test
  void keepsTheVersionInServiceWhenTheKeyOfANewOneHasAnotherType() throws Exception {
    try (var table = table("BIGINT", 7L);
        var customers =
            table
                .<Long, byte[]>lookup("customers")
                .serdes(Serdes.Long(), Serdes.ByteArray())
                .build()) {
      String first = customers.manifest().version();
      table.withSchema(keyed("STRING")).publish(List.of(Map.of("id", "7", "name", "Grace")));
      assertThatThrownBy(customers::refresh)
          .isInstanceOf(SchemaMismatchException.class)
          .hasMessageContaining("LongSerializer")
          .hasMessageContaining("`id` STRING NOT NULL");
      assertThat(customers.manifest().version()).isEqualTo(first);
      assertThat(customers.get(7L)).isNotNull();
      table.publish(List.of(Map.of("id", 8L, "name", "Grace")));
      assertThat(customers.refresh()).isTrue();
      assertThat(customers.get(8L)).isNotNull();
    }
  }
}
