package io.bsdb.reader.overlay;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.reader.io.HugeMemory;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.SegmentFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Opens segments, adds the changes that an index does not have, and sorts them by key. */
final class OverlayBuilder {
  /**
   * Keys that an index has room for at first, unless a segment has more changes: hardly two changes
   * of one segment are of one key, but how many of several segments are is not known.
   */
  private static final long FIRST_ROOM = 1 << 16;

  /**
   * Most memory of a changed key while an index is filled: an index of twice the keys beside the
   * one that it takes the place of, and the changes by key.
   */
  private static final long BYTES_PER_KEY = 64;

  /** Most memory of an index without keys. */
  private static final long SMALL_INDEX = 4 * SnapshotFormat.PAGE;

  private final Function<SegmentFile, Path> paths;
  private final RecordOrder order;
  private final Overlay.Scope scope;
  private final ReaderOptions options;
  private final Overlay.Before before;
  private final List<OpenSegment> segments = new ArrayList<>();

  OverlayBuilder(
      Function<SegmentFile, Path> paths,
      RecordOrder order,
      Overlay.Scope scope,
      ReaderOptions options,
      Overlay.Before before) {
    this.paths = paths;
    this.order = order;
    this.scope = scope;
    this.options = options;
    this.before = before;
  }

  Overlay build(List<SegmentFile> files) throws IOException {
    if (files.size() > Changes.MAX_SEGMENTS) {
      throw new IOException(
          "too many segments: expected<=%d actual=%d; merge them with 'bsdb compact'"
              .formatted(Changes.MAX_SEGMENTS, files.size()));
    }
    Overlay old = before.overlay();
    Overlay kept = before.kept() == Overlay.Kept.NONE ? null : old;
    Map<SegmentFile, OpenSegment> shared = new HashMap<>();
    if (old != null) {
      old.segments().forEach(segment -> shared.put(segment.file(), segment));
    }
    Map<SegmentFile, Integer> numbers = new HashMap<>();
    List<Integer> added = new ArrayList<>();
    long changes = 0;
    long more = 0;
    for (SegmentFile file : files) {
      changes += file.puts() + file.deletes();
      OpenSegment open = shared.get(file);
      if (open == null || kept == null) {
        added.add(segments.size());
        more += file.puts() + file.deletes();
      }
      numbers.put(file, segments.size());
      segments.add(
          open != null
              ? open.share()
              : OpenSegment.open(paths.apply(file), file, options.access(), options.memory()));
    }
    long most = more + (kept == null ? 0 : kept.changedKeys());
    String what =
        files.isEmpty()
            ? "no changes"
            : "changes up to segment=" + paths.apply(files.get(files.size() - 1));
    MemoryBudget.Claim claim =
        options
            .memory()
            .claim(most * BYTES_PER_KEY + SMALL_INDEX, what, "fold changes with 'bsdb compact'");
    try {
      return build(kept, numbers, added, changes, claim);
    } catch (IOException | RuntimeException | Error e) {
      claim.close();
      throw e;
    }
  }

  /**
   * @param kept whose entries are taken over; may be null
   * @param added numbers of the segments that it does not have
   * @param changes in all segments
   */
  private Overlay build(
      @Nullable Overlay kept,
      Map<SegmentFile, Integer> numbers,
      List<Integer> added,
      long changes,
      MemoryBudget.Claim claim)
      throws IOException {
    ChangeRecords records = new ChangeRecords(segments.stream().map(OpenSegment::segment).toList());
    long more = changes(added).sum();
    ChangeTable grown = before.grown();
    long room = Math.min(more, Math.max(firstRoom(added), grown == null ? 0 : grown.keys()));
    ChangeTable table =
        kept == null
            ? ChangeTable.of(records, room)
            : kept.table().copy(records, move(kept, numbers), changes - more, room);
    try {
      for (int number : replayed(table, added)) {
        add(table, number);
      }
      Overlay overlay =
          new Overlay(segments, table, sorted(table, kept, numbers, added, more), claim);
      claim.shrinkTo(HugeMemory.resident(overlay.indexBytes()) + 2 * SnapshotFormat.PAGE);
      return overlay;
    } catch (IOException | RuntimeException | Error e) {
      table.close();
      throw e;
    }
  }

  private long firstRoom(List<Integer> added) {
    return Math.max(FIRST_ROOM, changes(added).max().orElse(0));
  }

  private LongStream changes(List<Integer> numbers) {
    return numbers.stream()
        .map(segments::get)
        .mapToLong(segment -> segment.file().puts() + segment.file().deletes());
  }

  private ChangeTable.Move move(Overlay kept, Map<SegmentFile, Integer> numbers) {
    Overlay.Moves moves = kept.moves(numbers);
    return before.kept() == Overlay.Kept.ALL ? moves.move() : kept.applying(scope, moves);
  }

  /**
   * Adds the changes of a log, if they are known.
   *
   * @return the numbers of the segments that are still to be read
   */
  private List<Integer> replayed(ChangeTable table, List<Integer> added) throws IOException {
    ChangeTable grown = before.grown();
    if (grown == null) {
      return added;
    }
    int[] numbers = table.records().numbers(grown.records());
    if (!table.addAll(grown, new Overlay.Moves(numbers))) {
      return added;
    }
    List<Integer> left = new ArrayList<>(added);
    Arrays.stream(numbers).boxed().forEach(left::remove);
    return left;
  }

  /**
   * Sorts changes by key.
   *
   * @param before whose changes are among them; may be null
   * @param numbers of the segments
   * @param added numbers of the segments that it does not have
   * @param more number of changes in these
   */
  private @Nullable SortedChanges sorted(
      ChangeTable table,
      @Nullable Overlay before,
      Map<SegmentFile, Integer> numbers,
      List<Integer> added,
      long more)
      throws IOException {
    if (order == RecordOrder.HASH) {
      return null;
    }
    ChangeIndex index = table.whole();
    BitSet isAdded = new BitSet();
    added.forEach(isAdded::set);
    long[] addresses = new long[(int) Math.min(more, index.keys())];
    int count = 0;
    for (int at = 0; index.holds(at); at += Long.BYTES) {
      long address = index.address(at);
      if (address != 0 && isAdded.get(ChangeRecords.number(address))) {
        addresses[count++] = address;
      }
    }
    addresses = Arrays.copyOf(addresses, count);
    SortedChanges sorted = before == null ? null : before.sorted();
    return before == null || sorted == null
        ? SortedChanges.of(addresses, table.records())
        : sorted.with(addresses, table.records(), before.moves(numbers), index.keys());
  }

  private void add(ChangeTable table, int number) throws IOException {
    OpenSegment segment = segments.get(number);
    ChangeFiller filler = new ChangeFiller(table, segment, number, scope);
    segment.replay(
        (kind, record) -> {
          if (kind != ChangeKind.POSITION) {
            filler.add(record);
          }
        });
    filler.flush();
  }

  void abandon() throws IOException {
    Overlay.release(segments);
  }
}
