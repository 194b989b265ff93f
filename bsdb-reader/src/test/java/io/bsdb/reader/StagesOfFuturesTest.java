package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What stages of futures may do in the thread that completes these. */
@ExtendWith(NothingLeftOpen.class)
class StagesOfFuturesTest {
  private static final ReaderOptions OPTIONS =
      ReaderOptions.builder().access(Access.IO_URING).queueDepth(1).build();
  private static final List<byte[]> KEYS =
      List.of(NumberedVersions.key(1), NumberedVersions.key(2));

  @TempDir private Path table;
  private NumberedVersions versions;

  @BeforeEach
  void publish() throws IOException {
    versions = new NumberedVersions(table);
    versions.publishNext();
  }

  /** Something done to the other reader. */
  private interface Use {
    Object of(SnapshotReader reader) throws IOException;
  }

  /** Uses each reader in the thread of the other, both at once. */
  private static List<Object> useEachOther(SnapshotReader one, SnapshotReader other, Use use)
      throws Exception {
    CompletableFuture<Void> attached = new CompletableFuture<>();
    CyclicBarrier both = new CyclicBarrier(2);
    Function<SnapshotReader, Function<Boolean, Object>> using =
        reader ->
            found -> {
              try {
                both.await();
                return use.of(reader);
              } catch (Exception e) {
                throw new CompletionException(e);
              }
            };
    CompletableFuture<Object> first = find(one, attached).thenApply(using.apply(other));
    CompletableFuture<Object> second = find(other, attached).thenApply(using.apply(one));
    attached.complete(null);
    return List.of(first.get(60, TimeUnit.SECONDS), second.get(60, TimeUnit.SECONDS));
  }

  /** Completes in a thread of the reader, not before {@code attached}. */
  private static CompletableFuture<Boolean> find(
      SnapshotReader reader, CompletableFuture<Void> attached) {
    return reader
        .async()
        .get(
            KEYS.get(0),
            (key, bytes, offset, length) -> {
              attached.join();
              return true;
            });
  }

  @Test
  void thoseOfTwoReadersMayLookUpABatchInTheOther() throws Exception {
    SnapshotReader one = SnapshotReader.open(table, OPTIONS);
    SnapshotReader other = SnapshotReader.open(table, OPTIONS);
    for (Object found : useEachOther(one, other, reader -> reader.getAll(KEYS))) {
      assertThat((List<?>) found).hasSize(2).doesNotContainNull();
    }
    one.close(); // not if one waits for the other for ever
    other.close();
  }

  @Test
  void thoseOfTwoReadersMayCloseTheOther() throws Exception {
    SnapshotReader one = SnapshotReader.open(table, OPTIONS);
    SnapshotReader other = SnapshotReader.open(table, OPTIONS);
    List<Object> closed =
        useEachOther(
            one,
            other,
            reader -> {
              reader.close();
              return reader;
            });
    assertThat(closed).containsExactly(other, one);
    assertThatThrownBy(() -> one.get(KEYS.get(0))).isInstanceOf(ClosedReaderException.class);
  }

  /** Something done to a table. */
  private interface Change {
    void of(TableReader live) throws IOException;
  }

  private static CompletableFuture<Void> begin(TableReader live, Change change) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            change.of(live);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        task -> new Thread(task, "test").start());
  }

  /** Has a stage change a table while another thread waits for the end of that stage. */
  private void assertMayChange(TableReader live, Change change, Change stage) throws Exception {
    CountDownLatch reached = new CountDownLatch(1);
    CompletableFuture<Void> gate = new CompletableFuture<>();
    CompletableFuture<Void> changed;
    try (TableReader.Lease lease = live.lease()) { // let go too early
      AsyncSnapshotReader futures = lease.reader().async();
      changed =
          futures
              .get(
                  KEYS.get(0),
                  (key, bytes, offset, length) -> {
                    reached.countDown();
                    return gate.join();
                  })
              .thenRun(
                  () -> {
                    try {
                      stage.of(live);
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                  });
      reached.await();
    }
    SnapshotReader reader = Objects.requireNonNull(live.unleased());
    CompletableFuture<Void> other = begin(live, change);
    while (!isClosed(reader) && !other.isDone()) {
      Thread.onSpinWait();
    }
    gate.complete(null);
    changed.get(60, TimeUnit.SECONDS);
    other.get(60, TimeUnit.SECONDS);
  }

  private static boolean isClosed(SnapshotReader reader) throws IOException {
    try {
      return reader.get(KEYS.get(1)) == null;
    } catch (ClosedReaderException e) {
      return true;
    }
  }

  private TableReader follow() throws IOException {
    return TableReader.builder(table).options(OPTIONS).refreshEvery(Duration.ZERO).open();
  }

  @Test
  void oneMayCloseTheTableThatIsBeingClosed() throws Exception {
    assertMayChange(follow(), TableReader::close, TableReader::close);
  }

  @Test
  void oneMayRefreshTheTableThatClosesItsVersion() throws Exception {
    TableReader live = follow();
    versions.publishNext();
    assertMayChange(live, TableReader::refresh, TableReader::refresh);
    live.close(); // not if one waits for the other for ever
  }

  @Test
  void oneMayCloseTheTableThatClosesItsVersion() throws Exception {
    TableReader live = follow();
    versions.publishNext();
    assertMayChange(live, TableReader::refresh, TableReader::close);
  }
}
