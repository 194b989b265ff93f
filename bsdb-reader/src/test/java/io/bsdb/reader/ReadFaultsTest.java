package io.bsdb.reader;

import static io.bsdb.reader.FaultyTable.PAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.reader.AccessContractTest.Way;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.snapshot.OpenSnapshot;
import io.bsdb.testkit.Await;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reads that fail, end early or take long, and files that shrink. */
@ExtendWith(NothingLeftOpen.class)
@Timeout(120)
class ReadFaultsTest {
  @TempDir Path directory;

  /** The failures of all lookups, null where there was none; sync and async must agree. */
  private static List<Throwable> failures(FaultyTable table, SnapshotReader reader) {
    List<CompletableFuture<byte[]>> futures = new ArrayList<>();
    for (byte[] key : table.data.keys()) {
      futures.add(reader.async().get(key));
    }
    List<Throwable> failures = new ArrayList<>();
    for (int i = 0; i < table.data.count(); i++) {
      Throwable asynchronous = table.failure(futures.get(i), i);
      Throwable synchronous = table.failure(reader, i);
      assertThat(asynchronous == null).as("record %d", i).isEqualTo(synchronous == null);
      failures.add(synchronous);
    }
    return failures;
  }

  private static long countOf(List<Throwable> failures) {
    return failures.stream().filter(e -> e != null).count();
  }

  private static int failSomeBlocks(long position, int length) throws IOException {
    if (position / PAGE % 4 == 2) {
      throw new IOException("injected at " + position);
    }
    return length;
  }

  /** A ring reads what it can; what is left is read in the plain way, and fails there. */
  @ParameterizedTest
  @EnumSource(names = {"DIRECT", "DIRECT_CACHED", "IO_URING", "IO_URING_CACHED"})
  void aReadErrorFailsTheLookupsOfItsBlockOnly(Way way) throws Exception {
    FaultyTable table = new FaultyTable(directory);
    table.readACopy();
    table.fault = ReadFaultsTest::failSomeBlocks;
    try (SnapshotReader reader = table.open(way.options())) {
      table.shortenTo(1);
      List<Throwable> failures = failures(table, reader);
      long failed = countOf(failures);
      assertThat(failed).isBetween(300L, 700L);
      assertThat(failures)
          .filteredOn(e -> e != null)
          .allSatisfy(
              e ->
                  assertThat(e)
                      .isInstanceOf(IOException.class)
                      .hasMessageStartingWith("file cannot be read: file=%s offset=", table.file())
                      .hasMessageContaining("injected at "));
      assertThat(reader.metrics().failures()).isEqualTo(2 * failed);
      table.fault = (position, length) -> length;
      assertThat(failures(table, reader)).as("an error is not remembered").containsOnlyNulls();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"DIRECT", "DIRECT_CACHED"})
  void shortReadsAreContinued(Way way) throws Exception {
    FaultyTable table = new FaultyTable(directory, 8 * PAGE);
    Random random = new Random(4);
    AtomicInteger shortReads = new AtomicInteger();
    table.fault =
        (position, length) -> {
          int shorter = PAGE * (1 + random.nextInt(length / PAGE));
          shortReads.addAndGet(shorter < length ? 1 : 0);
          return shorter;
        };
    try (SnapshotReader reader = table.open(way.options())) {
      for (int i = 0; i < table.data.count(); i += 7) {
        assertThat(table.failure(reader, i)).isNull();
      }
    }
    assertThat(shortReads.get()).isPositive();
  }

