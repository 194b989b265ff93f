package io.bsdb.flink.follow;

import io.bsdb.flink.state.StateSerializer;
import io.bsdb.reader.diff.KeySlice;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;

final class FollowSplitSerializer extends StateSerializer<FollowSplit> {
  FollowSplitSerializer() {
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
