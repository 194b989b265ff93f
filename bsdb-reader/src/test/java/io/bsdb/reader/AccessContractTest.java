package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.snapshot.FileRecords;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The same answers, whichever way blocks come into memory. */
@ExtendWith(NothingLeftOpen.class)
@Timeout(120)
class AccessContractTest {
  @TempDir Path table;

  /** Ways to read: with the tiny cache, blocks come and go. */
  enum Way {
    MAPPED(Access.MAPPED, 0),
    MAPPED_CACHED(Access.MAPPED, 1 << 20),
    RESIDENT(Access.RESIDENT, 0),
    DIRECT(Access.DIRECT, 0),
    DIRECT_CACHED(Access.DIRECT, 1 << 20),
    DIRECT_TINY_CACHE(Access.DIRECT, 5_000),
    IO_URING(Access.IO_URING, 0),
    IO_URING_CACHED(Access.IO_URING, 1 << 20);

    private final Access access;
    private final long cacheBytes;

    Way(Access access, long cacheBytes) {
      this.access = access;
      this.cacheBytes = cacheBytes;
    }

    ReaderOptions options() {
      return ReaderOptions.builder()
          .access(access)
          .blockCacheBytes(cacheBytes)
          .queueDepth(8)
          .build();
    }
  }

  static Stream<Arguments> waysAndLayouts() {
    return Stream.of(Way.values())
        .flatMap(way -> Stream.of(Layout.values()).map(layout -> Arguments.of(way, layout)));
  }

  private static TestData data() {
    TestData data = TestData.random(6, 200, Lengths.VARYING, Lengths.VARYING, 300);
    data.add(new byte[] {1}, new byte[200_000]);
    data.add(new byte[] {2}, new byte[0]);
    return data;
  }

  private Manifest publish(TestData data, Layout layout) throws IOException {
    return data.publish(table, WriterOptions.builder().layout(layout).partitions(2).build());
  }

  @ParameterizedTest
  @MethodSource("waysAndLayouts")
  void answersTheSame(Way way, Layout layout) throws Exception {
    TestData data = data();
    publish(data, layout);
    try (SnapshotReader reader = SnapshotReader.open(table, way.options())) {
      data.assertFoundIn(reader);
      data.assertMixedListAnsweredBy(reader);
      data.assertNothingElseFoundIn(reader);
      data.assertScannedFrom(reader);
    }
  }

