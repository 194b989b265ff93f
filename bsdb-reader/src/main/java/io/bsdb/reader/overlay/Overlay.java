package io.bsdb.reader.overlay;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.format.segment.Segment;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.options.Access;
import io.bsdb.table.Changes;
import io.bsdb.table.SegmentFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
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

  private Overlay(List<OpenSegment> segments, ChangeIndex index) {
    this.segments = segments.toArray(OpenSegment[]::new);
    this.index = index;
  }

  /** Says which changes apply. */
  public interface Scope {
    /**
     * Returns whether a change of a segment applies to the partition of a key.
     *
     * @param high of the key's hash
     * @param segment the segment's number
     */
    boolean applies(long high, long segment);
  }

  /**
   * Opens the changes of a version.
   *
   * @param files the segments, in the order in which they apply
   * @param paths where each lies
   * @param previous shares what is open already; may be null
   * @param sameScope whether the same changes apply as to the previous version
   * @throws io.bsdb.format.CorruptSnapshotException if a segment is damaged
   */
  public static Overlay open(
      List<SegmentFile> files,
      Function<SegmentFile, Path> paths,
      Scope scope,
      Access access,
      @Nullable Overlay previous,
      boolean sameScope)
      throws IOException {
    Builder builder = new Builder(paths, scope, access, previous);
    try {
      return builder.build(files, sameScope);
    } catch (IOException | RuntimeException | Error e) {
      builder.abandon();
      throw e;
    }
  }

  /** Returns whether the segments of this are the first of some files. */
  private boolean isPrefixOf(List<SegmentFile> files) {
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

  private @Nullable OpenSegment shared(SegmentFile file) {
    for (OpenSegment segment : segments) {
      if (segment.file().equals(file)) {
        return segment.share();
      }
    }
    return null;
  }

  /** Opens segments and adds their changes to an index, one segment after the other. */
  private static final class Builder {
    private final Function<SegmentFile, Path> paths;
    private final Scope scope;
    private final Access access;
    private final @Nullable Overlay previous;
    private final List<OpenSegment> segments = new ArrayList<>();
    private @Nullable ChangeIndex index;
    private byte[] key = new byte[64];

    Builder(
        Function<SegmentFile, Path> paths, Scope scope, Access access, @Nullable Overlay previous) {
      this.paths = paths;
      this.scope = scope;
      this.access = access;
      this.previous = previous;
    }

    Overlay build(List<SegmentFile> files, boolean sameScope) throws IOException {
      if (files.size() > Changes.MAX_SEGMENTS) {
        throw new IOException(
            "too many segments: expected<=%d actual=%d; merge them with 'bsdb compact'"
                .formatted(Changes.MAX_SEGMENTS, files.size()));
      }
      Overlay before = previous;
      boolean continues = sameScope && before != null && before.isPrefixOf(files);
      int done = continues && before != null ? before.segments.length : 0;
      long more = 0;
      for (SegmentFile file : files.subList(done, files.size())) {
        more += file.puts() + file.deletes();
      }
      for (SegmentFile file : files) {
        OpenSegment shared = before == null ? null : before.shared(file);
        segments.add(shared != null ? shared : OpenSegment.open(paths.apply(file), file, access));
      }
      if (continues && before != null) {
        index =
            before.index.hasRoom(more)
                ? before.index.copy()
                : grown(before.index, before.index.keys() + more + more / 2);
      } else {
        index = ChangeIndex.create(more);
      }
      for (int i = done; i < segments.size(); i++) {
        add(i);
      }
      ChangeIndex built = index;
      index = null;
      return new Overlay(segments, built);
    }

    private void add(int number) throws IOException {
      OpenSegment open = segments.get(number);
      Segment segment = open.segment();
      open.replay(
          (kind, record) -> {
            if (kind != ChangeKind.POSITION) {
              HashValue128 hash = hash(segment, record);
              if (scope.applies(hash.getMostSignificantBits(), open.file().number())) {
                put(hash, segment, record, (long) number << SEGMENT_SHIFT | record);
              }
            }
          });
    }

    private HashValue128 hash(Segment segment, int record) {
      long found = segment.key(record);
      int length = (int) found;
      if (key.length < length) {
        key = new byte[Math.max(length, 2 * key.length)];
      }
      segment.bytes().get((int) (found >>> 32), key, 0, length);
      return KeyHash.hash(key, 0, length);
    }

    private void put(HashValue128 hash, Segment segment, int record, long address)
        throws IOException {
      long high = hash.getMostSignificantBits();
      long low = hash.getLeastSignificantBits();
      ChangeIndex target = target();
      int position = target.next(target.start(high), low);
      while (position >= 0) {
        long other = target.address(position);
        if (sameKey(segment, record, segments.get(number(other)).segment(), offset(other))) {
          target.replace(position, low, address);
          return;
        }
        position = target.next(position + Long.BYTES, low);
      }
      if (!target.holds(~position)) {
        index = grown(target, 2L * target.keys() + 1);
        target.close();
        put(hash, segment, record, address);
        return;
      }
      target.add(~position, high, low, address);
    }

    private ChangeIndex target() {
      ChangeIndex target = index;
      if (target == null) {
        throw new IllegalStateException("no index");
      }
      return target;
    }

    private static boolean sameKey(Segment a, int recordA, Segment b, int recordB) {
      long keyA = a.key(recordA);
      long keyB = b.key(recordB);
      int length = (int) keyA;
      return length == (int) keyB
          && a.bytes()
              .slice((int) (keyA >>> 32), length)
              .equals(b.bytes().slice((int) (keyB >>> 32), length));
    }

    /** Copies an index into one with more room. */
    private ChangeIndex grown(ChangeIndex source, long keys) throws IOException {
      ChangeIndex target = ChangeIndex.create(keys);
      try {
        for (int at = 0; source.holds(at); at += Long.BYTES) {
          long address = source.address(at);
          if (address != 0) {
            HashValue128 hash = hash(segments.get(number(address)).segment(), offset(address));
            long high = hash.getMostSignificantBits();
            long low = hash.getLeastSignificantBits();
            int position = target.start(high);
            while (position >= 0) {
              position = target.next(position, low);
              position = position < 0 ? position : position + Long.BYTES;
            }
            if (!target.holds(~position)) {
              throw new IllegalStateException("changed keys crowd at the end of the index");
            }
            target.add(~position, high, low, address);
          }
        }
        return target;
      } catch (RuntimeException | Error e) {
        target.close();
        throw e;
      }
    }

    void abandon() throws IOException {
      if (index != null) {
        index.close();
      }
      for (OpenSegment segment : segments) {
        segment.release();
      }
    }
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
        segment.replay((kind, record) -> {});
        segment.verifyChecksum();
      } finally {
        segment.release();
      }
    }
  }

  private static int number(long address) {
    return (int) (address >>> SEGMENT_SHIFT);
  }

  private static int offset(long address) {
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
      Segment segment = segments[number(address)].segment();
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
    Segment segment = segments[number(found)].segment();
    return copy(segment, segment.value(offset(found)));
  }

  private static byte[] copy(Segment segment, long place) {
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
    Segment segment = segments[number(found)].segment();
    long place = segment.value(offset(found));
    int length = (int) place;
    if (length > target.remaining()) {
      throw new BufferOverflowException();
    }
    target.put(target.position(), segment.bytes(), (int) (place >>> 32), length);
    target.position(target.position() + length);
    return length;
  }

  /** Returns the number of changed keys, deleted ones included. */
  public int changedKeys() {
    return index.keys();
  }

  /** Returns the bytes of the index, off the heap. */
  public long indexBytes() {
    return index.length();
  }

  /** Goes through the changed keys in a range of hashes, in no particular order. */
  public final class Cursor {
    private final boolean withDeleted;
    private final long firstHash;
    private final long lastHash;
    private final int end;
    private int position;
    private byte[] key = new byte[0];
    private long address;

    private Cursor(long firstHash, long lastHash, boolean withDeleted) {
      this.withDeleted = withDeleted;
      this.firstHash = firstHash;
      this.lastHash = lastHash;
      this.position = index.start(firstHash) - Long.BYTES;
      this.end = index.start(lastHash) + Long.BYTES;
    }

    /** Moves to the next key; returns false if there is none. */
    public boolean next() {
      while (true) {
        position += Long.BYTES;
        if (!index.holds(position)) {
          return false;
        }
        address = index.address(position);
        if (address == 0) {
          if (position >= end) {
            return false;
          }
          continue;
        }
        Segment segment = segments[number(address)].segment();
        if (withDeleted || !segment.isDelete(offset(address))) {
          key = Overlay.copy(segment, segment.key(offset(address)));
          long high = KeyHash.hash(key).getMostSignificantBits();
          if (Long.compareUnsigned(high, firstHash) >= 0
              && Long.compareUnsigned(high, lastHash) <= 0) {
            return true;
          }
        }
      }
    }

    /** Returns the current key; not to be changed. */
    public byte[] key() {
      return key;
    }

    /** Returns whether the current key has been deleted. */
    public boolean isDeleted() {
      return segments[number(address)].segment().isDelete(offset(address));
    }

    /** Returns a copy of the current value. */
    public byte[] value() {
      return copy(address);
    }
  }

  /**
   * Returns a cursor over the keys with these high words of their hashes that have a value here.
   *
   * @param firstHash unsigned
   * @param lastHash unsigned, included
   */
  public Cursor cursor(long firstHash, long lastHash) {
    return new Cursor(firstHash, lastHash, false);
  }

  /** Returns a cursor over all changed keys, deleted ones included. */
  public Cursor changes() {
    return new Cursor(0, -1, true);
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
