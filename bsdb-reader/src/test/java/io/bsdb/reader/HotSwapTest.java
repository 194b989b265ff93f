package io.bsdb.reader;

import static io.bsdb.reader.NumberedVersions.KEYS;
import static io.bsdb.reader.NumberedVersions.key;
import static io.bsdb.reader.NumberedVersions.versionOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.format.ValueReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Versions change under load; {@code -Dbsdb.test.swaps} says how often. */
@ExtendWith(NothingLeftOpen.class)
@Timeout(600)
class HotSwapTest {
  private static final int SWAPS = Integer.getInteger("bsdb.test.swaps", 100);
  private static final int NEW_EVERY = 20;

  @TempDir Path table;

  /** The number of the version after so many swaps; written before the swap begins. */
  private final int[] numbers = new int[SWAPS + 1];

  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger completed = new AtomicInteger();
  private final AtomicBoolean done = new AtomicBoolean();

  /** Returns the version that a value is of. */
  private static final ValueReader<Integer> LENT =
      (key, bytes, offset, length) -> Integer.reverseBytes(bytes.intAt(offset));

  /** How a thread reads meanwhile. */
  private enum Reading {
    ONE_BY_ONE,
    LEASE,
    BATCHES,
    FUTURES
  }

  @ParameterizedTest
  @EnumSource(names = {"MAPPED", "IO_URING"})
  void noAnswerFailsOrIsStaleOrMixed(Access access) throws Exception {
    readOnce(access); // what its classes keep for good is there from now on
    long offHeap = OffHeap.bytes();
    // In a thread of its own: its variables, and the buffers that Java keeps for it, end with it.
    FutureTask<Void> swaps =
        new FutureTask<>(
            () -> {
              swapUnderLoad(access);
              return null;
            });
    Thread swapping = new Thread(swaps, "swapping");
    swapping.start();
    swaps.get();
    swapping.join();
    while (OffHeap.bytes() > offHeap) { // buffers go with their last reference; or this times out
      System.gc();
    }
  }

  private void readOnce(Access access) throws IOException {
    Path other = table.resolve("other");
    new NumberedVersions(other).publishNext();
    try (TableReader reader =
            TableReader.builder(other)
                .options(ReaderOptions.builder().access(access).build())
                .refreshEvery(Duration.ZERO)
                .open();
        TableReader.Lease lease = reader.lease()) {
      assertThat(lease.reader().getAll(List.of(key(1), key(2)))).doesNotContainNull();
    }
  }

  private void swapUnderLoad(Access access) throws Exception {
    NumberedVersions versions = new NumberedVersions(table);
    versions.publishNext();
    numbers[0] = 1;
    AtomicInteger named = new AtomicInteger();
    ExecutorService executor =
        Executors.newCachedThreadPool(task -> new Thread(task, "test-" + named.incrementAndGet()));
    try (TableReader live =
        TableReader.builder(table)
            .options(ReaderOptions.builder().access(access).build())
            .refreshEvery(Duration.ZERO)
            .open()) {
      CountDownLatch started = new CountDownLatch(Reading.values().length);
      List<Future<Integer>> readers = new ArrayList<>();
      for (Reading reading : Reading.values()) {
        readers.add(
            executor.submit(
                () -> {
                  try {
                    return read(live, reading, started);
                  } finally {
                    started.countDown(); // of one that failed at once, nobody is to wait for
                  }
                }));
      }
      try {
        started.await();
        swapOften(live, versions);
      } finally {
        done.set(true);
      }
      for (Future<Integer> reader : readers) {
        assertThat(reader.get()).isPositive();
      }
      assertThat(live.failedRefreshes()).isZero();
    } finally {
      executor.shutdownNow();
    }
  }

  /** To a version that is new, or back to one of those before. */
  private void swapOften(TableReader live, NumberedVersions versions) throws IOException {
    Table files = Table.at(table);
    Map<String, Integer> numberOf = new HashMap<>(Map.of(live.version(), 1));
    for (int swap = 1; swap <= SWAPS; swap++) {
      if (swap % NEW_EVERY == 1) {
        numberOf.put(versions.publishNext().version(), versions.published());
        files.prune(3);
      } else {
        List<String> others = new ArrayList<>(files.versions());
        others.remove(live.version());
        files.rollback(others.get(swap % others.size()));
      }
      String next = files.requireCurrentVersion();
      numbers[swap] = numberOf.get(next);
      begun.set(swap);
      assertThat(live.refresh()).isTrue();
      completed.set(swap);
      assertThat(live.version()).isEqualTo(next);
    }
  }

  /** Returns how often it has read. */
  private int read(TableReader live, Reading reading, CountDownLatch started) throws IOException {
    int reads = 0;
    for (; !done.get() || reads == 0; reads++) {
      int before = completed.get();
      if (reading == Reading.ONE_BY_ONE) {
        assertInUse(before, versionOf(live.get(key(7)), 7));
        assertInUse(before, live.get(key(8), LENT));
      } else {
        try (TableReader.Lease lease = live.lease()) {
          int version = versionOf(lease.reader().get(key(0)), 0);
          assertInUse(before, version);
          List<byte[]> values = all(lease.reader(), reading);
          for (int i = 0; i < KEYS; i++) {
            assertThat(versionOf(values.get(i), i)).isEqualTo(version);
          }
        }
      }
      if (reads == 0) {
        started.countDown();
      }
    }
    return reads;
  }

  /** Fails unless a version was in use at some time since a number of swaps. */
  private void assertInUse(int sinceSwap, int version) {
    int until = begun.get();
    for (int swap = sinceSwap; swap <= until; swap++) {
      if (numbers[swap] == version) {
        return;
      }
    }
    throw new AssertionError(
        "version %d was not in use between swaps %d and %d".formatted(version, sinceSwap, until));
  }

  private static List<byte[]> all(SnapshotReader reader, Reading reading) throws IOException {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      keys.add(key(i));
    }
    if (reading == Reading.BATCHES) {
      assertThat(reader.getAll(keys, LENT)).containsOnly(versionOf(reader.get(keys.get(0)), 0));
      return reader.getAll(keys);
    }
    List<byte[]> values = new ArrayList<>();
    if (reading == Reading.LEASE) {
      for (byte[] key : keys) {
        values.add(reader.get(key));
      }
      return values;
    }
    List<CompletableFuture<byte[]>> futures = new ArrayList<>();
    for (byte[] key : keys) {
      futures.add(reader.async().get(key));
    }
    futures.forEach(future -> values.add(future.join()));
    return values;
  }
}
