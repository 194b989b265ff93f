package io.bsdb.reader.overlay;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.format.segment.Segment;
import io.bsdb.reader.options.Access;
import io.bsdb.table.Changes;
import io.bsdb.table.SegmentFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Opens segments and adds their changes to an index, one segment after the other. */
final class OverlayBuilder {
  private final Function<SegmentFile, Path> paths;
  private final Overlay.Scope scope;
  private final Access access;
  private final @Nullable Overlay previous;
  private final List<OpenSegment> segments = new ArrayList<>();
  private @Nullable ChangeIndex index;
  private byte[] key = new byte[64];

  OverlayBuilder(
      Function<SegmentFile, Path> paths, Overlay.Scope scope, Access access, @Nullable Overlay previous) {
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
    int done = continues && before != null ? before.segmentCount() : 0;
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
          before.index().hasRoom(more)
              ? before.index().copy()
              : grown(before.index(), before.index().keys() + more + more / 2);
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
            long high = hash.getMostSignificantBits();
            open.requireInRange(high);
            if (scope.applies(high, open.file().number())) {
              put(hash, segment, record, Overlay.address(number, record));
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
      if (sameKey(segment, record, segments.get(Overlay.number(other)).segment(), Overlay.offset(other))) {
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
          HashValue128 hash = hash(segments.get(Overlay.number(address)).segment(), Overlay.offset(address));
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
