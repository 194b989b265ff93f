package io.bsdb.reader.overlay;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.format.segment.ChangeKind;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.SegmentFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sorted view of a version, made from the one before, against one sorted from nothing. */
class SortedChangesTest {
  @TempDir private Path table;

  private SegmentFile segment(NavigableMap<byte[], Boolean> changes, int number)
      throws IOException {
    return Segments.write(
        table,
        number,
        writer -> {
          for (byte[] key : changes.descendingKeySet()) {
            boolean put = changes.get(key);
            writer.add(put ? ChangeKind.PUT : ChangeKind.DELETE, key, put ? key : new byte[0]);
          }
        });
  }

  /** Some keys share long beginnings, are beginnings of each other, or end in zeros. */
  private static byte[] key(Random random, int round) {
    byte[] key = new byte[round < 3 ? 20 + random.nextInt(6) : 1 + random.nextInt(24)];
    int fixed = round < 3 ? 18 : random.nextInt(key.length);
    Arrays.fill(key, 0, fixed, (byte) 'p');
    for (int i = fixed; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(4) - 1);
    }
    return key;
  }

  private Overlay open(List<SegmentFile> files, Overlay previous) throws IOException {
    return Overlay.open(
        files,
        file -> table.resolve(file.path()),
        RecordOrder.KEY,
        (key, length, high, segment) -> true,
        ReaderOptions.defaults(),
        previous == null
            ? Overlay.Before.NOTHING
            : new Overlay.Before(previous, Overlay.Kept.ALL, null));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void continuesThatOfTheVersionBefore(long seed) throws IOException {
    Random random = new Random(seed);
    NavigableMap<byte[], Boolean> model = new TreeMap<>(Arrays::compareUnsigned);
    List<SegmentFile> files = new ArrayList<>();
    List<NavigableMap<byte[], Boolean>> contents = new ArrayList<>();
    Overlay followed = null;
    for (int round = 0; round < 12; round++) {
      NavigableMap<byte[], Boolean> changes = new TreeMap<>(Arrays::compareUnsigned);
      for (int i = random.nextInt(round % 3 == 0 ? 400 : 5); i >= 0; i--) {
        changes.put(key(random, round), random.nextInt(3) > 0);
      }
      model.putAll(changes);
      if (random.nextInt(3) == 0) {
        merge(files, contents, random);
      }
      files.add(segment(changes, round + 1));
      contents.add(changes);
      Overlay next = open(files, followed);
      if (followed != null) {
        followed.close();
      }
      followed = next;
      try (Overlay again = open(files, null)) {
        assertSame(next, model, seed);
        assertSame(again, model, seed);
      }
    }
    followed.close();
  }

  /** Replaces some neighboring segments by one with the newest change of each key. */
  private void merge(
      List<SegmentFile> files, List<NavigableMap<byte[], Boolean>> contents, Random random)
      throws IOException {
    int from = random.nextInt(files.size() + 1);
    int end = from + random.nextInt(files.size() - from + 1);
    if (end - from < 2) {
      return;
    }
    NavigableMap<byte[], Boolean> newest = new TreeMap<>(Arrays::compareUnsigned);
    contents.subList(from, end).forEach(newest::putAll);
    int number = (int) files.get(end - 1).number();
    files.subList(from, end).clear();
    contents.subList(from, end).clear();
    files.add(from, segment(newest, number));
    contents.add(from, newest);
  }

  /** Counts how often a key is looked at. */
  private static final class CountedKeys extends ChangeRecords {
    private int reads;

    CountedKeys(OpenSegment... segments) {
      super(Arrays.stream(segments).map(OpenSegment::segment).toList());
    }

    @Override
    long key(long address) {
      reads++;
      return super.key(address);
    }
  }

  private OpenSegment openSegment(Random random, int keys, int number) throws IOException {
    NavigableMap<byte[], Boolean> changes = new TreeMap<>(Arrays::compareUnsigned);
    for (int i = 0; i < keys; i++) {
      byte[] key = new byte[20];
      random.nextBytes(key);
      changes.put(key, true);
    }
    SegmentFile file = segment(changes, number);
    return OpenSegment.open(
        table.resolve(file.path()), file, Access.RESIDENT, MemoryBudget.unlimited());
  }

  private static long[] addresses(OpenSegment segment, int number) throws IOException {
    LongStream.Builder addresses = LongStream.builder();
    segment.replay((kind, record) -> addresses.add(ChangeRecords.address(number, record)));
    return addresses.build().toArray();
  }

  /** Whether segments are added, or merged into one that comes in front of others. */
  @Test
  void keysOfSegmentsThatStayAreHardlyRead() throws IOException {
    Random random = new Random(7);
    OpenSegment large = openSegment(random, 20_000, 1);
    OpenSegment small = openSegment(random, 10, 2);
    OpenSegment merged = openSegment(random, 20, 3);
    CountedKeys keys = new CountedKeys(large);
    CountedKeys allKeys = new CountedKeys(large, small);
    CountedKeys mergedKeys = new CountedKeys(merged, large);
    try (SortedChanges sorted = SortedChanges.of(addresses(large, 0), keys)) {
      assertThat(keys.reads).isGreaterThan(20_000);
      keys.reads = 0;
      try (SortedChanges added =
          sorted.with(addresses(small, 1), allKeys, new Overlay.Moves(0), 20_010)) {
        assertThat(added.size()).isEqualTo(20_010);
        assertThat(keys.reads + allKeys.reads).isLessThan(10 * 10);
        allKeys.reads = 0;
        try (SortedChanges moved =
            added.with(
                addresses(merged, 0), mergedKeys, new Overlay.Moves(1, Overlay.GONE), 20_020)) {
          assertThat(moved.size()).isEqualTo(20_020);
          assertThat(allKeys.reads + mergedKeys.reads).isLessThan(10 * 20);
        }
      }
    }
    large.release();
    small.release();
    merged.release();
  }

  private static void assertSame(Overlay overlay, NavigableMap<byte[], Boolean> model, long seed) {
    SortedChanges sorted = overlay.sorted();
    assertThat(sorted).isNotNull();
    assertThat(sorted.size()).as("seed=%d", seed).isEqualTo(model.size());
    int at = 0;
    for (byte[] key : model.keySet()) {
      assertThat(sorted.key(at)).as("seed=%d", seed).isEqualTo(key);
      assertThat(sorted.isDeleted(at)).isEqualTo(!model.get(key));
      assertThat(sorted.count(key, false)).isEqualTo(at);
      assertThat(sorted.count(key, true)).isEqualTo(at + 1);
      byte[] cut = Arrays.copyOf(key, key.length - 1);
      assertThat(sorted.count(cut, true)).isEqualTo(model.headMap(cut, true).size());
      byte[] above = key.clone();
      above[0]++;
      assertThat(sorted.count(above, false)).isEqualTo(model.headMap(above).size());
      at++;
    }
  }
}
