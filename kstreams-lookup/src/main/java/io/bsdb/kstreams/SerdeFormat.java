package io.bsdb.kstreams;

import io.bsdb.format.Manifest;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * Keys and values as Kafka serializers write them.
 *
 * @param topic what the serializers are told
 */
record SerdeFormat<K, V>(String topic, Serializer<K> keys, Deserializer<V> values)
    implements TableFormat<K, V>, TableFormat.Codec<K, V> {
  @Override
  public Codec<K, V> of(Manifest manifest) {
    return this;
  }

  @Override
  public byte[] encode(K key) {
    byte[] bytes = keys.serialize(topic, key);
    if (bytes == null) {
      throw new IllegalArgumentException(
          "lookup '" + topic + "': the key serializer wrote nothing for " + key);
    }
    return bytes;
  }

  @Override
  public @Nullable V decode(byte[] key, byte[] value) {
    return values.deserialize(topic, value);
  }
}
