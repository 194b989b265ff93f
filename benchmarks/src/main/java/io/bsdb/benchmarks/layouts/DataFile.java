package io.bsdb.benchmarks.layouts;

import io.bsdb.benchmarks.harness.Records;
import io.bsdb.row.Schema;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A data set as a file that every build reads, so that no build pays for making it up. */
record DataFile(Path path, long count, @Nullable Schema schema) implements Records {
  private static final int BUFFER = 1 << 20;

  /** Returns the file of a data set, written if it is not there yet. */
  static DataFile of(Path directory, String name, long count) throws IOException {
    DataSet data = DataSet.named(name);
    Path path = directory.resolve("data-" + name.replaceAll("[^A-Za-z0-9.]+", "-") + "-" + count);
    if (!Files.exists(path)) {
      Path part = path.resolveSibling(path.getFileName() + ".part");
      try (DataOutputStream out =
          new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(part), BUFFER))) {
        for (long id = 0; id < count; id++) {
          write(out, data.key(id));
          write(out, data.value(id));
        }
      }
      Files.move(part, path, StandardCopyOption.ATOMIC_MOVE);
    }
    return new DataFile(path, count, data.schema());
  }

  private static void write(DataOutputStream out, byte[] bytes) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  @Override
  public void forEach(Receiver receiver) throws IOException {
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(path), BUFFER))) {
      for (long id = 0; id < count; id++) {
        byte[] key = in.readNBytes(in.readInt());
        receiver.accept(key, in.readNBytes(in.readInt()));
      }
    }
  }

  @Override
  public void forEachSorted(Receiver receiver) throws IOException {
    byte[][][] records = new byte[Math.toIntExact(count)][][];
    int[] next = {0};
    forEach((key, value) -> records[next[0]++] = new byte[][] {key, value});
    Arrays.parallelSort(records, (a, b) -> Arrays.compareUnsigned(a[0], b[0]));
    for (byte[][] record : records) {
      receiver.accept(record[0], record[1]);
    }
  }
}
