package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.AccessContractTest.Way;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files that are deleted while they are open are read on, whatever happens to threads. */
@ExtendWith(NothingLeftOpen.class)
@Timeout(120)
class DeletedFilesTest {
  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(Way.class)
  void areReadOnAfterThreadsWereInterrupted(Way way) throws Exception {
    FaultyTable table = new FaultyTable(directory);
    try (SnapshotReader reader = table.open(way.options())) {
      Files.delete(table.file());
      List<CompletableFuture<Throwable>> outcomes = new ArrayList<>();
      for (int number = 0; number < 4; number++) {
        int first = number;
        CompletableFuture<Throwable> outcome = new CompletableFuture<>();
        outcomes.add(outcome);
        new Thread(() -> outcome.complete(readAll(table, reader, first)), "test-" + number).start();
      }
      for (CompletableFuture<Throwable> outcome : outcomes) {
        assertThat(outcome.join()).isNull();
      }
      for (int i = 0; i < table.data.count(); i++) {
        assertThat(table.failure(reader, i)).isNull();
      }
    }
  }

  /** Two of the threads are interrupted in each of their reads. */
  private static Throwable readAll(FaultyTable table, SnapshotReader reader, int first) {
    try {
      for (int i = first; i < table.data.count(); i += 4) {
        if (first < 2) {
          Thread.currentThread().interrupt();
        }
        Throwable failure = table.failure(reader, i);
        assertThat(failure).isNull();
        assertThat(Thread.interrupted()).isEqualTo(first < 2);
      }
      return null;
    } catch (Throwable e) {
      return e;
    }
  }
}
