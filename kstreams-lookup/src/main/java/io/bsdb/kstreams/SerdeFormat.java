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
  /**
   * Bytes have no schema to check; a table with one may be read in this way too, by those who know
   * its encoding.
   */
  @Override
  public void accept(Manifest manifest) {}

  @Override
  public void serve(Manifest manifest) {}

  @Override
  public Codec<K, V> of(Manifest manifest) {
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
