package io.bsdb.compact;

import static io.bsdb.testkit.Utf8.bytes;
import static io.bsdb.testkit.Utf8.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.Contents;
import io.bsdb.reader.NothingLeftOpen;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.io.HugeMemory;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.testkit.Await;
import io.bsdb.testkit.Records;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables that change in every way while they are read. */
@Timeout(300)
@ExtendWith(NothingLeftOpen.class)
class LiveTableTest {
  private static final int KEYS = 500;

  @TempDir private Path directory;
  private Map<String, String> model = new HashMap<>();
  private int builds;

  private static WriterOptions options(Random random) {
    List<Layout> layouts = List.of(Layout.values());
    Layout layout = layouts.get(random.nextInt(layouts.size()));
    return WriterOptions.builder()
        .layout(layout)
        .partitions(1 + random.nextInt(5))
        .minRows(0)
        .build();
  }

  private SnapshotWriter addAll(SnapshotWriter writer) throws IOException {
    for (Map.Entry<String, String> entry : model.entrySet()) {
      writer.add(bytes(entry.getKey()), bytes(entry.getValue()));
    }
    return writer;
  }

  private void build(Random random) throws IOException {
    try (SnapshotWriter writer = addAll(SnapshotWriter.create(directory, options(random)))) {
      writer.publish();
      builds++;
    }
  }

  /** A build of what the table holds when it begins, which keeps what is changed until it ends. */
  private final class Rebuild implements AutoCloseable {
    private final SnapshotWriter writer;
    private final int buildsBefore = builds;

    Rebuild(Random random) throws IOException {
      String version = Table.at(directory).requireCurrentVersion();
      writer = addAll(SnapshotWriter.createAsOf(version, directory, options(random)));
    }

    @Override
    public void close() throws IOException {
      try (writer) {
        if (builds == buildsBefore) {
          try {
            writer.publish();
            builds++;
          } catch (PublishConflictException e) {
            // A merged segment has the number of the last of those it was made of. If that one and
            // then the merged one were folded, neither is kept.
            assertThat(e).hasMessageContaining("changes that were folded are kept only from");
          }
        } else {
          assertThatThrownBy(writer::publish)
              .isInstanceOf(PublishConflictException.class)
              .hasMessageContaining("the table was rebuilt or rolled back");
        }
      }
    }
  }

  private void change(Random random) throws IOException {
    Map<String, String> next = new HashMap<>(model);
    try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
      for (int i = random.nextInt(80); i >= 0; i--) {
        String key = "k" + random.nextInt(KEYS);
        if (random.nextInt(3) == 0) {
          next.remove(key);
          writer.delete(bytes(key));
        } else {
          String value = "v" + random.nextLong();
          next.put(key, value);
          writer.put(bytes(key), bytes(value));
        }
      }
      if (random.nextInt(10) > 0) { // else the changes are dropped
        writer.publish();
        model = next;
      }
    }
  }

  private void assertAnswers(SnapshotReader reader, Map<String, String> expected)
      throws IOException {
    for (int i = 0; i < KEYS; i++) {
      String found = text(reader.get(bytes("k" + i)));
      if (!Objects.equals(found, expected.get("k" + i))) { // thousands of assertions are slow
        assertThat(found).isEqualTo(expected.get("k" + i));
      }
    }
    assertThat(Contents.of(reader)).isEqualTo(expected);
  }

  private record Held(TableReader.Lease lease, Map<String, String> model) {}

  @ParameterizedTest
  @EnumSource(Access.class)
  void answersLikeAMapWhateverHappens(Access access) throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    build(random);
    ReaderOptions options = ReaderOptions.builder().access(access).blockCacheBytes(1 << 20).build();
    Deque<Held> leases = new ArrayDeque<>();
    try (TableReader table =
        TableReader.builder(directory).options(options).refreshEvery(Duration.ZERO).open()) {
      Rebuild rebuild = new Rebuild(random);
      for (int step = 0; step < 40; step++) {
        switch (random.nextInt(15)) {
          case 0 -> {
            if (random.nextInt(3) == 0) {
              build(random);
            }
          }
          case 6, 7 -> {
            rebuild.close();
            rebuild = new Rebuild(random);
          }
          case 1 -> new Compactor(directory).foldFraction(0).run();
          case 2 -> new Compactor(directory).run();
          case 3 -> new Compactor(directory).foldFraction(100).maxSegments(1).run();
          case 4 -> Table.at(directory).prune(1 + random.nextInt(3));
          case 5 -> Table.at(directory).sweep(Duration.ZERO);
          default -> change(random);
        }
        table.refresh();
        Held now = new Held(table.lease(), model);
        assertAnswers(now.lease.reader(), now.model);
        leases.add(now);
        if (leases.size() > 3) {
          Held old = leases.remove();
          assertAnswers(old.lease.reader(), old.model);
          old.lease.close();
        }
      }
      rebuild.close();
    } catch (AssertionError | IOException e) {
      throw new AssertionError("access %s seed %d".formatted(access, seed), e);
    } finally {
      for (Held held : leases) {
        held.lease.close();
      }
    }
  }

  @Test
  void manyDeltasAreFollowedUnderLoad() throws Exception {
    int deltas = 50;
    for (int i = 0; i < KEYS; i++) {
      model.put("k" + i, "0");
    }
    build(new Random(1));
    AtomicBoolean done = new AtomicBoolean();
    AtomicLong lookups = new AtomicLong();
    long before = openCount();
    try (TableReader table =
        TableReader.builder(directory).refreshEvery(Duration.ofMillis(1)).open()) {
      CompletableFuture<Void> reading =
          CompletableFuture.runAsync(
              () -> {
                try {
                  long last = 0;
                  do {
                    long value = Long.parseLong(String.valueOf(text(table.get(bytes("k7")))));
                    assertThat(value).isGreaterThanOrEqualTo(last);
                    last = value;
                    List<byte[]> both = table.getAll(List.of(bytes("k7"), bytes("k8")));
                    assertThat(both.get(0)).isEqualTo(both.get(1));
                    lookups.incrementAndGet();
                  } while (!done.get());
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      for (int i = 1; i <= deltas; i++) {
        Records.of("k7", Integer.toString(i), "k8", Integer.toString(i))
            .change(Table.at(directory));
        if (i % 25 == 0) {
          new Compactor(directory).maxSegments(8).run();
          Table.at(directory).prune(3);
        }
      }
      table.refresh();
      assertThat(text(table.get(bytes("k7")))).isEqualTo(Integer.toString(deltas));
      done.set(true);
      reading.get();
      assertThat(lookups).hasPositiveValue();
      assertThat(table.failedRefreshes()).isZero();
      // The refresh thread may still be about to close the version before.
      Await.until(() -> openCount() - before == openForTheLastVersion(deltas));
    }
  }

  private static long openCount() {
    return FileMemory.openCount() + HugeMemory.openCount();
  }

  /** Returns what a reader has open that has followed nothing. */
  private long openForTheLastVersion(int deltas) throws IOException {
    long before = openCount();
    try (SnapshotReader again = SnapshotReader.open(directory)) {
      assertThat(text(again.get(bytes("k7")))).isEqualTo(Integer.toString(deltas));
      return openCount() - before;
    }
  }
}
