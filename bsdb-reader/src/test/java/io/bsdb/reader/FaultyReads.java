package io.bsdb.reader;

import io.bsdb.reader.io.DirectFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads of a file that go through a fault. */
record FaultyReads(DirectFile.Source source, Fault fault) implements DirectFile.Source {
  /** What happens to a read. */
  interface Fault {
    /**
     * Called before bytes are read.
     *
     * @return how many bytes to read, at most {@code length}
     */
    int before(long position, int length) throws IOException;
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    int limit = target.limit();
    int length = fault.before(position, target.remaining());
    try {
      return source.read(target.limit(target.position() + length), position);
    } finally {
      target.limit(limit);
    }
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
