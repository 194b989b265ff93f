package io.bsdb.benchmarks.harness;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A workload as a file that every build reads, so that no build pays for generating records. */
public record RecordFile(Path path, Workload workload) {
  private static final int BUFFER = 1 << 20;

  /** Length of a piece that is mapped; a record at its end reaches into the next one. */
  private static final int PIECE_SHIFT = 29;

  private static final int LONGEST = 1 << 20;

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
      try (DataOutputStream out =
          new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(part), BUFFER))) {
        for (long id = 0; id < workload.records(); id++) {
          for (byte[] bytes : new byte[][] {workload.key(id), workload.value(id)}) {
            out.writeShort(bytes.length);
            out.write(bytes);
          }
        }
      }
      try (RandomAccessFile file = new RandomAccessFile(part.toFile(), "rw")) {
        file.getChannel().force(true);
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
    long[] offsets = workload.data().isFixed() ? null : offsets();
    try (FileChannel channel = FileChannel.open(path)) {
      long length = channel.size();
      MappedByteBuffer[] pieces = new MappedByteBuffer[(int) (((length - 1) >> PIECE_SHIFT) + 1)];
      for (int i = 0; i < pieces.length; i++) {
        long start = (long) i << PIECE_SHIFT;
        pieces[i] =
            channel.map(
                MapMode.READ_ONLY, start, Math.min(length - start, (1L << PIECE_SHIFT) + LONGEST));
      }
      for (long id : workload.data().idsByKey(count())) {
        long offset = offsets == null ? length / count() * id : offsets[(int) id];
        MappedByteBuffer piece = pieces[(int) (offset >> PIECE_SHIFT)];
        int at = (int) (offset & ((1 << PIECE_SHIFT) - 1));
        byte[] key = new byte[piece.getShort(at) & 0xFFFF];
        piece.get(at + Short.BYTES, key);
        at += Short.BYTES + key.length;
        byte[] value = new byte[piece.getShort(at) & 0xFFFF];
        piece.get(at + Short.BYTES, value);
        receiver.accept(key, value);
      }
    }
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
