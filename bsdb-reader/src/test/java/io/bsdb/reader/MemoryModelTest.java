package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.io.HugeMemory;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.memory.MemoryBudgetExceededException;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.options.WriterOptions;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Readers within one budget that are used in every way, beside what they have to answer. */
@ExtendWith(NothingLeftOpen.class)
class MemoryModelTest {
  private static final List<Access> ACCESSES = List.of(Access.values());
  private static final int STEPS = 120;
  private static final long LIMIT = 400_000;

  @TempDir Path directory;

  private final MemoryBudget memory = MemoryBudget.of(LIMIT, Duration.ZERO);
  private final Map<String, Integer> counts = new ConcurrentSkipListMap<>();

  /** A table, the records of each of its versions, and who reads it. */
  private final class Followed {
    final Path path;
    final RecordOrder order;
    final Map<String, TestData> versions = new TreeMap<>();
    TableReader reader;

    Followed(Path path, RecordOrder order) {
      this.path = path;
      this.order = order;
    }

    void publish(Random random) throws Exception {
      TestData data =
          TestData.random(
              random.nextInt(), 100 + random.nextInt(60_000), Lengths.FIXED, Lengths.FIXED, 6);
      WriterOptions options =
          WriterOptions.builder().order(order).partitions(1 + random.nextInt(3)).build();
      versions.put(data.publish(path, options).version(), data);
    }

    /** Replaces the values of some records of the newest version. */
    void change(Random random) throws Exception {
      if (versions.isEmpty()) {
        return;
      }
      TestData before = versions.get(Table.at(path).requireCurrentVersion());
      TestData after = TestData.empty();
      try (DeltaWriter writer = DeltaWriter.create(Table.at(path))) {
        for (int i = 0; i < before.count(); i++) {
          byte[] value = before.values().get(i);
          if (i == 0 || random.nextInt(20) == 0) {
            value = ByteBuffer.allocate(6).putInt(random.nextInt()).array();
            writer.put(before.keys().get(i), value);
          }
          after.add(before.keys().get(i), value);
        }
        versions.put(writer.publish().version(), after);
      }
    }

    void open(Random random) throws Exception {
      if (reader == null && !versions.isEmpty()) {
        Access access = ACCESSES.get(random.nextInt(ACCESSES.size()));
        ReaderOptions options =
            ReaderOptions.builder()
                .access(access)
                .memory(memory)
                .blockCacheBytes(access.readsFromDisk() ? random.nextInt(2) * 200_000L : 0)
                .build();
        reader = TableReader.builder(path).options(options).refreshEvery(Duration.ZERO).open();
      }
    }

    void refresh() throws Exception {
      if (reader != null) {
        reader.refresh();
      }
    }

    void close() throws Exception {
      if (reader != null) {
        reader.close();
        reader = null;
      }
    }

    TableReader.Lease lease() throws Exception {
      return reader == null ? null : reader.lease();
    }
  }

