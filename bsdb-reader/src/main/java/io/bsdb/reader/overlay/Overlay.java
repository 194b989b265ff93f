package io.bsdb.reader.overlay;

import io.bsdb.format.ValueReader;
import io.bsdb.format.io.Closing;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.SegmentFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The changes of a version over its base: of each changed key the newest record, found in its
 * segment. Immutable and safe for many threads; closed by its last user when nobody reads any more.
 */
public final class Overlay implements Closeable {
  /** Result of {@link ChangeTable#find} for a key that has not changed. */
  public static final long UNCHANGED = -1;

  /** Result of {@link ChangeTable#find} for a key that was deleted. */
  public static final long DELETED = -2;

  private static final byte[] NO_KEY = new byte[0];

  /** In place of the number of a segment that is not among others. */
  static final int GONE = -1;

  /** By the number in addresses. */
  private final OpenSegment[] segments;

  private final ChangeTable table;
  private final @Nullable SortedChanges sorted;

  private final MemoryBudget.Claim claim;
  private int users = 1;

  /**
   * @param claim of the memory of index and sorted changes
   */
  Overlay(
      List<OpenSegment> segments,
      ChangeTable table,
      @Nullable SortedChanges sorted,
      MemoryBudget.Claim claim) {
    this.claim = claim;
    this.segments = segments.toArray(OpenSegment[]::new);
    this.table = table;
    this.sorted = sorted;
  }

  /** Decides which changes apply. */
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

  /** Entries of the index before that can be taken over. */
  public enum Kept {
    /** None: of the changes some are not in the segments now, or apply to other partitions. */
    NONE,

    /** Those that still apply; others are in the base now. In hash order only. */
    APPLYING,

    /** All: the base is the same. */
    ALL
  }

  /**
   * State before.
   *
   * @param overlay shares what is open already; null if there was none
   * @param kept entries of its index that can be taken over
   * @param grown changes of a log whose files may be among the new segments; null if not known
   */
  public record Before(@Nullable Overlay overlay, Kept kept, @Nullable ChangeTable grown) {
    /** Nothing. */
    public static final Before NOTHING = new Before(null, Kept.NONE, null);
  }

  /**
   * Opens the changes of a version.
   *
   * @param files the segments, in the order in which they apply
   * @param paths where each lies
   * @param order of the base: by key, the changes are sorted, too
   * @param options with access and memory budget
   * @throws io.bsdb.format.CorruptSnapshotException if a segment is damaged
   */
  public static Overlay open(
      List<SegmentFile> files,
      Function<SegmentFile, Path> paths,
      RecordOrder order,
      Scope scope,
      ReaderOptions options,
      Before before)
      throws IOException {
    OverlayBuilder builder = new OverlayBuilder(paths, order, scope, options, before);
    try {
      return builder.build(files);
    } catch (IOException | RuntimeException | Error e) {
      builder.abandon();
      throw e;
    }
  }

  /** Returns the addresses that records have when segments have these numbers. */
  Moves moves(Map<SegmentFile, Integer> numbers) {
    int[] then = new int[segments.length];
    Arrays.setAll(then, i -> numbers.getOrDefault(segments[i].file(), GONE));
    return new Moves(then);
  }

  /** Gives records their new addresses; 0 to those whose segment is gone. */
  static final class Moves implements LongUnaryOperator {
    private final int[] numbers;
    private final boolean none;

    Moves(int... numbers) {
      this.numbers = numbers;
      this.none = IntStream.range(0, numbers.length).allMatch(i -> numbers[i] == i);
    }

    /** Returns whether all addresses stay. */
    boolean isNone() {
      return none;
    }

    /** Returns the same for a table of changes. */
    ChangeTable.Move move() {
      return none ? ChangeTable.Move.NONE : (hash, address) -> applyAsLong(address);
    }

    @Override
    public long applyAsLong(long address) {
      int number = numbers[ChangeRecords.number(address)];
      return number == GONE ? 0 : ChangeRecords.address(number, ChangeRecords.offset(address));
    }
  }

