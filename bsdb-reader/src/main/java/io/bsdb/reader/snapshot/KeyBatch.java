package io.bsdb.reader.snapshot;

import io.bsdb.format.ValueReader;
import io.bsdb.format.block.Block;
import io.bsdb.format.hash.PerfectHash;
import io.bsdb.format.index.KeyIndex;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.block.BlockFile;
import io.bsdb.reader.block.BlockSource;
import io.bsdb.reader.block.BlockSource.Batching;
import io.bsdb.reader.overlay.ChangeTable;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.reader.partition.Partition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The lookup of many keys. Every stage is done for all keys before the next begins: the cache
 * misses of one stage do not depend on each other, so the processor has many in flight at once,
 * where one lookup after the other would wait for each. How many depends on how little a stage does
 * beside: the core looks ahead a fixed number of instructions.
 */
public final class KeyBatch<T> {
  private static final int CACHE_LINE = 64;
  private static final int MAX_PREFETCHED = 8 * CACHE_LINE;

  /** Bytes of the length in front of a key. */
  private static final int MAX_PREFIX = 3;

  /** Offset of a key that reads nothing. */
  private static final int NOWHERE = -1;

  /** A value that no sum of prefetched bytes can reach. */
  private static final int NEVER = Integer.MIN_VALUE;

  private final OpenSnapshot snapshot;
  private final BlockSource source;
  private final FieldSelection selection;
  private final HashedKeys<T> keys;
  private final ValueReader<T> reader;
  private final Partition[] partitions;
  private final long[] located;

  /** For each key, the buffer from which a stage prefetches. */
  private final ByteBuffer[] buffers;

  /** For each key, the offset in its buffer; {@link #NOWHERE} for none. */
  private final int[] offsets;

  private KeyBatch(
      OpenSnapshot snapshot, HashedKeys<T> keys, FieldSelection selection, Ended ended) {
    this.snapshot = snapshot;
    this.source = snapshot.source();
    this.selection = selection;
    this.keys = keys;
    this.reader = ended.in(keys.reader());
    this.partitions = new Partition[keys.size()];
    this.located = new long[keys.size()];
    this.buffers = new ByteBuffer[keys.size()];
    this.offsets = new int[keys.size()];
  }

  /**
   * Answers the keys that were changed, and locates the others: finds out which block each may be
   * in.
   *
   * @param selection of fields that will be read
   */
  public static <T> KeyBatch<T> locate(
      OpenSnapshot snapshot, HashedKeys<T> keys, FieldSelection selection, Ended ended)
      throws IOException {
    KeyBatch<T> batch = new KeyBatch<>(snapshot, keys, selection, ended);
    int count = keys.size();
    batch.findFirstReads();
    keep(batch.readPlaces());
    if (snapshot.overlay() != null) {
      batch.answerChanged(snapshot.requireOverlay());
    }
    for (int i = 0; i < count; i++) {
      batch.located[i] =
          keys.isAnswered(i)
              ? KeyIndex.ABSENT
              : snapshot.locate(batch.partitions[i], keys.key(i), keys.high(i), keys.low(i));
    }
    return batch;
  }

  /** Finds the partitions of keys, and what their perfect hashes read first. */
  private void findFirstReads() {
    for (int i = 0; i < offsets.length; i++) {
      Partition partition = snapshot.partition(keys.key(i), keys.high(i));
      partitions[i] = partition;
      PerfectHash hash = partition.index().hash();
      int offset = hash == null ? NOWHERE : hash.firstRead(keys.high(i), keys.low(i));
      offsets[i] = offset;
      if (offset >= 0) {
        buffers[i] = Objects.requireNonNull(hash).bytes();
      }
    }
  }

  /** Reads a byte of each place, and nothing else, so that many reads are in flight. */
  private int readPlaces() {
    int sum = 0;
    for (int i = 0; i < offsets.length; i++) {
      if (offsets[i] >= 0) {
        sum += buffers[i].get(offsets[i]);
      }
    }
    return sum;
  }

  private void answerChanged(Overlay overlay) {
    ChangeTable changes = overlay.table();
    int[] candidates = new int[keys.size()];
    int count = 0;
    for (int i = 0; i < candidates.length; i++) {
      candidates[count] = i; // without a branch, which nobody could predict
      count += changes.mayContain(keys.high(i)) ? 1 : 0;
    }
    int prefetched = 0;
    for (int i = 0; i < count; i++) {
      prefetched += changes.prefetchEntry(keys.high(candidates[i]));
    }
    for (int i = 0; i < count; i++) {
      prefetched += changes.prefetchRecord(keys.high(candidates[i]));
    }
    keep(prefetched);
    for (int i = 0; i < count; i++) {
      int key = candidates[i];
      if (!keys.isAnswered(key)) {
        long found = changes.findRecord(keys.key(key), keys.high(key));
        if (found >= 0) {
          keys.answer(key, overlay.read(found, key, reader));
        } else if (found == Overlay.DELETED) {
          keys.answerAbsent(key);
        }
      }
    }
  }

  /** Returns the partition of a key. */
  Partition partition(int key) {
    return partitions[key];
  }

  /** Returns the number of the record that was located for a key, as {@link KeyIndex#record}. */
  int record(int key) {
    return partitions[key].index().record(located[key]);
  }

  public FieldSelection selection() {
    return selection;
  }

