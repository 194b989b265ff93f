package io.bsdb.reader;

import static io.bsdb.reader.BudgetedReads.PLENTY;
import static io.bsdb.reader.BudgetedReads.RECORDS;
import static io.bsdb.reader.BudgetedReads.adjust;
import static io.bsdb.reader.BudgetedReads.askForAbsent;
import static io.bsdb.reader.BudgetedReads.assertSomeFound;
import static io.bsdb.reader.BudgetedReads.budget;
import static io.bsdb.reader.BudgetedReads.data;
import static io.bsdb.reader.BudgetedReads.forgetData;
import static io.bsdb.reader.BudgetedReads.options;
import static io.bsdb.reader.BudgetedReads.writer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.bsdb.format.SectionKind;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.memory.ElasticMemory;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.memory.MemoryBudgetExceededException;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.FileParts;
import io.bsdb.testkit.LoggedLines;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The limit of the memory that readers hold, and the signatures that are within it. */
@ExtendWith(NothingLeftOpen.class)
class MemoryBudgetTest {
  @TempDir Path directory;

  @AfterAll
  static void forget() {
    forgetData();
  }

  @ParameterizedTest
  @EnumSource(RecordOrder.class)
  void allBitsAreLoadedWhereTheyFit(RecordOrder order) throws Exception {
    TestData data = data(1);
    data.publish(directory, writer(order).build());
    MemoryBudget memory = budget(PLENTY);
    try (SnapshotReader reader = SnapshotReader.open(directory, options(memory).build())) {
      assertThat(reader.metrics().signatureBits()).isZero();
      assertThat(memory.signatureBytes()).isZero();
      long index = memory.indexBytes();
      assertThat(index).isBetween(2 * RECORDS / 8L, RECORDS * 12L);
      adjust(memory);
      assertThat(reader.metrics().signatureBits()).isEqualTo(8);
      assertThat(memory.signatureBytes()).isBetween((long) RECORDS, RECORDS + 60_000L);
      assertThat(memory.indexBytes()).isEqualTo(index);
      assertThat(memory.signatureBytesLoaded()).isEqualTo(RECORDS + 3 * 8L);
      assertSomeFound(data, reader);
      askForAbsent(reader, 20_000);
      assertThat((double) reader.metrics().falsePositiveReads())
          .isCloseTo(20_000 / 256.0, within(50.0));
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 5, 8})
  void fewerBitsLetMoreAbsentKeysThroughAndCountTheSame(int bits) throws Exception {
    TestData data = data(2);
    data.publish(directory, writer(RecordOrder.HASH).partitions(1).build());
    long index;
    MemoryBudget measured = budget(PLENTY);
    try (SnapshotReader reader = SnapshotReader.open(directory, options(measured).build())) {
      index = measured.indexBytes();
      assertThat(reader.metrics().memory()).isSameAs(measured);
    }
    // With a page for where memory begins, and one for what is not a whole page.
    long wanted = index + RECORDS * bits / 8 + (bits == 0 ? 0 : 12_288);
    MemoryBudget memory = budget(wanted + wanted / 63 + 64);
    try (SnapshotReader reader = SnapshotReader.open(directory, options(memory).build())) {
      adjust(memory);
      assertThat(reader.metrics().signatureBits()).isEqualTo(bits);
      assertThat(memory.usedBytes()).isLessThanOrEqualTo(memory.limitBytes());
      askForAbsent(reader, 8_000);
      double expected = 8_000 * Math.pow(2, -bits);
      assertThat((double) reader.metrics().falsePositiveReads())
          .isCloseTo(expected, within(5 * Math.sqrt(expected)));
      assertThat(reader.metrics().falsePositiveReads() + reader.metrics().signatureRejects())
          .isEqualTo(8_000);
      assertSomeFound(data, reader);
    }
  }

