package io.bsdb.flink.state;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;

/** Writes objects in a format that has had one version so far. */
public abstract class StateSerializer<T> implements SimpleVersionedSerializer<T> {
  private static final int VERSION = 1;
  private static final int INITIAL_CAPACITY = 128;

  private final String what;

  /**
   * @param what it writes, for messages
   */
  protected StateSerializer(String what) {
    this.what = what;
  }

  public abstract void write(T object, DataOutputView target) throws IOException;

  public abstract T read(DataInputView source) throws IOException;

  /** Writes a list, as {@link #readAll} reads it. */
  public final void writeAll(List<T> objects, DataOutputView target) throws IOException {
    target.writeInt(objects.size());
    for (T object : objects) {
      write(object, target);
    }
  }

  public final List<T> readAll(DataInputView source) throws IOException {
    List<T> objects = new ArrayList<>();
    for (int remaining = source.readInt(); remaining > 0; remaining--) {
      objects.add(read(source));
    }
    return objects;
  }

  @Override
  public final int getVersion() {
    return VERSION;
  }

  @Override
  public final byte[] serialize(T object) throws IOException {
    DataOutputSerializer target = new DataOutputSerializer(INITIAL_CAPACITY);
    write(object, target);
    return target.getCopyOfBuffer();
  }

  @Override
  public final T deserialize(int version, byte[] serialized) throws IOException {
    if (version != VERSION) {
      throw new IOException(
          "%s of another version: expected=%d actual=%d".formatted(what, VERSION, version));
    }
    return read(new DataInputDeserializer(serialized));
  }
}
