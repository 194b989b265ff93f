package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.format.Manifest;
import io.bsdb.reader.AccessContractTest.Way;
import io.bsdb.reader.TestData.Lengths;
import io.bsdb.reader.io.DirectFile;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.writer.Layout;
import io.bsdb.writer.WriterOptions;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reads that fail, end early or take long, and files that shrink. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ReadFaultsTest {
  private static final int PAGE = 4096;

  @TempDir Path table;
  private TestData data;
  private Path directory;
  private Manifest manifest;
  private volatile FaultyChannel.Fault fault = (position, length) -> length;
  private long open;

  @BeforeEach
  void publish() throws Exception {
    data = TestData.random(8, 2000, Lengths.VARYING, Lengths.VARYING, 100);
    publish(PAGE);
    open = FileMemory.openCount();
  }

  private void publish(int blockSize) throws IOException {
    manifest =
        data.publish(
            table,
            WriterOptions.builder()
                .layout(Layout.BLOCKED)
                .blockSize(blockSize)
                .partitions(1)
                .build());
    directory = table.resolve("snapshots").resolve(manifest.version());
  }

  @AfterEach
  void leavesNothingOpen() {
    assertThat(FileMemory.openCount()).isEqualTo(open);
  }

  private SnapshotReader open(Way way) throws IOException {
    return new PartitionedReader(
        OpenSnapshot.openDirectory(
            directory,
            manifest,
            way.options(),
            path ->
                new FaultyChannel(
                    DirectFile.openChannel(path),
                    (position, length) -> fault.before(position, length))));
  }

  /** Whether one key gets its value, or which failure. */
  private static Throwable failure(CompletableFuture<byte[]> future, byte[] expected) {
    try {
      assertThat(future.join()).isEqualTo(expected);
      return null;
    } catch (CompletionException e) {
      return e.getCause();
    }
  }

  private Throwable failure(SnapshotReader reader, int record) {
    try {
      assertThat(reader.get(data.keys().get(record))).isEqualTo(data.values().get(record));
      return null;
    } catch (IOException e) {
      return e;
    }
  }

  /** The failures of all lookups, null where there was none; sync and async must agree. */
  private List<Throwable> failures(SnapshotReader reader) {
    List<CompletableFuture<byte[]>> futures = new ArrayList<>();
    for (byte[] key : data.keys()) {
      futures.add(reader.async().get(key));
    }
    List<Throwable> failures = new ArrayList<>();
    for (int i = 0; i < data.count(); i++) {
      Throwable asynchronous = failure(futures.get(i), data.values().get(i));
      Throwable synchronous = failure(reader, i);
      assertThat(asynchronous == null).as("record %d", i).isEqualTo(synchronous == null);
      failures.add(synchronous);
    }
    return failures;
  }

  @ParameterizedTest
  @EnumSource(
      value = Way.class,
      names = {"DIRECT", "DIRECT_CACHED"})
  void aReadErrorFailsTheLookupsOfItsBlockOnly(Way way) throws Exception {
    fault =
        (position, length) -> {
          if (position / PAGE % 4 == 2) {
            throw new IOException("injected at " + position);
          }
          return length;
        };
    try (SnapshotReader reader = open(way)) {
      List<Throwable> failures = failures(reader);
      long failed = failures.stream().filter(e -> e != null).count();
      assertThat(failed).isBetween(300L, 700L);
      assertThat(failures)
          .allSatisfy(
              e -> {
                if (e != null) {
                  assertThat(e).isInstanceOf(IOException.class).hasMessageStartingWith("injected");
                }
              });
      assertThat(reader.metrics().failures()).isEqualTo(2 * failed);
      fault = (position, length) -> length;
      assertThat(failures(reader)).as("an error is not remembered").containsOnlyNulls();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Way.class,
      names = {"DIRECT", "DIRECT_CACHED"})
  void shortReadsAreContinued(Way way) throws Exception {
    publish(8 * PAGE);
    Random random = new Random(4);
    AtomicInteger shortReads = new AtomicInteger();
    fault =
        (position, length) -> {
          int shorter = PAGE * (1 + random.nextInt(length / PAGE));
          shortReads.addAndGet(shorter < length ? 1 : 0);
          return shorter;
        };
    try (SnapshotReader reader = open(way)) {
      for (int i = 0; i < data.count(); i += 7) {
        assertThat(failure(reader, i)).isNull();
      }
    }
    assertThat(shortReads.get()).isPositive();
  }

  @ParameterizedTest
  @EnumSource(
      value = Way.class,
      names = {"DIRECT", "DIRECT_CACHED"})
  void aSlowReadHoldsUpItsOwnLookupOnly(Way way) throws Exception {
    CompletableFuture<Void> released = new CompletableFuture<>();
    AtomicInteger held = new AtomicInteger();
    long slow = PAGE;
    fault =
        (position, length) -> {
          if (position == slow) {
            held.incrementAndGet();
            released.join();
          }
          return length;
        };
    try (SnapshotReader reader = open(way)) {
      List<CompletableFuture<byte[]>> futures = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        futures.add(reader.async().get(data.keys().get(i)));
        if (held.get() == 4) {
          break; // half of the threads of this pool
        }
      }
      int waiting = 0;
      for (int i = 0; i < futures.size(); i++) {
        boolean isSlow = block(i) == 0;
        waiting += isSlow ? 1 : 0;
        if (!isSlow) {
          assertThat(failure(futures.get(i), data.values().get(i))).isNull();
        }
      }
      assertThat(waiting).isPositive();
      assertThat(futures.stream().filter(future -> !future.isDone()).count()).isEqualTo(waiting);
      released.complete(null);
      for (int i = 0; i < futures.size(); i++) {
        assertThat(failure(futures.get(i), data.values().get(i))).isNull();
      }
    } finally {
      released.complete(null);
    }
  }

  private int block(int record) throws IOException {
    try (OpenSnapshot snapshot =
        OpenSnapshot.openDirectory(
            directory, manifest, ReaderOptions.defaults(), DirectFile::openChannel)) {
      Partition partition = snapshot.partitions().get(0);
      byte[] key = data.keys().get(record);
      var hash = io.bsdb.format.hash.KeyHash.hash(key);
      return partition.index().block(snapshot.rank(partition, hash, key));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Way.class,
      names = {"DIRECT", "DIRECT_CACHED", "IO_URING", "IO_URING_CACHED"})
  void aFileThatShrinksFailsTheLookupsBehindItsEndOnly(Way way) throws Exception {
    Path file = directory.resolve(manifest.partitions().get(0).name());
    try (SnapshotReader reader = SnapshotReader.open(directory, way.options())) {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(5 * PAGE);
      }
      List<Throwable> failures = failures(reader);
      long failed = failures.stream().filter(e -> e != null).count();
      assertThat(failed).isBetween(1L, data.count() - 1L);
      for (Throwable e : failures) {
        if (e != null) {
          assertThat(e)
              .isInstanceOf(EOFException.class)
              .hasMessageContaining("shortened while open")
              .hasMessageContaining(file.toString());
        }
      }
    }
  }
}
