package io.bsdb.flink.sink.stream;

import io.bsdb.flink.state.StateSerializer;
import io.bsdb.table.StreamRule;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.table.manifest.StreamProgress.Checkpoint;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/**
 * Changes that are to be published at once.
 *
 * @param stream its place in the stream that it is of; null for a batch job
 * @param files in the order in which they apply; none if only the source time of the stream moved
 */
public record Delta(@Nullable StreamRule stream, List<SegmentFile> files) {
  public Delta {
    files = List.copyOf(files);
  }

  /** Carries a delta to the committer. */
  static final class Serializer extends StateSerializer<Delta> {
    private static final int OF_STREAM = 1;
    private static final int HAS_SOURCE_TIME = 2;

    private static final CheckpointSerializer CHECKPOINTS = new CheckpointSerializer();
    private static final SegmentFileSerializer FILES = new SegmentFileSerializer();

    Serializer() {
      super("delta");
    }

    @Override
    public void write(Delta delta, DataOutputView target) throws IOException {
      StreamRule rule = delta.stream();
      Instant time = rule == null ? null : rule.sourceTime();
      target.writeByte((rule == null ? 0 : OF_STREAM) | (time == null ? 0 : HAS_SOURCE_TIME));
      if (rule != null) {
        Checkpoint previous = rule.previous();
        target.writeUTF(rule.stream());
        CHECKPOINTS.write(rule.checkpoint(), target);
        target.writeBoolean(previous != null);
        if (previous != null) {
          CHECKPOINTS.write(previous, target);
        }
      }
      if (time != null) {
        target.writeLong(time.toEpochMilli());
      }
      FILES.writeAll(delta.files(), target);
    }

    @Override
    public Delta read(DataInputView source) throws IOException {
      int flags = source.readByte();
      return new Delta(
          (flags & OF_STREAM) == 0 ? null : rule(source, (flags & HAS_SOURCE_TIME) != 0),
          FILES.readAll(source));
    }

    private static StreamRule rule(DataInputView source, boolean hasTime) throws IOException {
      String stream = source.readUTF();
      Checkpoint checkpoint = CHECKPOINTS.read(source);
      @Nullable Checkpoint previous = source.readBoolean() ? CHECKPOINTS.read(source) : null;
      @Nullable Instant time = hasTime ? Instant.ofEpochMilli(source.readLong()) : null;
      return new StreamRule(stream, checkpoint, previous, time);
    }
  }
}