  @Test
  void bitsGoToTheTableThatIsAskedForAbsentKeys() throws Exception {
    Path cold = directory.resolve("cold");
    Path hot = directory.resolve("hot");
    data(3).publish(cold, writer(RecordOrder.HASH).build());
    data(4).publish(hot, writer(RecordOrder.HASH).build());
    long index;
    MemoryBudget measured = budget(PLENTY);
    try (SnapshotReader reader = SnapshotReader.open(hot, options(measured).build())) {
      index = measured.indexBytes();
      assertThat(reader.partitionCount()).isEqualTo(3);
    }
    MemoryBudget memory = budget(2 * index + RECORDS * 9 / 8 + 120_000);
    try (SnapshotReader one = SnapshotReader.open(cold, options(memory).build());
        SnapshotReader two = SnapshotReader.open(hot, options(memory).build())) {
      adjust(memory);
      assertThat(one.metrics().signatureBits())
          .isCloseTo(two.metrics().signatureBits(), within(1.0))
          .isBetween(3.0, 6.0);
      long adjustments = memory.signatureAdjustments();
      askForAbsent(two, 3_000);
      adjust(memory);
      assertThat(two.metrics().signatureBits()).isEqualTo(8);
      assertThat(one.metrics().signatureBits()).isLessThan(4);
      assertThat(memory.signatureAdjustments()).isEqualTo(adjustments + 1);
      adjust(memory);
      assertThat(memory.signatureAdjustments()).isEqualTo(adjustments + 1);
      assertSomeFound(data(3), one);
      assertSomeFound(data(4), two);
    }
  }

  @Test
  void aVersionThatDoesNotFitIsRefusedAndTheOneInUseStays() throws Exception {
    data(5).publish(directory, writer(RecordOrder.HASH).build());
    MemoryBudget memory = budget(250_000);
    try (TableReader table =
        TableReader.builder(directory)
            .options(options(memory).build())
            .refreshEvery(Duration.ZERO)
            .open()) {
      String version = table.version();
      long used = memory.indexBytes();
      TestData.random(6, 1_000_000, Lengths.FIXED, Lengths.FIXED, 12)
          .publish(directory, writer(RecordOrder.HASH).build());
      assertThatThrownBy(table::refresh)
          .isInstanceOf(MemoryBudgetExceededException.class)
          .hasMessageMatching(
              "memory budget exceeded: table=\\S+ version=\\S+ needs=\\d+ bytes of 250000 bytes,"
                  + " in use=\\d+ bytes; raise bsdb.memory, or use access mapped");
      assertThat(memory.refusals()).isEqualTo(1);
      assertThat(memory.indexBytes()).isEqualTo(used);
      assertThat(table.version()).isEqualTo(version);
      assertThat(table.get(data(5).keys().get(77))).isEqualTo(data(5).values().get(77));
    }
  }

