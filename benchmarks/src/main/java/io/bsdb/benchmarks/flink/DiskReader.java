package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.Progress;
import io.bsdb.benchmarks.UnderWay;
import io.bsdb.benchmarks.Workload;
import io.bsdb.format.row.KeyWriter;
import io.bsdb.format.row.RowLayout;
import io.bsdb.format.row.RowView;
import io.bsdb.format.row.Schema;
import io.bsdb.reader.Access;
import io.bsdb.reader.AsyncSnapshotReader;
import io.bsdb.reader.ReaderOptions;
import java.nio.file.Path;
import java.util.Objects;
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
      RowLayout layout = RowLayout.ofValues(schema);
      KeyWriter key = new KeyWriter(schema);
      UnderWay lookups = new UnderWay(underWay);
      long start = System.nanoTime();
      for (long i = 0; i < events; i++) {
        lookups.begin();
        long keyNumber = Workload.keyNumber(i * LookupJob.STEP % rows);
        lookups.endWith(
            reader.get(key.reset().writeLong(keyNumber).toBytes()),
            value -> check(layout, keyNumber, value));
      }
      lookups.await();
      long nanos = System.nanoTime() - start;
      String access = reader.metrics().effectiveAccess();
      if (!access.startsWith(Access.IO_URING.name())) {
        Progress.step("io_uring is not to be had: %s", access);
      }
      return nanos;
    }
  }

  private static void check(RowLayout layout, long key, byte @Nullable [] value) {
    if (value == null
        || new RowView(layout).wrap(value).longAt(0) != key * WorkloadFunctions.FACTOR) {
      throw new IllegalStateException("wrong answer for key " + key);
    }
  }
}