  @ParameterizedTest
  @MethodSource("waysAndLayouts")
  void futuresAnswerTheSame(Way way, Layout layout) throws Exception {
    TestData data = data();
    Manifest manifest = publish(data, layout);
    try (AsyncSnapshotReader reader = AsyncSnapshotReader.open(table, way.options())) {
      assertThat(reader.manifest()).isEqualTo(manifest);
      List<CompletableFuture<byte[]>> futures = new ArrayList<>();
      for (byte[] key : data.keys()) {
        futures.add(reader.get(key));
      }
      CompletableFuture<List<byte[]>> all = reader.getAll(data.keys());
      assertThat(reader.getAll(data.keys(), data::isLent).join()).containsOnly(true);
      assertThat(reader.get(data.keys().get(0), data::isLent).join()).isTrue();
      for (int i = 0; i < data.count(); i++) {
        assertThat(futures.get(i).join()).isEqualTo(data.values().get(i));
        assertThat(all.join().get(i)).isEqualTo(data.values().get(i));
      }
      for (byte[] key : data.absentKeys(30)) {
        assertThat(reader.get(key).join()).isNull();
        assertThat(reader.get(key, data::isLent).join()).isNull();
      }
      assertThat(reader.getAll(data.absentKeys(3)).join()).containsOnlyNulls();
      assertThat(reader.getAll(List.of()).join()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void answersAfterCloseWithAnException(Way way) throws Exception {
    TestData data = data();
    publish(data, Layout.COMPACT);
    byte[] key = data.keys().get(0);
    SnapshotReader reader = SnapshotReader.open(table, way.options());
    reader.close();
    reader.close();
    String message = "reader of " + table;
    assertClosed(() -> reader.get(key), message);
    assertClosed(() -> reader.get(key, ByteBuffer.allocate(9)), message);
    assertClosed(() -> reader.getAll(List.of(key)), message);
    assertClosed(reader::scan, message);
    AsyncSnapshotReader async = AsyncSnapshotReader.open(table, way.options());
    async.close();
    async.close();
    assertClosed(() -> async.get(key), message);
    assertClosed(() -> async.getAll(List.of(key)), message);
  }

  private static void assertClosed(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String message) {
    assertThatThrownBy(call)
        .isInstanceOf(ClosedReaderException.class)
        .hasMessageStartingWith(message)
        .hasMessageEndingWith(" is closed");
  }

  /** Every byte of the blocks, so that also a block that comes from disk is verified. */
  @ParameterizedTest
  @EnumSource(Way.class)
  void damagedBlocksAreRefused(Way way) throws Exception {
    TestData data = TestData.random(7, 40, Lengths.VARYING, Lengths.VARYING, 40);
    WriterOptions options = WriterOptions.builder().layout(Layout.COMPRESSED).partitions(1).build();
    Manifest manifest = data.publish(table, options);
    Path file =
        table
            .resolve("snapshots")
            .resolve(manifest.version())
            .resolve(manifest.partitions().get(0).name());
    byte[] sound = Files.readAllBytes(file);
    int refused = 0;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      for (int i = 64; i < 860; i += 41) {
        channel.write(ByteBuffer.wrap(new byte[] {(byte) (sound[i] ^ 0x11)}), i);
        try (SnapshotReader reader = SnapshotReader.open(table, way.options())) {
          refused += refusals(reader, data, file);
        }
        channel.write(ByteBuffer.wrap(new byte[] {sound[i]}), i);
      }
    }
    assertThat(refused).isGreaterThan(10);
  }

  private static int refusals(SnapshotReader reader, TestData data, Path file) throws IOException {
    int refused = 0;
    for (int i = 0; i < data.count(); i++) {
      try {
        assertThat(reader.get(data.keys().get(i))).isEqualTo(data.values().get(i));
      } catch (CorruptSnapshotException e) {
        assertThat(e).hasMessageContaining("file=" + file);
        refused++;
      }
    }
    return refused;
  }

  /** A long value that shrinks to nothing, in one block with many short frames. */
  @Test
  void theCacheTakesBlocksOfLongFrames() throws Exception {
    TestData data = TestData.empty();
    byte[] value = new byte[200];
    for (int i = 0; i < 3000; i++) {
      data.add(ByteBuffer.allocate(4).putInt(i).array(), value);
    }
    for (int i = 0; i < 4; i++) {
      data.add(new byte[] {(byte) i}, new byte[24 << 20]);
    }
    data.publish(
        table,
        WriterOptions.builder()
            .layout(Layout.COMPRESSED)
            .blockSize(65_536)
            .frameSize(512)
            .dictionaryBytes(0)
            .build());
    try (SnapshotReader reader = SnapshotReader.open(table, Way.MAPPED_CACHED.options())) {
      for (int i = 0; i < data.count(); i++) {
        if (i % 20 == 0 || i >= 3000) {
          assertThat(reader.get(data.keys().get(i)).length).isEqualTo(data.values().get(i).length);
        }
      }
    }
  }

  @Test
  void aBlockIsReadOnceForAllItsKeysAndComesFromTheCacheThen() throws Exception {
    TestData data = TestData.random(6, 200, Lengths.FIXED, Lengths.FIXED, 20);
    data.publish(table, WriterOptions.builder().partitions(1).build());
    try (SnapshotReader reader = SnapshotReader.open(table, Way.DIRECT.options())) {
      reader.getAll(data.keys());
      assertThat(reader.metrics().blockReads()).isEqualTo(2);
    }
    try (SnapshotReader reader = SnapshotReader.open(table, Way.DIRECT_CACHED.options())) {
      for (byte[] key : data.keys()) {
        assertThat(reader.get(key)).isNotNull();
      }
      assertThat(reader.metrics().blockReads()).isEqualTo(2);
      assertThat(reader.metrics().hits()).isEqualTo(200);
    }
  }

  @Test
  void futuresShareTheCacheAndItsReads() throws Exception {
    TestData data = TestData.random(6, 200, Lengths.FIXED, Lengths.FIXED, 20);
    data.publish(table, WriterOptions.builder().partitions(1).build());
    try (SnapshotReader reader = SnapshotReader.open(table, Way.IO_URING_CACHED.options())) {
      AsyncSnapshotReader async = reader.async();
      List<CompletableFuture<byte[]>> futures = new ArrayList<>();
      for (byte[] key : data.keys()) {
        futures.add(async.get(key));
      }
      for (int i = 0; i < data.count(); i++) {
        assertThat(reader.get(data.keys().get(i))).isEqualTo(data.values().get(i));
        assertThat(futures.get(i).join()).isEqualTo(data.values().get(i));
      }
      assertThat(async.getAll(data.keys()).join()).hasSize(200).doesNotContainNull();
      assertThat(reader.metrics().blockReads()).isEqualTo(2);
      assertThat(reader.metrics().hits()).isEqualTo(600);
      assertThat(async.metrics().cacheMisses()).isEqualTo(2);
    }
  }

  @Test
  void aShareOpensTheFilesOfItsKeysOnly() throws Exception {
    TestData data = TestData.random(8, 3000, Lengths.VARYING, Lengths.VARYING, 30);
    data.publish(table, WriterOptions.builder().partitions(6).build());
    long open = FileMemory.openCount();
    long records = 0;
    for (int share = 0; share < 4; share++) {
      ReaderOptions options =
          ReaderOptions.builder().access(Access.IO_URING).share(new KeyShare(share, 4)).build();
      try (SnapshotReader reader = SnapshotReader.open(table, options)) {
        assertThat(reader.partitionCount()).isEqualTo(6);
        assertThat(FileMemory.openCount() - open).isEqualTo(2);
        for (int i = 0; i < data.count(); i++) {
          byte[] key = data.keys().get(i);
          if (KeyShare.indexOf(key, 4) == share) {
            records++;
            assertThat(reader.get(key)).isEqualTo(data.values().get(i));
            assertThat(reader.async().get(key).join()).isEqualTo(data.values().get(i));
          }
        }
        long scanned = 0;
        try (RecordCursor cursor = reader.scan()) {
          while (cursor.next()) {
            scanned++;
          }
        }
        assertThat(scanned).isBetween(900L, 1100L);
        int other = 5 - share * 5 / 3;
        assertThatThrownBy(() -> reader.scan(other))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("partition=" + other);
        assertThatThrownBy(() -> new FileRecords(reader.snapshot(), other, 0))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("partition=" + other);
        reader.close(); // waits for the calls in flight
        assertThatThrownBy(() -> new FileRecords(reader.snapshot(), other, 0))
            .isInstanceOf(ClosedReaderException.class);
      }
    }
    assertThat(records).isEqualTo(data.count());
  }
}
