package io.bsdb.kstreams;

import io.bsdb.row.Column;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.Manifest;
import java.util.stream.Collectors;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * Keys and values as Kafka serializers write them.
 *
 * @param topic passed to the serializers: the name of the lookup
 */
record SerdeFormat<K, V>(String topic, Serializer<K> keys, Deserializer<V> values)
    implements TableFormat<K, V>, TableFormat.Codec<K, V> {
  /** Checks whether what the serializer writes can be a key of the table, if it has a schema. */
  @Override
  public void accept(Manifest manifest, Match match) throws SchemaMismatchException {
    Schema schema = manifest.schema();
    if (schema != null && !KafkaKeys.canBeKeys(keys, schema)) {
      throw new SchemaMismatchException(
          "lookup '%s': version=%s does not fit: no key that %s writes can be in a table whose primary key is %s; use a serde of that type, or rows(...)"
              .formatted(topic, manifest.version(), keys.getClass().getSimpleName(), key(schema)));
    }
  }

  private static String key(Schema schema) {
    return schema.keyColumns().stream().map(Column::toString).collect(Collectors.joining(", "));
  }

  @Override
  public void serve(Manifest manifest) {}

  @Override
  public Codec<K, V> of(Manifest manifest, Match match) {
    return this;
  }

  @Override
  public byte @Nullable [] encode(K key) {
    return keys.serialize(topic, key);
  }

  @Override
  public @Nullable V decode(byte[] key, byte[] value) {
    return values.deserialize(topic, value);
  }
}
