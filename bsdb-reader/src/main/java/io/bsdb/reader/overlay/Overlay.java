package io.bsdb.reader.overlay;

import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.format.segment.Segment;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.options.Access;
import io.bsdb.table.RecordOrder;
import io.bsdb.table.SegmentFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The changes of a version over its base: of each changed key the newest record, found in its
 * segment. Immutable and safe for many threads; closed by its owner when nobody reads any more.
 */
public final class Overlay implements Closeable {
  /** Result of {@link #find} for a key that has not changed. */
  public static final long UNCHANGED = -1;

  /** Result of {@link #find} for a key that was deleted. */
  public static final long DELETED = -2;

  private static final int SEGMENT_SHIFT = 32;

  /** By the number in addresses. */
  private final OpenSegment[] segments;

  private final ChangeIndex index;
  private final @Nullable SortedChanges sorted;

  Overlay(List<OpenSegment> segments, ChangeIndex index, @Nullable SortedChanges sorted) {
    this.segments = segments.toArray(OpenSegment[]::new);
    this.index = index;
    this.sorted = sorted;
  }

  /** Says which changes apply. */
  public interface Scope {
    /**
     * Returns whether a change of a segment applies to the partition of a key.
     *
     * @param key begins with the key
     * @param length of the key
     * @param high of the key's hash
     * @param segment the segment's number
     */
    boolean applies(byte[] key, int length, long high, long segment);
  }

  /**
   * Opens the changes of a version.
   *
   * @param files the segments, in the order in which they apply
   * @param paths where each lies
   * @param order of the base: by key, the changes are sorted, too
   * @param previous shares what is open already; may be null
   * @param sameScope whether the same changes apply as to the previous version
   * @throws io.bsdb.format.CorruptSnapshotException if a segment is damaged
   */
  public static Overlay open(
      List<SegmentFile> files,
      Function<SegmentFile, Path> paths,
      RecordOrder order,
      Scope scope,
      Access access,
      @Nullable Overlay previous,
      boolean sameScope)
      throws IOException {
    OverlayBuilder builder = new OverlayBuilder(paths, order, scope, access, previous);
    try {
      return builder.build(files, sameScope);
    } catch (IOException | RuntimeException | Error e) {
      builder.abandon();
      throw e;
    }
  }

  /** Returns whether the segments of this are the first of some files. */
  boolean isPrefixOf(List<SegmentFile> files) {
    if (segments.length > files.size()) {
      return false;
    }
    for (int i = 0; i < segments.length; i++) {
      if (!segments[i].file().equals(files.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Shares a segment if it is open here. */
  @Nullable OpenSegment shared(SegmentFile file) {
    for (OpenSegment segment : segments) {
      if (segment.file().equals(file)) {
        return segment.share();
      }
    }
    return null;
  }

  /**
   * Verifies segments: every byte, and that they are what the manifest says.
   *
   * @throws io.bsdb.format.CorruptSnapshotException if one is not
   */
  public static void verify(List<SegmentFile> files, Function<SegmentFile, Path> paths)
      throws IOException {
    for (SegmentFile file : files) {
      OpenSegment segment = OpenSegment.open(paths.apply(file), file, Access.MAPPED);
      try {
        segment.replay(
            (kind, record) -> {
              if (kind != ChangeKind.POSITION) {
                byte[] key = copy(segment.segment(), segment.segment().key(record));
                segment.requireInRange(KeyHash.hash(key).getMostSignificantBits());
              }
            });
        segment.verifyChecksum();
      } finally {
        segment.release();
      }
    }
  }

  /** Returns the address of a record in the segment with a number. */
  static long address(int number, int record) {
    return (long) number << SEGMENT_SHIFT | record;
  }

  static int number(long address) {
    return (int) (address >>> SEGMENT_SHIFT);
  }

  ChangeIndex index() {
    return index;
  }

  int segmentCount() {
    return segments.length;
  }

  /** Returns the segment of an address. */
  Segment segment(long address) {
    return segments[number(address)].segment();
  }

  static int offset(long address) {
    return (int) address;
  }

  /** Returns whether a key may have been changed: false for almost all that have not. */
  public boolean mayContain(long high, long low) {
    return index.mayContain(high, low);
  }

  /**
   * Finds the newest change of a key.
   *
   * @param high of the key's hash
   * @param low of the key's hash
   * @return where its value is, or {@link #UNCHANGED}, or {@link #DELETED}
   */
  public long find(byte[] key, long high, long low) {
    return index.mayContain(high, low) ? findRecord(key, high, low) : UNCHANGED;
  }

  /** Finds the newest change of a key that {@link #mayContain} does not rule out. */
  public long findRecord(byte[] key, long high, long low) {
    int position = index.next(index.start(high), low);
    while (position >= 0) {
      long address = index.address(position);
      Segment segment = segment(address);
      if (segment.hasKey(offset(address), key)) {
        return segment.isDelete(offset(address)) ? DELETED : address;
      }
      position = index.next(position + Long.BYTES, low);
    }
    return UNCHANGED;
  }

  /**
   * Copies a value.
   *
   * @param found as {@link #find} says
   */
  public byte[] copy(long found) {
    Segment segment = segment(found);
    return copy(segment, segment.value(offset(found)));
  }

  static byte[] copy(Segment segment, long place) {
    byte[] copy = new byte[(int) place];
    segment.bytes().get((int) (place >>> 32), copy);
    return copy;
  }

  /**
   * Copies a value into a buffer, whose position moves behind it.
   *
   * @return its length
   * @throws BufferOverflowException if it does not fit
   */
  public int copy(long found, ByteBuffer target) {
    Segment segment = segment(found);
    long place = segment.value(offset(found));
    int length = (int) place;
    if (length > target.remaining()) {
      throw new BufferOverflowException();
    }
    target.put(target.position(), segment.bytes(), (int) (place >>> 32), length);
    target.position(target.position() + length);
    return length;
  }

  /** Returns the changes by key; null in hash order. */
  public @Nullable SortedChanges sorted() {
    return sorted;
  }

  /** Returns the number of changed keys, deleted ones included. */
  public int changedKeys() {
    return index.keys();
  }

  /** Returns the bytes of the index, and of the changes by key, off the heap. */
  public long indexBytes() {
    return index.length() + (sorted == null ? 0 : sorted.length());
  }

  /**
   * Returns a cursor over the keys with these high words of their hashes that have a value here.
   *
   * @param firstHash unsigned
   * @param lastHash unsigned, included
   */
  public ChangeCursor cursor(long firstHash, long lastHash) {
    return new ChangeCursor(this, firstHash, lastHash, ChangeCursor.Deleted.SKIPPED);
  }

  /** Returns a cursor over all changed keys, deleted ones included. */
  public ChangeCursor changes() {
    return new ChangeCursor(this, 0, -1, ChangeCursor.Deleted.INCLUDED);
  }

  /**
   * Compares lengths of mapped files with what they were.
   *
   * @throws io.bsdb.format.CorruptSnapshotException if one has been shortened
   */
  public void requireWholeFiles() throws IOException {
    for (OpenSegment segment : segments) {
      FileMemory memory = segment.memory();
      memory.requireWhole(memory.length());
    }
  }

  /** Gives memory and files back; those that other overlays share stay open. */
  @Override
  public void close() throws IOException {
    index.close();
    if (sorted != null) {
      sorted.close();
    }
    IOException failure = null;
    for (OpenSegment segment : segments) {
      try {
        segment.release();
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
