package io.bsdb.flink.follow;

import io.bsdb.flink.state.StateSerializer;
import io.bsdb.reader.diff.KeySlice;
import java.io.IOException;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;
import org.jspecify.annotations.Nullable;

/**
 * A slice of the keys, and how far it has been read.
 *
 * @param number of the slice, which is that of a partition of the first version
 * @param from the version whose rows were all read, or all changes up to it; null while the first
 *     version is read
 * @param to the version that is read; null if none is
 * @param position within what is read: the number of rows of the first version, or the position of
 *     a comparison; empty at the beginning
 */
record FollowSplit(
    int number, KeySlice slice, @Nullable String from, @Nullable String to, String position)
    implements SourceSplit {
  @Override
  public String splitId() {
    return slice.toString();
  }

  static final class Serializer extends StateSerializer<FollowSplit> {
    Serializer() {
      super("position in the changes of a table");
    }

    @Override
    public void write(FollowSplit split, DataOutputView target) throws IOException {
      target.writeInt(split.number());
      // With long keys, longer than writeUTF allows.
      StringValue.writeString(split.slice().toString(), target);
      StringValue.writeString(split.from(), target);
      StringValue.writeString(split.to(), target);
      StringValue.writeString(split.position(), target);
    }

    @Override
    public FollowSplit read(DataInputView source) throws IOException {
      return new FollowSplit(
          source.readInt(),
          KeySlice.parse(StringValue.readString(source)),
          StringValue.readString(source),
          StringValue.readString(source),
          StringValue.readString(source));
    }
  }
}
