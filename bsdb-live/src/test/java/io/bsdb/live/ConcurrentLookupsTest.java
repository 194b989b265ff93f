package io.bsdb.live;

import static io.bsdb.testkit.Utf8.bytes;
import static io.bsdb.testkit.Utf8.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.KeyLookup;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Looks up while changes move from the log into a version and from there into partitions. */
@Tag("optimized")
class ConcurrentLookupsTest {
  private static final String SOURCE = "source";
  private static final int KEYS = 20;
  private static final int CHANGES = 400;

  /** Changes between two publications. */
  private static final int PUBLISHED = 20;

  @TempDir Path directory;

  private interface Lookup {
    @Nullable String of(WritableTable table, String key) throws IOException;
  }

  private static @Nullable String intoABuffer(WritableTable table, String key) throws IOException {
    byte[] value = new byte[10];
    int length = table.get(bytes(key), ByteBuffer.wrap(value));
    return length == KeyLookup.NOT_FOUND ? null : new String(value, 0, length, UTF_8);
  }

  /** Looks up counters over and over; returns how often. */
  private static long follow(WritableTable table, Lookup lookup, AtomicBoolean done)
      throws IOException {
    long[] last = new long[KEYS];
    long count = 0;
    do {
      int key = (int) (count++ % KEYS);
      String value = lookup.of(table, "counter" + key);
      long seen = value == null ? 0 : Long.parseLong(value);
      assertThat(seen).isGreaterThanOrEqualTo(last[key]);
      last[key] = seen;
    } while (!done.get());
    return count;
  }

  @Test
  void neverFindAnOlderValueOrPosition() throws Exception {
    List<Lookup> lookups =
        List.of(
            (table, key) -> text(table.get(bytes(key))),
            ConcurrentLookupsTest::intoABuffer,
            (table, key) -> text(table.getAll(List.of(bytes(key))).get(0)),
            (table, key) -> table.sourcePositions().get(SOURCE));
    Records.of("key", "value").publish(directory, WriterOptions.builder().partitions(1).build());
    ExecutorService pool = Executors.newFixedThreadPool(lookups.size());
    AtomicBoolean done = new AtomicBoolean();
    try (WritableTable table =
        WritableTable.open(directory, WritableOptions.defaults().withDurability(Durability.OS))) {
      List<Future<Long>> followers =
          lookups.stream().map(each -> pool.submit(() -> follow(table, each, done))).toList();
      for (int i = 1; i <= CHANGES; i++) {
        byte[] value = bytes(Integer.toString(i));
        table.write(
            new WriteBatch()
                .put(bytes("counter" + i % KEYS), value)
                .position(SOURCE, Integer.toString(i)));
        if (i % (CHANGES / 10) == 0) {
          table.compact();
        } else if (i % PUBLISHED == 0) {
          table.publish();
        }
      }
      done.set(true);
      for (Future<Long> follower : followers) {
        assertThat(follower.get()).isPositive();
      }
      assertThat(table.stats().upkeep().folds()).isPositive();
    } finally {
      done.set(true);
      pool.shutdown();
    }
  }
}