  @Test
  void signaturesMakeRoomForAnotherIndexAndComeBack() throws Exception {
    Path first = directory.resolve("first");
    Path second = directory.resolve("second");
    data(7).publish(first, writer(RecordOrder.HASH).build());
    data(8).publish(second, writer(RecordOrder.HASH).partitions(1).build());
    MemoryBudget memory = budget(380_000);
    try (SnapshotReader one = SnapshotReader.open(first, options(memory).build())) {
      adjust(memory);
      assertThat(one.metrics().signatureBits()).isEqualTo(8);
      try (SnapshotReader two = SnapshotReader.open(second, options(memory).build())) {
        assertThat(one.metrics().signatureBits()).isLessThan(8);
        assertThat(memory.usedBytes()).isLessThanOrEqualTo(380_000);
        adjust(memory);
        assertThat(memory.usedBytes()).isLessThanOrEqualTo(380_000);
        assertSomeFound(data(8), two);
      }
      adjust(memory);
      assertThat(one.metrics().signatureBits()).isEqualTo(8);
      assertSomeFound(data(7), one);
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @ParameterizedTest
  @EnumSource(RecordOrder.class)
  void aSuccessorBeginsWithTheBitsOfTheVersionBefore(RecordOrder order) throws Exception {
    data(9).publish(directory, writer(order).build());
    MemoryBudget memory = budget(PLENTY);
    try (TableReader table =
        TableReader.builder(directory)
            .options(options(memory).build())
            .refreshEvery(Duration.ZERO)
            .open()) {
      adjust(memory);
      data(10).publish(directory, writer(order).partitions(4).build());
      assertThat(table.refresh()).isTrue();
      try (TableReader.Lease lease = table.lease()) {
        assertThat(lease.reader().metrics().signatureBits()).isEqualTo(8);
        assertSomeFound(data(10), lease.reader());
      }
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void oldAndNewVersionShareTheBitsUntilTheChangeOver() throws Exception {
    data(11).publish(directory, writer(RecordOrder.HASH).build());
    MemoryBudget memory = budget(400_000);
    try (TableReader table =
        TableReader.builder(directory)
            .options(options(memory).build())
            .refreshEvery(Duration.ZERO)
            .open()) {
      adjust(memory);
      try (TableReader.Lease before = table.lease()) {
        assertThat(before.reader().metrics().signatureBits()).isEqualTo(8);
        data(12).publish(directory, writer(RecordOrder.HASH).build());
        assertThat(table.refresh()).isTrue();
        try (TableReader.Lease after = table.lease()) {
          assertThat(after.reader().metrics().signatureBits())
              .isBetween(1.0, 4.0)
              .isEqualTo(before.reader().metrics().signatureBits());
        }
        assertThat(memory.usedBytes()).isLessThanOrEqualTo(400_000);
        assertSomeFound(data(11), before.reader());
      }
      adjust(memory);
      try (TableReader.Lease after = table.lease()) {
        assertThat(after.reader().metrics().signatureBits()).isEqualTo(8);
        assertSomeFound(data(12), after.reader());
      }
    }
  }

  @Test
  void whatABlockCacheGetsIsWhatIsLeft() throws Exception {
    data(13).publish(directory, writer(RecordOrder.HASH).build());
    MemoryBudget memory = budget(1 << 20);
    ReaderOptions options = options(memory).blockCacheBytes(4 << 20).build();
    try (SnapshotReader reader = SnapshotReader.open(directory, options)) {
      long alone = memory.cacheBytes();
      assertThat(alone).isGreaterThan(900_000);
      adjust(memory);
      assertThat(reader.metrics().signatureBits()).isEqualTo(8);
      assertThat(memory.cacheBytes()).isLessThan(alone - RECORDS);
      assertThat(memory.usedBytes()).isLessThanOrEqualTo(memory.limitBytes());
      byte[] key = data(13).keys().get(7);
      reader.get(key);
      long misses = reader.metrics().cacheMisses();
      reader.get(key);
      assertThat(reader.metrics().cacheHits()).isPositive();
      assertThat(reader.metrics().cacheMisses()).isEqualTo(misses);
      long all = memory.limitBytes() - memory.indexBytes();
      try (MemoryBudget.Claim claim = memory.claim(all, "test", "none")) {
        assertThat(memory.cacheBytes()).isZero();
        reader.get(key);
        reader.get(key);
        assertThat(reader.metrics().cacheMisses()).isEqualTo(misses + 2);
      }
      adjust(memory);
      assertThat(memory.usedBytes())
          .isEqualTo(memory.indexBytes() + memory.signatureBytes() + memory.cacheBytes());
      reader.get(key);
      reader.get(key);
      assertThat(reader.metrics().cacheMisses()).isEqualTo(misses + 3);
      assertSomeFound(data(13), reader);
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void signaturesGiveWayToABlockCacheThatIsHit() throws Exception {
    TestData data = data(18);
    data.publish(directory, writer(RecordOrder.HASH).build());
    MemoryBudget memory = budget(600_000);
    ReaderOptions options = options(memory).blockCacheBytes(4 << 20).build();
    try (SnapshotReader reader = SnapshotReader.open(directory, options)) {
      adjust(memory);
      assertThat(reader.metrics().signatureBits()).isEqualTo(8);
      long atFirst = memory.cacheBytes();
      askForAbsent(reader, 100);
      for (int i = 0; i < 40_000; i++) {
        assertThat(reader.get(data.keys().get(i % 20))).isNotNull();
      }
      double bits;
      try (LoggedLines log = LoggedLines.of(ElasticMemory.class)) {
        adjust(memory);
        bits = reader.metrics().signatureBits();
        assertThat(log.all())
            .hasSize(1)
            .allMatch(line -> line.matches(".*; saves \\d+ % of the reads"));
      }
      assertThat(bits).isLessThan(8);
      assertThat(memory.cacheBytes()).isGreaterThan(atFirst);
      askForAbsent(reader, 40_000);
      adjust(memory);
      assertThat(reader.metrics().signatureBits()).isGreaterThan(bits);
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void damagedSignaturesAreFoundWhenTheyAreLoadedAndCostReadsOnly() throws Exception {
    TestData data = data(14);
    var manifest = data.publish(directory, writer(RecordOrder.HASH).partitions(2).build());
    Path file =
        directory
            .resolve("snapshots")
            .resolve(manifest.version())
            .resolve(manifest.partitions().get(0).name());
    long place = FileParts.of(file).footer().find(SectionKind.SIGNATURES).offset() + 100;
    MemoryBudget memory = budget(PLENTY);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer flipped = ByteBuffer.allocate(1);
      channel.read(flipped, place);
      channel.write(flipped.put(0, (byte) ~flipped.get(0)).flip(), place);
    }
    try (SnapshotReader reader = SnapshotReader.open(directory, options(memory).build());
        LoggedLines log = LoggedLines.of(ElasticMemory.class)) {
      adjust(memory);
      adjust(memory);
      assertThat(memory.failedSignatureLoads()).isEqualTo(1);
      assertThat(reader.metrics().signatureBits()).isCloseTo(4, within(0.1));
      assertSomeFound(data, reader);
      askForAbsent(reader, 1000);
      assertThat(log.all()).anyMatch(line -> line.contains("section=SIGNATURES"));
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void tablesThatOmitKeysHaveAllBitsFromTheStart() throws Exception {
    TestData data = data(15);
    data.publish(directory, WriterOptions.builder().approximate().partitions(2).build());
    MemoryBudget memory = budget(PLENTY);
    try (SnapshotReader reader = SnapshotReader.open(directory, options(memory).build())) {
      assertThat(reader.metrics().signatureBits()).isGreaterThanOrEqualTo(8);
      assertThat(memory.signatureBytes()).isZero();
      double bits = reader.metrics().signatureBits();
      try (MemoryBudget.Claim all = memory.claim(PLENTY - memory.indexBytes(), "test", "none")) {
        adjust(memory);
        assertThat(reader.metrics().signatureBits()).isEqualTo(bits);
        assertThat(memory.signatureBytes()).isZero();
        assertSomeFound(data, reader);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void everyLayoutIsReadWithinABudget(Layout layout) throws Exception {
    TestData data = TestData.phrases(16, 3000);
    data.publish(directory, WriterOptions.builder().layout(layout).partitions(2).build());
    for (Access access : Access.values()) {
      MemoryBudget memory = budget(PLENTY);
      ReaderOptions options =
          options(memory)
              .access(access)
              .blockCacheBytes(access.readsFromDisk() ? 1 << 20 : 0)
              .build();
      try (SnapshotReader reader = SnapshotReader.open(directory, options)) {
        assertSomeFound(data, reader);
        adjust(memory);
        assertSomeFound(data, reader);
        data.assertNothingElseFoundIn(reader);
        assertThat(memory.indexBytes() == 0).isEqualTo(access == Access.MAPPED);
      }
      assertThat(memory.usedBytes()).isZero();
    }
  }
}
