package io.bsdb.http.table;

import io.bsdb.http.exchange.Problem;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.table.manifest.RecordOrder;
import java.io.IOException;

/** Some records of a version. */
public final class Sample {
  private Sample() {}

  /** Takes one record after the other, so that only one is in memory. */
  public interface Taker {
    /** Takes a record; returns whether further ones are wanted. */
    boolean take(byte[] key, byte[] value) throws IOException;
  }

  /**
   * Returns how records were chosen: in the order of a hash, the first ones are as good as drawn.
   */
  public static String choice(VersionRows rows) {
    return rows.manifest().order() == RecordOrder.KEY
        ? "the first of partitions"
        : "drawn by their hash";
  }

  /**
   * Reads the first records of partitions spread over the version.
   *
   * @param count how many at most
   * @param requireTime called before each row
   * @throws Problem if the version stores no keys
   */
  public static void read(Held held, int count, Runnable requireTime, Taker taker)
      throws IOException {
    SnapshotReader reader = held.reader().allVersions();
    int partitions = reader.partitionCount();
    int each = Math.max(10, (count + partitions - 1) / partitions);
    int step = Math.max(1, (int) ((long) partitions * each / count));
    int taken = 0;
    for (int first = 0; first < step && taken < count; first++) {
      for (int i = first; i < partitions && taken < count; i += step) {
        int end = Math.min(count, taken + each);
        try (RecordCursor cursor = reader.scan(i)) {
          for (; taken < end && held.rows().next(cursor, requireTime); taken++) {
            if (!taker.take(cursor.key(), cursor.value())) {
              return;
            }
          }
        } catch (UnsupportedOperationException e) {
          throw new Problem(Problem.Kind.NO_KEYS, "the table is approximate: it stores no keys");
        }
      }
    }
  }
}
