package io.bsdb.flink.lookup;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.table.Table;
import io.bsdb.testkit.Await;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class SharedSnapshotsTest {
  @TempDir Path directory;
  @TempDir Path copies;

  private SharedSnapshots.Use use() throws Exception {
    DeclaredTable table = TestLookup.table(directory, TestLookup.STRING);
    ReadSettings settings = TestLookup.settings(Access.MAPPED, Duration.ZERO, copies);
    return SharedSnapshots.use(table, settings, KeyShare.ALL);
  }

  /** Else Flink kills the process in the end. */
  @Test
  @Timeout(120)
  void aTaskThatWaitsForAnotherToCopyATableCanBeCancelled() throws Exception {
    Records.of("a", "a").publish(directory, WriterOptions.defaults());
    use().close();
    FutureTask<SharedSnapshots.Use> copying = new FutureTask<>(this::use);
    FutureTask<SharedSnapshots.Use> waiting = new FutureTask<>(this::use);
    Table.at(copy())
        .storage()
        .exclusively(
            () -> {
              Thread first = new Thread(copying, "copying");
              first.start();
              Await.until(() -> first.getState() == Thread.State.WAITING);
              Thread second = new Thread(waiting, "waiting");
              second.start();
              second.interrupt();
              assertThat(waiting)
                  .failsWithin(Duration.ofSeconds(60))
                  .withThrowableThat()
                  .withCauseInstanceOf(InterruptedIOException.class)
                  .withMessageContaining("while another task was opening the table " + directory);
            });

    copying.get().close();
    assertThat(OpenReaders.count()).isZero();
  }

  private Path copy() throws Exception {
    try (Stream<Path> tables = Files.list(copies)) {
      return tables.toList().get(0);
    }
  }
}
