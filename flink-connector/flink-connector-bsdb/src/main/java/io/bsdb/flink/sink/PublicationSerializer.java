package io.bsdb.flink.sink;

import io.bsdb.format.PartitionFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** Carries a publication to the committer. */
final class PublicationSerializer implements SimpleVersionedSerializer<Publication> {
  @Override
  public int getVersion() {
    return PartitionFileSerializer.VERSION;
  }

  @Override
  public byte[] serialize(Publication publication) throws IOException {
    DataOutputSerializer target = new DataOutputSerializer(4096);
    target.writeInt(publication.files().size());
    for (PartitionFile file : publication.files()) {
      PartitionFileSerializer.write(file, target);
    }
    return target.getCopyOfBuffer();
  }

  @Override
  public Publication deserialize(int version, byte[] serialized) throws IOException {
    PartitionFileSerializer.checkVersion(version);
    DataInputDeserializer source = new DataInputDeserializer(serialized);
    List<PartitionFile> files = new ArrayList<>();
    for (int remaining = source.readInt(); remaining > 0; remaining--) {
      files.add(PartitionFileSerializer.read(source));
    }
    return new Publication(files);
  }
}
