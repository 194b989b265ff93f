package io.bsdb.kstreams;

import org.apache.kafka.streams.kstream.KeyValueMapper;
import org.apache.kafka.streams.kstream.ValueJoinerWithKey;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;

/**
 * One join of a topology. Kafka Streams asks it for processors also while it only describes the
 * topology, so these acquire nothing before they are initialised.
 *
 * @param number distinguishes the joins of one lookup
 * @param <KS> the stream's keys
 * @param <VS> the stream's values
 * @param <K> the table's keys
 * @param <V> the table's values
 * @param <VR> the joined values
 */
record LookupSupplier<KS, VS, K, V, VR>(
    LookupTable<K, V> table,
    int number,
    JoinKind kind,
    KeyValueMapper<? super KS, ? super VS, ? extends K> keySelector,
    ValueJoinerWithKey<? super KS, ? super VS, ? super V, ? extends VR> joiner)
    implements FixedKeyProcessorSupplier<KS, VS, VR> {
  @Override
  public FixedKeyProcessor<KS, VS, VR> get() {
    return new LookupProcessor<>(this);
  }
}
