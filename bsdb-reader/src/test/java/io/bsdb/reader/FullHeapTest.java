package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.testkit.ChildProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lookups by futures that fail while another thread has taken all of the heap. */
@Timeout(120)
class FullHeapTest {
  @TempDir Path table;

  @ParameterizedTest
  @CsvSource({"DIRECT, 0", "DIRECT, 1048576", "IO_URING, 0", "IO_URING, 1048576"})
  void failWhenThereIsMemoryAgain(Access access, long cacheBytes) throws Exception {
    ChildProcess.Result result =
        ChildProcess.run(
            ChildProcess.of(
                List.of(),
                List.of("-Xmx20m"),
                FailsLate.class,
                table.toString(),
                access.name(),
                Long.toString(cacheBytes)));
    assertThat(result.lines()).contains("failed: true", "looked up again: true", "closed");
  }

  static final class FailsLate {
    private static final CountDownLatch FILLED = new CountDownLatch(1);
    private static final CountDownLatch FREED = new CountDownLatch(1);

    private static volatile @Nullable Link heap;

    private FailsLate() {}

    public static void main(String[] arguments) throws Exception {
      FaultyTable table = new FaultyTable(Path.of(arguments[0]));
      table.readACopy();
      ReaderOptions options =
          ReaderOptions.builder()
              .access(Access.valueOf(arguments[1]))
              .blockCacheBytes(Long.parseLong(arguments[2]))
              .build();
      Thread freeing = new Thread(FailsLate::free, "test-free");
      freeing.start();
      try (SnapshotReader reader = table.open(options)) {
        AsyncSnapshotReader futures = reader.async();
        table.failure(futures.get(table.key(0)), 0);
        table.shortenTo(1); // what a ring cannot read is read in the plain way, from the copy
        OutOfMemoryError noMemory = new OutOfMemoryError();
        Thread caller = Thread.currentThread();
        table.fault =
            (position, length) -> {
              while (caller.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
              }
              fill();
              FILLED.countDown();
              throw noMemory;
            };
        CompletableFuture<byte[]> future = futures.get(table.key(1999));
        FREED.await(); // what takes memory, which may be none until then
        boolean failed = false;
        try {
          future.get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
          failed = e.getCause() instanceof OutOfMemoryError;
        }
        System.out.println("failed: " + failed);
        table.fault = (position, length) -> length;
        System.out.println(
            "looked up again: " + (table.failure(futures.get(table.key(1999)), 1999) == null));
      }
      System.out.println("closed");
    }

    /** Takes all memory, to the last object of the smallest size. */
    private static void fill() {
      try {
        while (true) {
          heap = new Link(heap);
        }
      } catch (OutOfMemoryError full) {
        // as it is to be
      }
    }

    private record Link(@Nullable Link next) {}

    private static void free() {
      try {
        FILLED.await();
        TimeUnit.MILLISECONDS.sleep(700);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      heap = null;
      FREED.countDown();
    }
  }
}
