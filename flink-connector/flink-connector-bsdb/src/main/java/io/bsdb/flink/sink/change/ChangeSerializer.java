package io.bsdb.flink.sink.change;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/** Carries changes between tasks: what follows, then the key, the value and the range, if any. */
public final class ChangeSerializer extends TypeSerializerSingleton<Change> {
  private static final long serialVersionUID = 1L;
  private static final BytePrimitiveArraySerializer BYTES = BytePrimitiveArraySerializer.INSTANCE;
  private static final byte[] NOTHING = new byte[0];
  private static final int HAS_VALUE = 1;
  private static final int HAS_RANGE = 2;

  /** Flink writes it beside state; there is none of this type. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<Change> {
    /** Called by Flink. */
    public Snapshot() {
      super(ChangeSerializer::new);
    }
  }

  @Override
  public void serialize(Change change, DataOutputView target) throws IOException {
    byte[] value = change.value();
    Change.Range range = change.range();
    target.writeByte((value == null ? 0 : HAS_VALUE) | (range == null ? 0 : HAS_RANGE));
    BYTES.serialize(change.key(), target);
    if (value != null) {
      BYTES.serialize(value, target);
    }
    if (range != null) {
      target.writeInt(range.partition());
      target.writeInt(range.splitters());
    }
  }

  @Override
  public Change deserialize(DataInputView source) throws IOException {
    int content = source.readByte();
    byte[] key = BYTES.deserialize(source);
    byte @Nullable [] value = (content & HAS_VALUE) == 0 ? null : BYTES.deserialize(source);
    Change.@Nullable Range range =
        (content & HAS_RANGE) == 0 ? null : new Change.Range(source.readInt(), source.readInt());
    return new Change(key, value, range);
  }

  @Override
  public void copy(DataInputView source, DataOutputView target) throws IOException {
    serialize(deserialize(source), target);
  }

  @Override
  public boolean isImmutableType() {
    return true;
  }

  @Override
  public Change createInstance() {
    return Change.delete(NOTHING);
  }

  @Override
  public Change copy(Change from) {
    return from;
  }

  @Override
  public Change copy(Change from, Change reuse) {
    return from;
  }

  @Override
  public Change deserialize(Change reuse, DataInputView source) throws IOException {
    return deserialize(source);
  }

  @Override
  public int getLength() {
    return -1;
  }

  @Override
  public TypeSerializerSnapshot<Change> snapshotConfiguration() {
    return new Snapshot();
  }
}
