package io.bsdb.benchmarks.peers;

import com.spotify.sparkey.CompressionType;
import com.spotify.sparkey.Sparkey;
import com.spotify.sparkey.SparkeyReader;
import com.spotify.sparkey.SparkeyWriter;
import io.bsdb.benchmarks.harness.RecordFile;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Sparkey: a log file and a hash file, both mapped. */
record SparkeyPeer(String name, CompressionType compression) implements Peer {
  private static final int BLOCK = 4096;

  private static File file(Path directory) {
    return directory.resolve("table.spi").toFile();
  }

  @Override
  public String configuration() {
    return "Sparkey 3.2.5, compression %s%s, default hash, mapped"
        .formatted(compression, compression == CompressionType.NONE ? "" : ", blocks of " + BLOCK);
  }

  @Override
  public void build(RecordFile records, Path directory) throws Exception {
    try (SparkeyWriter writer = Sparkey.createNew(file(directory), compression, BLOCK)) {
      writer.setFsync(true);
      records.forEach(writer::put);
      writer.flush();
      writer.writeHash();
    }
  }

  @Override
  public Store open(RecordFile records, Path directory) throws IOException {
    return new Open(Sparkey.open(file(directory)));
  }

  private record Open(SparkeyReader reader) implements Store {
    @Override
    public byte @Nullable [] get(byte[] key) throws IOException {
      return reader.getAsByteArray(key);
    }

    @Override
    public void close() {
      reader.close();
    }
  }
}
