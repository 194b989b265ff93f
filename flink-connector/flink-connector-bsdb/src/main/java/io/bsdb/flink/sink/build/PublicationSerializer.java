package io.bsdb.flink.sink.build;

import io.bsdb.flink.state.StateSerializer;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Carries a publication to the committer. */
final class PublicationSerializer extends StateSerializer<Publication> {
  private static final BuiltFileSerializer FILES = new BuiltFileSerializer();

  PublicationSerializer() {
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