  private record Held(TableReader.Lease lease, TestData data) {
    void check(Random random) throws Exception {
      SnapshotReader reader = lease.reader();
      List<byte[]> keys = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        int number = random.nextInt(data.count());
        assertThat(reader.get(data.keys().get(number))).isEqualTo(data.values().get(number));
        keys.add(data.keys().get(number));
        assertThat(reader.get(absent(random))).isNull();
        keys.add(absent(random));
      }
      List<byte[]> values = reader.getAll(keys);
      assertThat(values).filteredOn(value -> value != null).hasSize(20);
    }
  }

  private static byte[] absent(Random random) {
    return ByteBuffer.allocate(9).putLong(random.nextLong()).array();
  }

  private void adjust() {
    memory.elastic().adjust(Duration.ofSeconds(10));
  }

  @Test
  void neverExceedsTheBudgetAndAnswersRight() throws Exception {
    long seed = Long.getLong("campaign.seed", System.nanoTime());
    System.out.println("seed of the memory model: " + seed);
    long open = HugeMemory.openCount();
    AtomicBoolean ended = new AtomicBoolean();
    ExecutorService pool = Executors.newCachedThreadPool(r -> new Thread(r, "memory model"));
    Future<?> adjusting =
        pool.submit(
            () -> {
              while (!ended.get()) {
                adjust();
                assertThat(memory.usedBytes()).isLessThanOrEqualTo(LIMIT);
              }
            });
    try {
      List<Callable<@Nullable Void>> using =
          List.of(() -> use(0, new Random(seed)), () -> use(1, new Random(seed + 1)));
      for (Future<?> each : pool.invokeAll(using)) {
        each.get();
      }
    } finally {
      ended.set(true);
      adjusting.get();
      pool.shutdown();
    }
    System.out.println("memory model: " + counts);
    adjust(); // frees what was retired while lookups went on
    assertThat(memory.usedBytes()).isZero();
    assertThat(HugeMemory.openCount()).isEqualTo(open);
  }

  /** Uses two tables in every way, while others use other tables within the same budget. */
  private @Nullable Void use(int thread, Random random) throws Exception {
    List<Followed> tables = new ArrayList<>();
    for (RecordOrder order : RecordOrder.values()) {
      tables.add(new Followed(directory.resolve(order + "-" + thread), order));
    }
    List<Held> leases = new ArrayList<>();
    try {
      for (int step = 0; step < STEPS / 2; step++) {
        Followed table = tables.get(random.nextInt(tables.size()));
        try {
          step(random, table, leases);
        } catch (MemoryBudgetExceededException e) {
          counts.merge("refused", 1, Integer::sum);
        }
        assertThat(memory.usedBytes()).isLessThanOrEqualTo(LIMIT);
        for (Held held : leases) {
          held.check(random);
        }
      }
    } finally {
      for (Held held : leases) {
        held.lease.close();
      }
      for (Followed table : tables) {
        table.close();
      }
    }
    return null;
  }

  private void step(Random random, Followed table, List<Held> leases) throws Exception {
    int what = random.nextInt(16);
    if (what < 3) {
      table.publish(random);
      counts.merge("published", 1, Integer::sum);
    } else if (what < 5) {
      table.change(random);
      counts.merge("changed", 1, Integer::sum);
    } else if (what < 8) {
      table.open(random);
    } else if (what < 11) {
      table.refresh();
    } else if (what < 13) {
      TableReader.Lease lease = table.lease();
      if (lease != null) {
        leases.add(new Held(lease, table.versions.get(lease.reader().manifest().version())));
        counts.merge("held", 1, Integer::sum);
      }
    } else if (what < 15 && !leases.isEmpty()) {
      leases.remove(random.nextInt(leases.size())).lease.close();
    } else if (leases.isEmpty()) {
      table.close();
      counts.merge("closed", 1, Integer::sum);
    }
  }

  @ParameterizedTest
  @EnumSource(RecordOrder.class)
  void answersStayRightWhileBitsChange(RecordOrder order) throws Exception {
    TestData data = TestData.random(5, 60_000, Lengths.FIXED, Lengths.FIXED, 6);
    data.publish(directory, WriterOptions.builder().order(order).partitions(2).build());
    long open = HugeMemory.openCount();
    for (Access access : List.of(Access.DIRECT, Access.IO_URING)) {
      ReaderOptions options = ReaderOptions.builder().access(access).memory(memory).build();
      ExecutorService pool = Executors.newFixedThreadPool(3, r -> new Thread(r, "looks up"));
      try (TableReader table =
          TableReader.builder(directory).options(options).refreshEvery(Duration.ZERO).open()) {
        List<Future<?>> all = new ArrayList<>();
        for (int thread = 0; thread < 3; thread++) {
          int first = thread;
          all.add(
              pool.submit(
                  () -> {
                    Random random = new Random(first);
                    for (int i = 0; i < 40; i++) {
                      try (TableReader.Lease lease = table.lease()) {
                        new Held(lease, data).check(random);
                        int number = random.nextInt(data.count());
                        assertThat(lease.reader().async().get(data.keys().get(number)).join())
                            .isEqualTo(data.values().get(number));
                      }
                      assertThat(table.get(absent(random))).isNull();
                    }
                    return null;
                  }));
        }
        while (!all.stream().allMatch(Future::isDone)) {
          long room = LIMIT - memory.indexBytes();
          for (int eighth = 8; eighth >= 3; eighth--) {
            try (MemoryBudget.Claim claim = memory.claim(room * eighth / 8, "test", "none")) {
              adjust();
            }
          }
          adjust();
        }
        for (Future<?> each : all) {
          each.get();
        }
        assertThat(memory.signatureBytesLoaded()).isGreaterThan(10L * data.count());
      } finally {
        pool.shutdown();
      }
      adjust();
      assertThat(memory.usedBytes()).isZero();
    }
    assertThat(HugeMemory.openCount()).isEqualTo(open);
  }
}