  /** Returns the addresses of the records that still apply, as {@link #moves}. In hash order. */
  ChangeTable.Move applying(Scope scope, Moves moves) {
    return (hash, address) -> {
      long segment = segments[ChangeRecords.number(address)].file().number();
      boolean least = scope.applies(NO_KEY, 0, ChangeIndex.leastHigh(hash), segment);
      boolean greatest =
          scope.applies(NO_KEY, 0, ChangeIndex.leastHigh(hash) | ChangeIndex.HASH_MASK, segment);
      boolean applies =
          least == greatest
              ? least
              : scope.applies(NO_KEY, 0, table.records().high(address), segment);
      return applies ? moves.applyAsLong(address) : 0;
    };
  }

  /** Returns the segments that are open here. */
  List<OpenSegment> segments() {
    return List.of(segments);
  }

  /** Returns the changes, to which nothing is added any more. */
  public ChangeTable table() {
    return table;
  }

  /** Lends a value that was found, as {@link ChangeRecords#read} does. */
  public <T> @Nullable T read(long found, int key, ValueReader<T> reader) {
    return table.records().read(found, key, reader);
  }

  /** Returns the changes by key; null in hash order. */
  public @Nullable SortedChanges sorted() {
    return sorted;
  }

  /** Returns the number of changed keys, deleted ones included. */
  public int changedKeys() {
    return (int) table.keys();
  }

  /** Returns the bytes of the index, and of the changes by key, off the heap. */
  public long indexBytes() {
    return table.indexBytes() + (sorted == null ? 0 : sorted.length());
  }

  /**
   * Returns a cursor over the keys of some partitions that have a value here.
   *
   * @param partitioning in hash order
   * @param wanted tests the number of a partition
   */
  public ChangeCursor cursor(Partitioning partitioning, IntPredicate wanted) {
    LongUnaryOperator partition = partitioning::partition;
    return new ChangeCursor(
        table, ChangeCursor.Deleted.SKIPPED, at -> wanted.test((int) at.of(partition)));
  }

  /**
   * Counts the changed keys of each partition. Hardly reads the changes themselves.
   *
   * @param partitioning in hash order
   */
  public long[] changedKeys(Partitioning partitioning) {
    long[] counts = new long[partitioning.count()];
    ChangeIndex.Walk walk = table.whole().new Walk(table.records());
    while (walk.next()) {
      counts[(int) walk.of(partitioning::partition)]++;
    }
    return counts;
  }

  /**
   * Returns an upper bound of the number of keys whose last change is in a segment after one: the
   * number of changes there.
   */
  public long maxChangedKeys(long after) {
    long changes = 0;
    for (OpenSegment segment : segments) {
      SegmentFile file = segment.file();
      changes += file.number() > after ? file.puts() + file.deletes() : 0;
    }
    return Math.min(changes, table.keys());
  }

  /** Returns the average length of a change. */
  public long averageLength() {
    long bytes = 0;
    long changes = 1;
    for (OpenSegment segment : segments) {
      bytes += segment.file().length();
      changes += segment.file().puts() + segment.file().deletes();
    }
    return bytes / changes;
  }

  /** Returns a cursor over all changed keys, deleted ones included. */
  public ChangeCursor changes() {
    return changes(0, -1, -1);
  }

  /**
   * Returns a cursor over the keys in a range of hashes whose last change is in a segment after
   * one, deleted keys included.
   *
   * @param firstHash unsigned
   * @param lastHash unsigned, included
   */
  public ChangeCursor changes(long firstHash, long lastHash, long after) {
    boolean[] wanted = new boolean[segments.length];
    for (int i = 0; i < wanted.length; i++) {
      wanted[i] = segments[i].file().number() > after;
    }
    return new ChangeCursor(
        table,
        ChangeCursor.Deleted.INCLUDED,
        at -> wanted[ChangeRecords.number(at.address())] && at.isBetween(firstHash, lastHash));
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

  /** Adds a user, who closes this, too. */
  public synchronized Overlay share() {
    users++;
    return this;
  }

  private synchronized boolean isLastUser() {
    users--;
    return users == 0;
  }

  /** Ends one use of each of some segments. */
  static void release(List<OpenSegment> segments) throws IOException {
    Closing.all(segments.stream().<Closeable>map(each -> each::release).toList());
  }

  /**
   * Ends one use. The last one gives memory and files back; files that other overlays share stay
   * open.
   */
  @Override
  public void close() throws IOException {
    if (!isLastUser()) {
      return;
    }
    table.close();
    if (sorted != null) {
      sorted.close();
    }
    claim.close();
    release(List.of(segments));
  }
}
