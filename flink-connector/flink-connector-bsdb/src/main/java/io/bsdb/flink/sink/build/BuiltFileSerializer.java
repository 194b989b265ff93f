package io.bsdb.flink.sink.build;

import io.bsdb.flink.sink.PartitionFileSerializer;
import io.bsdb.flink.state.StateSerializer;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Carries what a writer has built to the task that collects it. */
final class BuiltFileSerializer extends StateSerializer<BuiltFile> {
  private static final PartitionFileSerializer FILES = new PartitionFileSerializer();

  BuiltFileSerializer() {
    super("committable");
  }

  @Override
  public void write(BuiltFile built, DataOutputView target) throws IOException {
    FILES.write(built.file(), target);
    target.writeInt(built.splitters());
  }

  @Override
  public BuiltFile read(DataInputView source) throws IOException {
    return new BuiltFile(FILES.read(source), source.readInt());
  }
}
