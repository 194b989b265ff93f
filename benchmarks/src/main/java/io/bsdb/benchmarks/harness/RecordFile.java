package io.bsdb.benchmarks.harness;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.MappedByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * The workload as a file that every build reads: key and value, key and value. So no build pays for
 * making the records up.
 */
public final class RecordFile implements Records {
  private static final int LENGTH = Workload.KEY_LENGTH + Workload.VALUE_LENGTH;
  private static final int CHUNK_RECORDS = 1 << 23;
  private static final int BUFFER = 1 << 20;

  private final Path path;
  private final Workload workload;

  private RecordFile(Path path, Workload workload) {
    this.path = path;
    this.workload = workload;
  }

  /** Returns the file of a workload, written if it is not there yet. */
  public static RecordFile of(Path directory, Workload workload) throws IOException {
    Path path = directory.resolve("records-" + workload.records());
    RecordFile file = new RecordFile(path, workload);
    if (!Files.exists(path) || Files.size(path) != workload.records() * LENGTH) {
      file.write();
    }
    return file;
  }

  private void write() throws IOException {
    Path part = path.resolveSibling(path.getFileName() + ".part");
    try (FileChannel channel =
            FileChannel.open(
                part,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
        OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER)) {
      for (long id = 0; id < workload.records(); id++) {
        out.write(workload.key(id));
        out.write(workload.value(id));
      }
      out.flush();
      channel.force(true);
    }
    Files.move(part, path, StandardCopyOption.ATOMIC_MOVE);
  }

  public Workload workload() {
    return workload;
  }

  @Override
  public long count() {
    return workload.records();
  }

  /** Reads all records in the file's order, in which keys are random. */
  @Override
  public void forEach(Receiver receiver) throws IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(path), BUFFER)) {
      for (long id = 0; id < workload.records(); id++) {
        receiver.accept(in.readNBytes(Workload.KEY_LENGTH), in.readNBytes(Workload.VALUE_LENGTH));
      }
    }
  }

  /** Sorts the keys in memory, and reads all records in their order, from the mapped file. */
  @Override
  public void forEachSorted(Receiver receiver) throws IOException {
    int chunks = Math.toIntExact((workload.records() - 1) / CHUNK_RECORDS + 1);
    MappedByteBuffer[] maps = new MappedByteBuffer[chunks];
    try (FileChannel channel = FileChannel.open(path)) {
      long step = (long) CHUNK_RECORDS * LENGTH;
      for (int i = 0; i < chunks; i++) {
        long length = Math.min(step, channel.size() - i * step);
        maps[i] = channel.map(FileChannel.MapMode.READ_ONLY, i * step, length);
      }
    }
    for (long id : workload.idsByKey()) {
      byte[] key = new byte[Workload.KEY_LENGTH];
      byte[] value = new byte[Workload.VALUE_LENGTH];
      MappedByteBuffer map = maps[(int) (id / CHUNK_RECORDS)];
      int position = (int) (id % CHUNK_RECORDS) * LENGTH;
      map.get(position, key);
      map.get(position + Workload.KEY_LENGTH, value);
      receiver.accept(key, value);
    }
  }
}
