package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.Progress;
import io.bsdb.benchmarks.Workload;
import io.bsdb.format.row.KeyWriter;
import io.bsdb.format.row.Schema;
import io.bsdb.reader.Access;
import io.bsdb.reader.AsyncSnapshotReader;
import io.bsdb.reader.ReaderOptions;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The lookups of the query, past the page cache and without Flink. */
final class DiskReader {
  private DiskReader() {}

  /**
   * How long all lookups take, without the opening of the table.
   *
   * @param underWay futures at a time
   */
  static long nanos(Path table, long rows, long events, int underWay) throws Exception {
    ReaderOptions options = ReaderOptions.builder().access(Access.IO_URING).build();
    try (AsyncSnapshotReader reader = AsyncSnapshotReader.open(table, options)) {
      Schema schema = Objects.requireNonNull(reader.manifest().schema());
      KeyWriter key = new KeyWriter(schema);
      Semaphore room = new Semaphore(underWay);
      AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
      long start = System.nanoTime();
      int turn = Math.max(1, underWay / 4); // to be woken for each costs more than the read
      for (long i = 0; i < events; i++) {
        if (i % turn == 0) {
          room.acquire((int) Math.min(turn, events - i));
        }
        long keyNumber = Workload.keyNumber(i * LookupJob.STEP % rows);
        var unused =
            reader
                .get(key.reset().writeLong(keyNumber).toBytes())
                .whenComplete(
                    (value, problem) -> {
                      if (problem != null || value == null) {
                        failure.compareAndSet(
                            null, new IllegalStateException("a lookup found nothing", problem));
                      }
                      room.release();
                    });
      }
      room.acquire(underWay);
      long nanos = System.nanoTime() - start;
      Throwable first = failure.get();
      if (first != null) {
        throw new IllegalStateException("a lookup failed", first);
      }
      String access = reader.metrics().effectiveAccess();
      if (!access.startsWith(Access.IO_URING.name())) {
        Progress.step("io_uring is not to be had: %s", access);
      }
      return nanos;
    }
  }
}
