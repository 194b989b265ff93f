package io.bsdb.flink.sink.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.flink.sink.shuffle.PartitionShuffle;
import java.io.IOException;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ChangeSerializerTest {
  private final TypeSerializer<Change> serializer =
      Change.TYPE.createSerializer(new SerializerConfigImpl());

  static Stream<Change> changes() {
    byte[] key = {1, 2, 3};
    byte[] value = {4, 5};
    return Stream.of(
        Change.put(key, value),
        Change.put(key, new byte[0]),
        Change.delete(key),
        Change.put(key, value).in(new Change.Range(7, -9)));
  }

  @MethodSource("changes")
  @ParameterizedTest
  void readsWhatItWrote(Change change) throws IOException {
    DataOutputSerializer written = new DataOutputSerializer(16);
    serializer.serialize(change, written);
    DataOutputSerializer copied = new DataOutputSerializer(16);
    serializer.copy(new DataInputDeserializer(written.getCopyOfBuffer()), copied);
    DataInputDeserializer source = new DataInputDeserializer(copied.getCopyOfBuffer());
    assertThat(serializer.deserialize(source)).usingRecursiveComparison().isEqualTo(change);
    assertThat(source.available()).isZero();
  }

  @Test
  void findsItsSerializerAgain() {
    assertThat(serializer.snapshotConfiguration().restoreSerializer()).isEqualTo(serializer);
    assertThat(Change.TYPE).isEqualTo(new ChangeType());
  }

  /** So that a savepoint or checkpoint of another release need not know how changes travel. */
  @Test
  void travelsWhereNoCheckpointStoresIt() {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    var shuffled =
        PartitionShuffle.of(env.fromData(Change.TYPE, Change.delete(new byte[1])), 4)
            .getTransformation();
    assertThat(shuffled).isInstanceOf(PartitionTransformation.class);
    assertThat(
            ((PartitionTransformation<Change>) shuffled)
                .getPartitioner()
                .isSupportsUnalignedCheckpoint())
        .isFalse();
  }
}
