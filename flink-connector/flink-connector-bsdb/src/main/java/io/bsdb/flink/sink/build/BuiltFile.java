package io.bsdb.flink.sink.build;

import io.bsdb.flink.sink.PartitionFileSerializer;
import io.bsdb.flink.state.StateSerializer;
import io.bsdb.table.manifest.PartitionFile;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.execution.SuppressRestartsException;

/**
 * A file of one partition, of one attempt of a writer.
 *
 * @param splitters the checksum of the keys at which partitions begin; 0 in hash order
 */
public record BuiltFile(PartitionFile file, int splitters) {
  /**
   * Refuses records or files that were divided in different ways: some could be missing, others
   * doubled. Trying again cannot help as long as any of them is kept.
   */
  static void requireSame(int splitters, int others) {
    if (splitters != others) {
      throw new SuppressRestartsException(
          new IllegalStateException(
              "the key ranges of this build were chosen twice, and differently, so nothing is published: checksums of their bounds expected=%08x actual=%08x; the input was probably read again after a failure and gave other rows: run the job again"
                  .formatted(splitters, others)));
    }
  }

  /** Carries what a writer has built to the task that collects it. */
  static final class Serializer extends StateSerializer<BuiltFile> {
    private static final PartitionFileSerializer FILES = new PartitionFileSerializer();

    Serializer() {
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
}
