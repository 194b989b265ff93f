package io.bsdb.reader.overlay;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.format.segment.Segment;
import io.bsdb.format.segment.SegmentWriter;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.options.Access;
import io.bsdb.table.manifest.SegmentFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32C;

/** A segment in memory, shared by the overlays of successive versions. Safe for many threads. */
public final class OpenSegment {
  private static final String INCOMPLETE =
      "the manifest names this segment; the snapshot is incomplete, rebuild it";

  private final Path path;
  private final SegmentFile file;
  private final FileMemory memory;
  private final Segment segment;
  private final MemoryBudget.Claim claim;
  private int users = 1;

  private OpenSegment(
      Path path, SegmentFile file, FileMemory memory, Segment segment, MemoryBudget.Claim claim) {
    this.path = path;
    this.file = file;
    this.memory = memory;
    this.segment = segment;
    this.claim = claim;
  }

  /** Maps a segment. */
  public static OpenSegment map(Path path, SegmentFile file) throws IOException {
    return open(path, file, Access.MAPPED, MemoryBudget.unlimited());
  }

  /**
   * Maps a segment, or copies it into memory.
   *
   * @param access only {@link Access#RESIDENT} makes a copy
   * @param budget from which the memory of a copy is claimed
   */
  static OpenSegment open(Path path, SegmentFile file, Access access, MemoryBudget budget)
      throws IOException {
    long bytes = access == Access.RESIDENT ? FileMemory.resident(file.length()) : 0;
    MemoryBudget.Claim claim =
        budget.claim(
            bytes, "segment=" + path, "use access mapped or fold changes with 'bsdb compact'");
    try {
      return open(path, file, access, claim);
    } catch (IOException | RuntimeException | Error e) {
      claim.close();
      throw e;
    }
  }

  private static OpenSegment open(
      Path path, SegmentFile file, Access access, MemoryBudget.Claim claim) throws IOException {
    long length = FileMemory.lengthOfFile(path, INCOMPLETE);
    if (length != file.length() || length > SegmentWriter.MAX_LENGTH) {
      throw new CorruptSnapshotException(
          "segment length differs from the manifest: file=%s expected=%d actual=%d"
              .formatted(path, file.length(), length));
    }
    if (file.puts() + file.deletes() > file.length()) { // or so large an index would be made
      throw new CorruptSnapshotException(
          "manifest counts more changes than a segment has bytes: file=%s length=%d actual=%d puts and %d deletes"
              .formatted(path, file.length(), file.puts(), file.deletes()));
    }
    FileMemory memory = access == Access.RESIDENT ? FileMemory.load(path) : FileMemory.map(path);
    if (access != Access.RESIDENT) {
      memory.adviseHugePages();
    }
    return new OpenSegment(
        path, file, memory, new Segment(memory.chunk(0), file.fileId(), path.toString()), claim);
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

  /**
   * Verifies every byte and hands out all records.
   *
   * @throws CorruptSnapshotException if something is damaged, or does not match the manifest
   */
  void replay(Segment.Replay replay) throws IOException {
    memory.requireWhole(memory.length());
    long[] counts = segment.replay(replay);
    long puts = counts[ChangeKind.PUT.id()];
    long deletes = counts[ChangeKind.DELETE.id()];
    if (puts != file.puts() || deletes != file.deletes()) {
      throw new CorruptSnapshotException(
          "number of changes in a segment differs from the manifest: file=%s expected=%d puts and %d deletes actual=%d and %d"
              .formatted(path, file.puts(), file.deletes(), puts, deletes));
    }
  }

  /**
   * Checks the hash of a key in it.
   *
   * @param high of the key's hash
   * @throws CorruptSnapshotException if the manifest rules such a key out
   */
  void requireInRange(long high) throws CorruptSnapshotException {
    if (Long.compareUnsigned(high, file.firstHash()) < 0
        || Long.compareUnsigned(high, file.lastHash()) > 0) {
      throw new CorruptSnapshotException(
          "hash of a key in a segment is outside of its range in the manifest: file=%s expected=%016x to %016x actual=%016x"
              .formatted(path, file.firstHash(), file.lastHash(), high));
    }
  }

  /** Compares the checksum of the whole file with that of the manifest. */
  private void verifyChecksum() throws CorruptSnapshotException {
    CRC32C crc = new CRC32C();
    crc.update(memory.chunk(0).duplicate());
    if ((int) crc.getValue() != file.checksum()) {
      throw new CorruptSnapshotException(
          "file checksum mismatch: file=%s expected=%s actual=%s"
              .formatted(
                  path,
                  SnapshotFormat.hex(file.checksum()),
                  SnapshotFormat.hex((int) crc.getValue())));
    }
  }

  /**
   * Verifies every byte, and that the manifest matches.
   *
   * @throws CorruptSnapshotException if something is damaged
   */
  public void verify() throws IOException {
    ChangeRecords records = new ChangeRecords(List.of(segment));
    replay(
        (kind, record) -> {
          if (kind != ChangeKind.POSITION) {
            requireInRange(records.high(ChangeRecords.address(0, record)));
          }
        });
    verifyChecksum();
  }

  synchronized OpenSegment share() {
    users++;
    return this;
  }

  /** Ends one use; the last one closes the file. */
  public synchronized void release() throws IOException {
    if (--users == 0) {
      try {
        memory.close();
      } finally {
        claim.close();
      }
    }
  }
}
