package io.bsdb.reader.overlay;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.segment.Segment;
import io.bsdb.format.segment.SegmentWriter;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.options.Access;
import io.bsdb.table.SegmentFile;
import java.io.IOException;
import java.nio.file.Path;

/** A segment in memory, shared by the overlays of successive versions. Safe for many threads. */
final class OpenSegment {
  private final SegmentFile file;
  private final FileMemory memory;
  private final Segment segment;
  private int users = 1;

  private OpenSegment(SegmentFile file, FileMemory memory, Segment segment) {
    this.file = file;
    this.memory = memory;
    this.segment = segment;
  }

  /**
   * Maps a segment, or copies it into memory.
   *
   * @param access only {@link Access#RESIDENT} makes a copy
   */
  static OpenSegment open(Path path, SegmentFile file, Access access) throws IOException {
    FileMemory memory = access == Access.RESIDENT ? FileMemory.load(path) : FileMemory.map(path);
    if (memory.length() != file.length() || file.length() > SegmentWriter.MAX_LENGTH) {
      memory.close();
      throw new CorruptSnapshotException(
          "segment has another length than the manifest says: file=%s expected=%d actual=%d"
              .formatted(path, file.length(), memory.length()));
    }
    return new OpenSegment(
        file, memory, new Segment(memory.chunk(0), file.fileId(), path.toString()));
  }

  SegmentFile file() {
    return file;
  }

  FileMemory memory() {
    return memory;
  }

  Segment segment() {
    return segment;
  }

  synchronized OpenSegment share() {
    users++;
    return this;
  }

  /** Ends one use; the last one closes the file. */
  synchronized void release() throws IOException {
    if (--users == 0) {
      memory.close();
    }
  }
}