  public HashedKeys<T> keys() {
    return keys;
  }

  /** Fetches all blocks in the calling thread and lends the values in them. */
  public void fetch() throws IOException {
    if (source.batching() == Batching.IN_PLACE) {
      fetchInPlace();
      return;
    }
    for (Group group : groups()) {
      BlockFile file = group.partition.blocks();
      Block block = source.fetch(file, group.block).readable(file.decoders(), selection);
      try {
        take(group, block, block.base(group.block));
      } finally {
        block.release();
      }
    }
  }

  /**
   * Lends the values in blocks in memory. Each stage is a method of its own: the JVM inlines only
   * so much into one, and a stage whose reads are calls would have fewer of them in flight.
   */
  private void fetchInPlace() throws IOException {
    Block[] blocks = new Block[located.length]; // in memory: to hold them holds nothing up
    int[] bases = new int[located.length];
    long[] places = new long[located.length];
    int[] ends = new int[located.length];
    fetchBlocks(blocks, bases);
    int sum = readPlaces();
    findPlaces(blocks, bases, places, ends);
    keep(sum + readRecords(ends));
    takeValues(blocks, bases, places);
  }

  /** Fetches blocks, and finds what leads to a record's place in them. */
  private void fetchBlocks(Block[] blocks, int[] bases) throws IOException {
    for (int i = 0; i < blocks.length; i++) {
      offsets[i] = NOWHERE;
      if (located[i] >= 0) {
        int number = KeyIndex.block(located[i]);
        Block block = source.fetch(partitions[i].blocks(), number);
        int base = block.base(number);
        int offset = partitions[i].index().placeOffset(located[i]);
        blocks[i] = block;
        bases[i] = base;
        buffers[i] = block.bytes();
        offsets[i] = offset > 0 ? base + offset : NOWHERE;
      }
    }
  }

  /**
   * @param ends receives the ends of what is worth reading ahead of records
   */
  private void findPlaces(Block[] blocks, int[] bases, long[] places, int[] ends)
      throws IOException {
    int prefix =
        selection.prefix() < MAX_PREFETCHED ? MAX_PREFIX + selection.prefix() : MAX_PREFETCHED;
    for (int i = 0; i < blocks.length; i++) {
      if (located[i] >= 0) {
        long place = partitions[i].index().place(blocks[i], bases[i], located[i]);
        int most =
            partitions[i].blocks().hasFrames()
                ? MAX_PREFETCHED
                : Math.min(MAX_PREFETCHED, keys.key(i).length + prefix);
        int start = (int) (place >>> 32);
        places[i] = place;
        offsets[i] = start;
        ends[i] = start + Math.min(most, (int) place);
      }
    }
  }

  /** Reads a byte of each cache line of records. */
  private int readRecords(int[] ends) {
    int sum = 0;
    for (int i = 0; i < ends.length; i++) {
      int start = offsets[i];
      if (start >= 0) {
        ByteBuffer buffer = buffers[i];
        int last = ends[i] - 1;
        sum += buffer.get(start) + buffer.get(last);
        // Without a loop for most records: what a loop needs around it would keep the next reads
        // back.
        if (start + CACHE_LINE < last) {
          sum += buffer.get(start + CACHE_LINE);
          for (int next = start + 2 * CACHE_LINE; next < last; next += CACHE_LINE) {
            sum += buffer.get(next);
          }
        }
      }
    }
    return sum;
  }

  private void takeValues(Block[] blocks, int[] bases, long[] places) throws IOException {
    for (int i = 0; i < blocks.length; i++) {
      if (located[i] >= 0) {
        Block block = blocks[i].readable(partitions[i].blocks().decoders(), selection);
        try {
          long found =
              partitions[i].index().find(block, bases[i], located[i], places[i], keys.key(i));
          answer(i, block, found);
        } finally {
          block.release();
        }
      }
    }
  }

  /** Uses the sum of prefetched bytes, so that they are read. */
  static void keep(int sum) {
    if (sum == NEVER) {
      Thread.onSpinWait();
    }
  }

  /**
   * Keys that lie in one block.
   *
   * @param keys their positions in the batch
   */
  public record Group(Partition partition, int block, List<Integer> keys) {}

  private record BlockId(Partition partition, int block) {}

  /** Returns the groups of all keys that were located, in the order of their first keys. */
  public Collection<Group> groups() {
    Map<BlockId, Group> groups = new LinkedHashMap<>();
    for (int i = 0; i < located.length; i++) {
      if (located[i] >= 0) {
        BlockId id = new BlockId(partitions[i], KeyIndex.block(located[i]));
        groups
            .computeIfAbsent(id, g -> new Group(g.partition, g.block, new ArrayList<>()))
            .keys()
            .add(i);
      }
    }
    return groups.values();
  }

  /** Lends the values of a group in its block. */
  public void take(Group group, Block block, int base) throws IOException {
    KeyIndex index = group.partition.index();
    for (int i : group.keys) {
      long found = index.find(block, base, located[i], keys.key(i));
      if (found < 0) {
        snapshot.countOtherKey(group.partition);
      }
      answer(i, block, found);
    }
  }

  private void answer(int key, Block block, long found) {
    if (found < 0) {
      keys.answerAbsent(key);
    } else {
      keys.answer(key, block.lend(found, key, reader));
    }
  }
}
