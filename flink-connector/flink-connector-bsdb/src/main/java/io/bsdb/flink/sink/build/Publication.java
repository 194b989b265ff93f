package io.bsdb.flink.sink.build;

import io.bsdb.flink.state.StateSerializer;
import java.io.IOException;
import java.util.List;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Files of a whole build, to be published.
 *
 * @param files of the partitions that have records
 */
public record Publication(List<BuiltFile> files) {
  public Publication {
    files = List.copyOf(files);
  }

  /** Carries a publication to the committer. */
  static final class Serializer extends StateSerializer<Publication> {
    private static final BuiltFile.Serializer FILES = new BuiltFile.Serializer();

    Serializer() {
      super("publication");
    }

    @Override
    public void write(Publication publication, DataOutputView target) throws IOException {
      FILES.writeAll(publication.files(), target);
    }

    @Override
    public Publication read(DataInputView source) throws IOException {
      return new Publication(FILES.readAll(source));
    }
  }
}
