package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.bsdb.compact.Compactor;
import io.bsdb.reader.io.DirectFile;
import io.bsdb.reader.memory.ElasticMemory;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.memory.MemoryBudgetExceededException;
import io.bsdb.reader.memory.SignatureUnit;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.snapshot.OpenSnapshot;
import io.bsdb.reader.snapshot.SignatureUnits;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.Await;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests how absent keys are counted, and what a version inherits from the one before. */
@Timeout(120)
@ExtendWith(NothingLeftOpen.class)
class SignatureUnitsTest {
  private static final int RECORDS = 120_000;
  private static final int SEED = 21;

  @TempDir Path directory;

  private final MemoryBudget memory = MemoryBudget.of(64 << 20, Duration.ZERO);
  private final ReaderOptions options =
      ReaderOptions.builder().access(Access.DIRECT).memory(memory).build();

  private Manifest publish(RecordOrder order, int partitions) throws Exception {
    return TestData.random(SEED, RECORDS, Lengths.FIXED, Lengths.FIXED, 12)
        .publish(directory, WriterOptions.builder().order(order).partitions(partitions).build());
  }

  private Manifest change(int keys) throws Exception {
    try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
      for (int i = 0; i < keys; i++) {
        writer.put(ByteBuffer.allocate(8).putInt(SEED).putInt(i).array(), new byte[] {1});
      }
      return writer.publish();
    }
  }

  private OpenSnapshot open(Manifest manifest, @Nullable OpenSnapshot before) throws Exception {
    return CallingReader.OPENER.openVersion(directory, manifest, options, before);
  }

  /** Returns a key that no table has, between the records with a number and the next one. */
  private static byte[] absent(int number) {
    return ByteBuffer.allocate(9).putInt(SEED).putInt(number).array();
  }

  private static void ask(OpenSnapshot snapshot, int from, int count) throws Exception {
    SnapshotReader reader = new CallingReader(snapshot);
    List<byte[]> keys = IntStream.range(from, from + count).mapToObj(i -> absent(i)).toList();
    for (byte[] key : keys) {
      assertThat(reader.get(key)).isNull();
    }
  }

  private static List<SignatureUnit> units(OpenSnapshot snapshot) {
    return snapshot.partitions().stream().map(Partition::unit).distinct().toList();
  }

  /** Returns the absent keys that were counted, after an adjustment before which no time passed. */
  private double counted(OpenSnapshot snapshot) {
    memory.elastic().adjust(Duration.ZERO);
    return units(snapshot).stream().mapToDouble(SignatureUnit::hotness).sum();
  }

  private static void assertHotness(OpenSnapshot snapshot, double... expected) {
    List<SignatureUnit> units = units(snapshot);
    assertThat(units).hasSize(expected.length);
    for (int i = 0; i < expected.length; i++) {
      assertThat(units.get(i).hotness()).as("range %d", i).isCloseTo(expected[i], within(100.0));
    }
  }

  private static List<Integer> bits(OpenSnapshot snapshot) {
    return snapshot.partitions().stream().map(Partition::signatureBits).toList();
  }

  /** Leaves so much room for signatures. */
  private MemoryBudget.Claim claimAllBut(long bytes) throws Exception {
    return memory.claim(
        memory.limitBytes() * 63 / 64 - memory.indexBytes() - bytes, "test", "none");
  }

  @ParameterizedTest
  @EnumSource(RecordOrder.class)
  void countsTheSameHoweverManyBitsThereAre(RecordOrder order) throws Exception {
    try (OpenSnapshot snapshot = open(publish(order, 3), null)) {
      int asked = 0;
      for (int room : List.of(0, RECORDS * 3 / 8, RECORDS * 2)) {
        try (MemoryBudget.Claim claim = claimAllBut(room)) {
          assertThat(counted(snapshot)).isEqualTo(asked);
          ask(snapshot, asked, 3_000);
          assertThat(new CallingReader(snapshot).getAll(List.of(absent(asked), absent(7))))
              .containsOnlyNulls();
          assertThat(new FutureReader(snapshot).get(absent(asked)).get()).isNull();
          asked += 3_003;
          assertThat(counted(snapshot)).isEqualTo(asked);
        }
      }
      assertThat(bits(snapshot)).containsOnly(8);
      assertThat(snapshot.metrics().signatureRejects() + snapshot.metrics().falsePositiveReads())
          .isEqualTo(asked);
      memory.elastic().adjust(Duration.ofMinutes(1));
      assertThat(counted(snapshot)).isEqualTo(asked / 2.0);
    }
  }

  @Test
  void inHashOrderTheNextVersionGoesOnCounting() throws Exception {
    OpenSnapshot before = open(publish(RecordOrder.HASH, 3), null);
    assertThat(counted(before)).isZero();
    ask(before, 0, 2_000);
    try (OpenSnapshot after = open(publish(RecordOrder.HASH, 2), before)) {
      assertThat(units(after)).hasSize(1).isEqualTo(units(before));
      assertThat(bits(after)).containsOnly(8);
      ask(after, 0, 500);
      ask(before, 0, 100);
      before.close();
      assertThat(counted(after)).isEqualTo(2_600);
      ask(after, 0, 70);
      assertThat(counted(after)).isEqualTo(2_670);
      assertThat(after.metrics().signatureRejects() + after.metrics().falsePositiveReads())
          .isEqualTo(570);
      assertThat(before.metrics().signatureRejects() + before.metrics().falsePositiveReads())
          .isEqualTo(2_100);
    }
  }

  @Test
  void inKeyOrderTheNextVersionInheritsByRange() throws Exception {
    OpenSnapshot before = open(publish(RecordOrder.KEY, 4), null);
    // Of 30,000 keys a page holds a bit, and each memory has a page more.
    try (MemoryBudget.Claim claim = claimAllBut((1 + 8 + 3 * (1 + 4)) * 4096)) {
      memory.elastic().adjust(Duration.ZERO);
      ask(before, RECORDS / 4 + 100, 9_000);
      assertThat(counted(before)).isEqualTo(9_000);
    }
    assertThat(bits(before)).containsExactly(4, 8, 4, 4);
    try (OpenSnapshot finer = open(publish(RecordOrder.KEY, 8), before)) {
      assertThat(bits(finer)).containsExactly(4, 4, 8, 8, 4, 4, 4, 4);
      assertHotness(finer, 0, 0, 4_500, 4_500, 0, 0, 0, 0);
      try (OpenSnapshot coarser = open(publish(RecordOrder.KEY, 3), before)) {
        // All of the first range and a third of the second; a half each of two; and so on.
        assertThat(bits(coarser)).containsExactly(5, 6, 4);
        assertHotness(coarser, 3_000, 6_000, 0);
      }
    } finally {
      before.close();
    }
  }

  @ParameterizedTest
  @EnumSource(RecordOrder.class)
  void changesKeepTheUnitsAndLoadNothing(RecordOrder order) throws Exception {
    OpenSnapshot before = open(publish(order, 3), null);
    assertThat(counted(before)).isZero();
    ask(before, 0, 300);
    long loaded = memory.signatureBytesLoaded();
    long signatures = memory.signatureBytes();
    try (OpenSnapshot after = open(change(100), before)) {
      assertThat(units(after)).isEqualTo(units(before));
      before.close();
      ask(after, 0, 200);
      assertThat(counted(after)).isEqualTo(500);
      assertThat(memory.signatureBytesLoaded()).isEqualTo(loaded);
      assertThat(memory.signatureBytes()).isEqualTo(signatures);
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @ParameterizedTest
  @EnumSource(RecordOrder.class)
  void aFoldTakesMemoryForWhatItReplacedOnly(RecordOrder order) throws Exception {
    publish(order, 3);
    OpenSnapshot before = open(change(100), null);
    assertThat(counted(before)).isZero();
    ask(before, 0, 300);
    counted(before);
    long loaded = memory.signatureBytesLoaded();
    long index = memory.indexBytes();
    long signatures = memory.signatureBytes();
    Manifest folded =
        new Compactor(directory).foldFraction(0).maxPartitions(1).maxSegments(1).run().manifest();
    try (OpenSnapshot after = open(folded, before)) {
      assertThat(after.partitions()).filteredOn(before.partitions()::contains).hasSize(2);
      assertThat(bits(after)).containsOnly(8);
      assertThat(memory.signatureBytesLoaded() - loaded).isBetween(RECORDS / 4L, RECORDS / 2L);
      assertThat(memory.signatureBytes() - signatures).isBetween(RECORDS / 4L, RECORDS / 2L);
      assertThat(memory.indexBytes() - index).isLessThan(index / 2);
      before.close();
      assertThat(counted(after)).isCloseTo(300, within(3.0));
      assertThat(memory.signatureBytes()).isCloseTo(signatures, within(20_000L));
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void savingsOfLessThanOneInTwentyMoveNothing() throws Exception {
    try (OpenSnapshot snapshot = open(publish(RecordOrder.KEY, 4), null);
        MemoryBudget.Claim claim = claimAllBut(4 * 6 * 4096)) {
      memory.elastic().adjust(Duration.ZERO);
      assertThat(bits(snapshot)).containsOnly(5);
      for (int i = 0; i < RECORDS; i += 30) {
        ask(snapshot, i, 1);
      }
      // A bit that moves to more than twice the keys saves 1 % of the reads.
      ask(snapshot, RECORDS / 4 + 10, 1_150);
      memory.elastic().adjust(Duration.ZERO);
      assertThat(bits(snapshot)).containsOnly(5);
      ask(snapshot, RECORDS / 4 + 10, 20_000);
      memory.elastic().adjust(Duration.ZERO);
      assertThat(bits(snapshot).get(1)).isEqualTo(8);
      assertThat(bits(snapshot)).contains(4);
      assertThat(memory.signatureAdjustments()).isEqualTo(2);
    }
  }

  /** Each wait is of a second, and there may be thousands of partitions. */
  @ParameterizedTest
  @EnumSource(RecordOrder.class)
  void roomIsMadeWithFewWaitsForALookupThatTakesLong(RecordOrder order) throws Exception {
    try (OpenSnapshot snapshot = open(publish(order, 16), null)) {
      memory.elastic().adjust(Duration.ZERO);
      assertThat(bits(snapshot)).containsOnly(8);
      AtomicInteger waits = new AtomicInteger();
      ElasticMemory.Lookups takesLong =
          atMost -> {
            waits.incrementAndGet();
            return false;
          };
      memory.elastic().add(takesLong);
      long all = memory.limitBytes() - memory.indexBytes();
      assertThatThrownBy(() -> memory.claim(all, "test", "none"))
          .isInstanceOf(MemoryBudgetExceededException.class);
      assertThat(bits(snapshot)).containsOnly(0);
      assertThat(waits).hasValueLessThanOrEqualTo(4);
      memory.elastic().remove(takesLong);
      memory.claim(all, "test", "none").close();
    }
  }

  @Test
  void aLoadEndsWhenItsReaderIsClosed() throws Exception {
    int records = 1_200_000; // two steps
    TestData.random(SEED, records, Lengths.FIXED, Lengths.FIXED, 1)
        .publish(directory, WriterOptions.builder().partitions(1).build());
    Manifest manifest = Table.at(directory).manifest(Table.at(directory).requireCurrentVersion());
    AtomicReference<@Nullable Thread> closing = new AtomicReference<>();
    AtomicReference<@Nullable OpenSnapshot> opened = new AtomicReference<>();
    DirectFile.Opener opener =
        path -> {
          DirectFile.Source source = DirectFile.openSource(path);
          return new DirectFile.Source() {
            @Override
            public int read(ByteBuffer target, long position) throws IOException {
              OpenSnapshot snapshot = opened.get();
              if (snapshot != null && closing.get() == null) {
                Thread closer = new Thread(() -> closeAll(snapshot), "closes");
                closing.set(closer);
                closer.start();
                Await.until(() -> closer.getState() == Thread.State.BLOCKED); // by this load
              }
              return source.read(target, position);
            }

            @Override
            public void close() throws IOException {
              source.close();
            }
          };
        };
    Path files = directory.resolve("snapshots").resolve(manifest.version());
    opened.set(CallingReader.OPENER.openDirectory(files, manifest, options, opener));
    memory.elastic().adjust(Duration.ZERO);
    Thread closer = closing.get();
    assertThat(closer).isNotNull();
    closer.join();
    assertThat(memory.signatureBytesLoaded()).isBetween(1L << 19, 1L << 20);
    assertThat(memory.failedSignatureLoads()).isZero();
    assertThat(memory.usedBytes()).isZero();
  }

  private static void closeAll(OpenSnapshot snapshot) {
    try {
      snapshot.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void placesKeysBetweenOthers() {
    List<String> between = new ArrayList<>(List.of("ab", "abc", "abm", "abz", "b"));
    List<Double> positions = new ArrayList<>();
    for (String key : between) {
      positions.add(SignatureUnits.position(bytes(key), bytes("abc"), bytes("abz")));
    }
    assertThat(positions.get(0)).isZero();
    assertThat(positions.get(1)).isZero();
    assertThat(positions.get(2)).isCloseTo(10 / 23.0, within(1e-9));
    assertThat(positions.subList(3, 5)).containsOnly(1.0);
    assertThat(SignatureUnits.position(new byte[] {(byte) 192}, new byte[] {(byte) 128}, null))
        .isCloseTo(0.5, within(1e-9));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
