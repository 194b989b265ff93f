package io.bsdb.flink.sink.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.table.StreamRule;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.table.manifest.StreamProgress.Checkpoint;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class DeltaSerializerTest {
  private static final Checkpoint FIRST = new Checkpoint(new UUID(1, 2), 3);
  private static final Checkpoint SECOND = new Checkpoint(new UUID(1, 2), 4);
  private static final SegmentFile FILE = new SegmentFile(0, new UUID(5, 6), 100, 7, -8, 9, 10, 11);

  private final Delta.Serializer serializer = new Delta.Serializer();

  private Delta read(byte[] serialized) throws Exception {
    return serializer.deserialize(serializer.getVersion(), serialized);
  }

  @Test
  void readsWhatItWrote() throws Exception {
    List<Delta> deltas =
        List.of(
            new Delta(null, List.of(FILE)),
            new Delta(new StreamRule("s", FIRST, null), List.of(FILE)),
            new Delta(new StreamRule("s", SECOND, FIRST), List.of(FILE, FILE)),
            new Delta(new StreamRule("s", SECOND, FIRST, Instant.ofEpochMilli(-12)), List.of()));
    for (Delta delta : deltas) {
      assertThat(read(serializer.serialize(delta))).isEqualTo(delta);
    }
  }

  /** State of a job that began before there were source times. */
  @Test
  void readsDeltasWithoutSourceTimes() throws Exception {
    DataOutputSerializer target = new DataOutputSerializer(100);
    target.writeBoolean(true);
    target.writeUTF("s");
    new CheckpointSerializer().write(SECOND, target);
    target.writeBoolean(true);
    new CheckpointSerializer().write(FIRST, target);
    new SegmentFileSerializer().writeAll(List.of(FILE), target);

    assertThat(read(target.getCopyOfBuffer()))
        .isEqualTo(new Delta(new StreamRule("s", SECOND, FIRST), List.of(FILE)));
  }
}
