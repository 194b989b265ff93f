package io.bsdb.flink.storage;

import io.bsdb.table.storage.TableStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;

/** Writes a file through Flink's stream; deletes it again unless it is committed. */
final class StreamOutput implements TableStorage.Output {
  private static final int CHUNK = 1 << 16;

  private final FileSystem fileSystem;
  private final Path file;
  private final FSDataOutputStream stream;
  private final byte[] chunk = new byte[CHUNK];
  private boolean open = true;

  StreamOutput(FileSystem fileSystem, Path file, FSDataOutputStream stream) {
    this.fileSystem = fileSystem;
    this.file = file;
    this.stream = stream;
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    if (!open) {
      throw new ClosedChannelException();
    }
    int count = source.remaining();
    while (source.hasRemaining()) {
      int length = Math.min(CHUNK, source.remaining());
      source.get(chunk, 0, length);
      stream.write(chunk, 0, length);
    }
    return count;
  }

  @Override
  public void commit() throws IOException {
    stream.close();
    open = false;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() throws IOException {
    if (open) {
      open = false;
      try {
        stream.close();
      } finally {
        fileSystem.delete(file, false);
      }
    }
  }
}
