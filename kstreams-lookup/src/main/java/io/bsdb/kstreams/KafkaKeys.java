package io.bsdb.kstreams;

import io.bsdb.row.ColumnType;
import io.bsdb.row.ColumnType.Kind;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.Schema;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.serialization.BooleanSerializer;
import org.apache.kafka.common.serialization.DoubleSerializer;
import org.apache.kafka.common.serialization.FloatSerializer;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.ShortSerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.serialization.UUIDSerializer;

/** Finds out whether Kafka's own serializers can write the keys of a table with a schema. */
final class KafkaKeys {
  /**
   * Column types by serializer; of other serializers, such as those of byte arrays and of users,
   * nothing is known.
   */
  private static final Map<Class<?>, Set<Kind>> KINDS =
      Map.of(
          StringSerializer.class,
          Set.of(Kind.CHAR, Kind.VARCHAR),
          UUIDSerializer.class, // text
          Set.of(Kind.CHAR, Kind.VARCHAR),
          BooleanSerializer.class,
          Set.of(Kind.BOOLEAN, Kind.TINYINT),
          ShortSerializer.class,
          Set.of(Kind.SMALLINT),
          IntegerSerializer.class,
          Set.of(Kind.INT, Kind.DATE, Kind.TIME),
          LongSerializer.class,
          Set.of(Kind.BIGINT, Kind.TIMESTAMP, Kind.TIMESTAMP_LTZ),
          FloatSerializer.class,
          Set.of(Kind.FLOAT),
          DoubleSerializer.class,
          Set.of(Kind.DOUBLE));

  private static final Set<Kind> ANY_BYTES = Set.of(Kind.BINARY, Kind.VARBINARY);

  /** Kinds whose ordered encoding is what Kafka's serializers write. */
  private static final Set<Kind> SORTED_BY_KAFKA = Set.of(Kind.CHAR, Kind.VARCHAR, Kind.BOOLEAN);

  private KafkaKeys() {}

  /** Returns whether what the serializer writes can be a key of the table, as far as is known. */
  static boolean canBeKeys(Serializer<?> serializer, Schema schema) {
    Set<Kind> kinds = KINDS.get(serializer.getClass());
    if (kinds == null) {
      return true;
    }
    if (schema.keyColumns().size() > 1) {
      return false;
    }
    ColumnType type = schema.keyColumns().get(0).type();
    if (schema.keyEncoding() == KeyEncoding.ORDERED
        && !ANY_BYTES.contains(type.kind())
        && !SORTED_BY_KAFKA.contains(type.kind())) {
      return false;
    }
    return ANY_BYTES.contains(type.kind()) || (kinds.contains(type.kind()) && !hasNanos(type));
  }

  /** Points in time of more than milliseconds have four bytes more than a long. */
  private static boolean hasNanos(ColumnType type) {
    return (type.kind() == Kind.TIMESTAMP || type.kind() == Kind.TIMESTAMP_LTZ)
        && type.precision() > 3;
  }
}
