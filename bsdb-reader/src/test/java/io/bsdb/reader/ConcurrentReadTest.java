package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.format.ValueReader;
import io.bsdb.reader.AccessContractTest.Way;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many threads, and a close in their midst. */
@ExtendWith(NothingLeftOpen.class)
@Timeout(120)
class ConcurrentReadTest {
  private static final int THREADS = 8;

  @TempDir Path table;
  private TestData data;
  private ExecutorService executor;

  @BeforeEach
  void publish() throws Exception {
    data = TestData.random(8, 400, Lengths.VARYING, Lengths.VARYING, 200);
    data.publish(table, WriterOptions.builder().layout(Layout.COMPRESSED).partitions(2).build());
    AtomicInteger named = new AtomicInteger();
    executor =
        Executors.newFixedThreadPool(
            THREADS, task -> new Thread(task, "test-" + named.getAndIncrement()));
  }

  @AfterEach
  void endThreads() {
    executor.shutdownNow();
  }

  private List<Future<Integer>> readers(SnapshotReader reader, int rounds, CountDownLatch started) {
    List<Future<Integer>> readers = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      int seed = thread;
      readers.add(
          executor.submit(
              () -> {
                Random random = new Random(seed);
                int reads = 0;
                try {
                  for (; reads < rounds; reads++) {
                    read(reader, random);
                    if (reads == 10) {
                      started.countDown();
                    }
                  }
                } catch (ClosedReaderException e) {
                  assertThat(e).hasMessageEndingWith(" is closed");
                }
                return reads;
              }));
    }
    return readers;
  }

  private void read(SnapshotReader reader, Random random) throws IOException {
    int record = random.nextInt(data.count());
    switch (random.nextInt(20)) {
      case 2, 3, 4 -> requireTrue(reader.get(data.keys().get(record), lent(record)));
      case 5 -> reader.getAll(data.keys(), data::isLent).forEach(ConcurrentReadTest::requireTrue);
      case 0 -> {
        List<byte[]> values = reader.getAll(data.keys().subList(0, record));
        for (int i = 0; i < record; i++) {
          requireEqual(values.get(i), data.values().get(i));
        }
      }
      case 1 -> {
        try (RecordCursor cursor = reader.scan()) {
          for (int i = 0; i < 20 && cursor.next(); i++) {
            requireEqual(reader.get(cursor.key()), cursor.value());
          }
        }
      }
      default -> requireEqual(reader.get(data.keys().get(record)), data.values().get(record));
    }
  }

  private ValueReader<Boolean> lent(int record) {
    return (key, bytes, offset, length) -> data.isLent(record, bytes, offset, length);
  }

  private static void requireTrue(Boolean isLent) {
    if (!isLent) {
      throw new AssertionError("another value is lent than was written");
    }
  }

  private static void requireEqual(byte[] actual, byte[] expected) {
    if (!Arrays.equals(actual, expected)) {
      throw new AssertionError("another value than was written");
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void manyThreadsGetRightAnswers(Way way) throws Exception {
    try (SnapshotReader reader = SnapshotReader.open(table, way.options())) {
      for (Future<Integer> done : readers(reader, 150, new CountDownLatch(0))) {
        assertThat(done.get()).isEqualTo(150);
      }
      assertThat(reader.metrics().hits()).isGreaterThanOrEqualTo(THREADS * 150L);
      assertThat(reader.metrics().failures()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void closeWaitsForReadsUnderWayAndLeavesNothing(Way way) throws Exception {
    for (int round = 0; round < 4; round++) {
      CountDownLatch started = new CountDownLatch(THREADS);
      SnapshotReader reader = SnapshotReader.open(table, way.options());
      List<Future<Integer>> readers = readers(reader, Integer.MAX_VALUE, started);
      started.await();
      reader.close();
      for (Future<Integer> done : readers) {
        assertThat(done.get()).isGreaterThan(10);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MAPPED", "DIRECT", "IO_URING"})
  void everyFutureCompletesThoughTheReaderIsClosed(Way way) throws Exception {
    for (int round = 0; round < 4; round++) {
      AsyncSnapshotReader reader = AsyncSnapshotReader.open(table, way.options());
      AtomicBoolean closed = new AtomicBoolean();
      CountDownLatch started = new CountDownLatch(200);
      List<Future<List<CompletableFuture<byte[]>>>> askers = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        askers.add(executor.submit(() -> ask(reader, closed, started)));
      }
      started.await();
      reader.close();
      closed.set(true);
      int answered = 0;
      for (Future<List<CompletableFuture<byte[]>>> asker : askers) {
        List<CompletableFuture<byte[]>> futures = asker.get();
        for (int i = 0; i < futures.size(); i++) {
          answered += isAnswered(futures.get(i), i % data.count()) ? 1 : 0;
        }
      }
      assertThat(answered).isPositive();
    }
  }

  private List<CompletableFuture<byte[]>> ask(
      AsyncSnapshotReader reader, AtomicBoolean closed, CountDownLatch started) {
    List<CompletableFuture<byte[]>> futures = new ArrayList<>();
    try {
      for (int i = 0; !closed.get() && i < 100_000; i++) {
        futures.add(reader.get(data.keys().get(i % data.count())));
        started.countDown();
      }
    } catch (ClosedReaderException end) {
      assertThat(end).hasMessageEndingWith(" is closed");
    }
    return futures;
  }

  private boolean isAnswered(CompletableFuture<byte[]> future, int record) {
    try {
      requireEqual(future.join(), data.values().get(record));
      return true;
    } catch (CompletionException e) {
      assertThat(e).hasCauseInstanceOf(ClosedReaderException.class);
      return false;
    }
  }
}