  /** The file ends within a block of eight pages, so that the ring gets a part of it. */
  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "IO_URING_CACHED"})
  void shortReadsOfARingAreDoneAgain(Way way) throws Exception {
    FaultyTable table = new FaultyTable(directory, 8 * PAGE);
    AtomicInteger again = new AtomicInteger();
    table.readACopy();
    table.fault =
        (position, length) -> {
          again.incrementAndGet();
          return length;
        };
    try (SnapshotReader reader = table.open(way.options())) {
      table.shortenTo(12);
      List<CompletableFuture<byte[]>> futures = new ArrayList<>();
      for (byte[] key : table.data.keys()) {
        futures.add(reader.async().get(key));
      }
      for (int i = 0; i < futures.size(); i++) {
        assertThat(table.failure(futures.get(i), i)).isNull();
      }
      assertThat(again.get()).isPositive();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"DIRECT", "DIRECT_CACHED"})
  void aSlowReadHoldsUpItsOwnLookupOnly(Way way) throws Exception {
    FaultyTable table = new FaultyTable(directory);
    Gate gate = new Gate();
    AtomicInteger held = new AtomicInteger();
    table.fault =
        (position, length) -> {
          if (position == PAGE) {
            held.incrementAndGet();
            gate.pass();
          }
          return length;
        };
    try (SnapshotReader reader = table.open(way.options());
        gate) {
      List<CompletableFuture<byte[]>> futures = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        futures.add(reader.async().get(table.key(i)));
        if (held.get() == 4) {
          break; // half of the threads of this pool
        }
      }
      int waiting = 0;
      for (int i = 0; i < futures.size(); i++) {
        boolean isSlow = table.block(i) == 0;
        waiting += isSlow ? 1 : 0;
        if (!isSlow) {
          assertThat(table.failure(futures.get(i), i)).isNull();
          assertThat(table.failure(reader, i)).as("in the calling thread").isNull();
        }
      }
      assertThat(waiting).isPositive();
      assertThat(futures.stream().filter(future -> !future.isDone()).count()).isEqualTo(waiting);
      gate.open();
      for (int i = 0; i < futures.size(); i++) {
        assertThat(table.failure(futures.get(i), i)).isNull();
      }
    }
  }

  /** Threads that miss one block together share one read, also its failure. */
  @ParameterizedTest
  @EnumSource(names = {"DIRECT_CACHED", "IO_URING_CACHED"})
  void concurrentMissesOfOneBlockReadItOnce(Way way) throws Exception {
    FaultyTable table = new FaultyTable(directory);
    Gate gate = new Gate();
    table.fault =
        (position, length) -> {
          gate.pass();
          throw new IOException("injected");
        };
    try (SnapshotReader reader = table.open(way.options());
        gate) {
      List<CompletableFuture<Throwable>> failures = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        failures.add(failure);
        new Thread(() -> failure.complete(table.failure(reader, 0)), "test-" + i).start();
        gate.awaitFirst();
      }
      Await.until(() -> reader.metrics().cacheHits() >= 3); // then all four wait for the same read
      gate.open();
      for (CompletableFuture<Throwable> failure : failures) {
        assertThat(failure.join())
            .isInstanceOf(IOException.class)
            .hasMessageEndingWith(": injected");
      }
      assertThat(reader.metrics().cacheMisses()).isEqualTo(1);
      assertThat(reader.metrics().cacheHits()).isEqualTo(3);
      table.fault = (position, length) -> length;
      assertThat(table.failure(reader, 0)).isNull();
      assertThat(reader.metrics().blockReads()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"DIRECT", "DIRECT_CACHED", "IO_URING", "IO_URING_CACHED"})
  void aFileThatShrinksFailsTheLookupsBehindItsEndOnly(Way way) throws Exception {
    FaultyTable table = new FaultyTable(directory);
    try (SnapshotReader reader = table.open(way.options())) {
      table.shortenTo(5);
      List<Throwable> failures = failures(table, reader);
      assertThat(countOf(failures)).isBetween(1L, table.data.count() - 1L);
      assertThat(failures)
          .filteredOn(e -> e != null)
          .allSatisfy(
              e ->
                  assertThat(e)
                      .isInstanceOf(EOFException.class)
                      .hasMessageContaining("shortened while open")
                      .hasMessageContaining(table.file().toString()));
    }
  }

  @Test
  void aFaultInAMappedFileIsAnExceptionOfIo() throws Exception {
    new FaultyTable(directory);
    InternalError fault = new InternalError("a fault occurred in an unsafe memory access");
    InternalError other = new InternalError("of Java");
    try (OpenSnapshot snapshot = CallingReader.OPENER.open(directory, ReaderOptions.defaults())) {
      assertThat(snapshot.failures().explained(fault))
          .isExactlyInstanceOf(IOException.class)
          .hasMessageStartingWith(
              "mapped file cannot be read: directory=%s: %s; ",
              snapshot.directory(), fault.getMessage())
          .hasCause(fault);
      assertThat(snapshot.failures().explained(other)).isSameAs(other);
    }
  }

  /** The fault itself comes when and where Java pleases: this is what is made of it. */
  @Test
  void aFaultInAMappedFileThatShrankNamesTheFile() throws Exception {
    FaultyTable table = new FaultyTable(directory);
    InternalError fault = new InternalError("a fault occurred");
    try (OpenSnapshot snapshot = CallingReader.OPENER.open(directory, ReaderOptions.defaults())) {
      long length = Files.size(table.file());
      table.shortenTo(5);
      assertThat(snapshot.failures().explained(fault))
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessage(
              "mapped file was shortened while open: file=%s expected=%d actual=%d; delete or replace files of a published version, never write over them",
              table.file(), length, 5 * PAGE)
          .hasCause(fault);
    }
  }

  /** As if the error had come up amid the count of calls. */
  @Test
  void closingDoesNotWaitForACallThatAShortenedFileKeptFromEnding() throws Exception {
    FaultyTable table = new FaultyTable(directory);
    long length = Files.size(table.file());
    OpenSnapshot snapshot = CallingReader.OPENER.open(directory, ReaderOptions.defaults());
    int call = snapshot.calls().enter();
    table.shortenTo(5);
    assertThatThrownBy(snapshot::close)
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessage(
            "mapped file was shortened while open: file=%s expected=%d actual=%d; delete or replace files of a published version, never write over them",
            table.file(), length, 5 * PAGE);
    snapshot.calls().left(call);
    for (Partition partition : snapshot.partitions()) {
      partition.close();
    }
  }
}
