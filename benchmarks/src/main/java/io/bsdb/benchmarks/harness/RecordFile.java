package io.bsdb.benchmarks.harness;

import io.bsdb.reader.io.FileMemory;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A workload as a file that every build reads, so that no build pays for generating records. */
public record RecordFile(Path path, Workload workload) {
  private static final int BUFFER = 1 << 20;

  private static final int LONGEST = 1 << 18;

  /** Takes a record. The arrays are the receiver's own. */
  @FunctionalInterface
  public interface Receiver {
    void accept(byte[] key, byte[] value) throws Exception;
  }

  /** Returns the file of a workload, written if it is not there yet. */
  public static RecordFile of(Path directory, Workload workload) throws IOException {
    Path path = directory.resolve("data-" + workload.suffix());
    if (!Files.exists(path)) {
      Path part = path.resolveSibling(path.getFileName() + ".part");
      try (FileOutputStream file = new FileOutputStream(part.toFile());
          DataOutputStream out = new DataOutputStream(new BufferedOutputStream(file, BUFFER))) {
        for (long id = 0; id < workload.records(); id++) {
          for (byte[] bytes : new byte[][] {workload.key(id), workload.value(id)}) {
            out.writeShort(bytes.length);
            out.write(bytes);
          }
        }
        out.flush();
        file.getFD().sync();
      }
      Files.move(part, path, StandardCopyOption.ATOMIC_MOVE);
    }
    return new RecordFile(path, workload);
  }

  public long count() {
    return workload.records();
  }

  /** Reads all records, keys in random order. */
  public void forEach(Receiver receiver) throws Exception {
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(path), BUFFER))) {
      for (long id = 0; id < count(); id++) {
        byte[] key = in.readNBytes(in.readUnsignedShort());
        receiver.accept(key, in.readNBytes(in.readUnsignedShort()));
      }
    }
  }

  /**
   * Reads all records in the order of their keys: sorts the ids in memory, and reads the mapped
   * file in their order.
   */
  public void forEachSorted(Receiver receiver) throws Exception {
    long[] offsets = workload.data() == DataSet.JSON ? null : offsets();
    try (FileMemory file = FileMemory.map(path)) {
      for (long id : workload.data().idsByKey(count())) {
        long offset = offsets == null ? file.length() / count() * id : offsets[(int) id];
        ByteBuffer bytes = file.slice(offset, (int) Math.min(LONGEST, file.length() - offset));
        byte[] key = next(bytes.order(ByteOrder.BIG_ENDIAN));
        receiver.accept(key, next(bytes));
      }
    }
  }

  private static byte[] next(ByteBuffer bytes) {
    byte[] next = new byte[bytes.getShort() & 0xFFFF];
    bytes.get(next);
    return next;
  }

  private long[] offsets() throws Exception {
    long[] offsets = new long[Math.toIntExact(count() + 1)];
    int[] id = {0};
    forEach(
        (key, value) ->
            offsets[id[0] + 1] = offsets[id[0]++] + 2 * Short.BYTES + key.length + value.length);
    return offsets;
  }
}
