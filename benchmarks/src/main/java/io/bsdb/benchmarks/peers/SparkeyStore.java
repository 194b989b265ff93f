package io.bsdb.benchmarks.peers;

import com.spotify.sparkey.CompressionType;
import com.spotify.sparkey.Sparkey;
import com.spotify.sparkey.SparkeyReader;
import com.spotify.sparkey.SparkeyWriter;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Sparkey: a log file and a hash file, both mapped. */
record SparkeyStore(SparkeyReader reader) implements Store {
  private static final int BLOCK = 4096;

  static Peer peer(String name, CompressionType compression) {
    String blocks = compression == CompressionType.NONE ? "" : ", blocks of " + BLOCK;
    return new Peer(
        name,
        name,
        "Sparkey 3.2.5, compression %s%s, default hash, mapped".formatted(compression, blocks),
        false,
        0,
        0,
        (records, directory) -> {
          try (SparkeyWriter writer = Sparkey.createNew(file(directory), compression, BLOCK)) {
            writer.setFsync(true);
            records.forEach(writer::put);
            writer.flush();
            writer.writeHash();
          }
        },
        (records, directory) -> new SparkeyStore(Sparkey.open(file(directory))));
  }

  private static File file(Path directory) {
    return directory.resolve("table.spi").toFile();
  }

  @Override
  public byte @Nullable [] get(byte[] key) throws IOException {
    return reader.getAsByteArray(key);
  }

  @Override
  public void close() {
    reader.close();
  }
}
