package io.bsdb.reader.overlay;

import io.bsdb.format.segment.ChangeKind;
import io.bsdb.reader.options.Access;
import io.bsdb.table.Changes;
import io.bsdb.table.RecordOrder;
import io.bsdb.table.SegmentFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Opens segments and adds their changes to an index, one after the other; then sorts them. */
final class OverlayBuilder {
  private final Function<SegmentFile, Path> paths;
  private final RecordOrder order;
  private final Overlay.Scope scope;
  private final Access access;
  private final @Nullable Overlay previous;
  private final List<OpenSegment> segments = new ArrayList<>();

  OverlayBuilder(
      Function<SegmentFile, Path> paths,
      RecordOrder order,
      Overlay.Scope scope,
      Access access,
      @Nullable Overlay previous) {
    this.paths = paths;
    this.order = order;
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
    ChangeIndexFiller filler =
        continues && before != null
            ? ChangeIndexFiller.copying(before.index(), more, segments, scope)
            : ChangeIndexFiller.empty(more, segments, scope);
    try {
      for (int i = done; i < segments.size(); i++) {
        add(filler, i);
      }
      ChangeIndex index = filler.finish();
      return new Overlay(segments, index, sorted(index, done, more));
    } catch (IOException | RuntimeException | Error e) {
      filler.close();
      throw e;
    }
  }

  /**
   * Sorts changes by key.
   *
   * @param done how many segments the previous version had sorted
   * @param most how many changes there are in the others
   */
  private @Nullable SortedChanges sorted(ChangeIndex index, int done, long most)
      throws IOException {
    if (order == RecordOrder.HASH) {
      return null;
    }
    long[] added = new long[(int) Math.min(most, index.keys())];
    int count = 0;
    for (int at = 0; index.holds(at); at += Long.BYTES) {
      long address = index.address(at);
      if (address != 0 && Overlay.number(address) >= done) {
        added[count++] = address;
      }
    }
    added = Arrays.copyOf(added, count);
    SortedChanges before = done == 0 || previous == null ? null : previous.sorted();
    return before == null ? SortedChanges.of(added, segments) : before.with(added, segments);
  }

  private void add(ChangeIndexFiller filler, int number) throws IOException {
    segments
        .get(number)
        .replay(
            (kind, record) -> {
              if (kind != ChangeKind.POSITION) {
                filler.add(Overlay.address(number, record));
              }
            });
  }

  void abandon() throws IOException {
    for (OpenSegment segment : segments) {
      segment.release();
    }
  }
}
