package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.testkit.Await;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A command that waits for a table that another process has locked. */
@Timeout(120)
class LockedTableTest {
  @TempDir Path directory;

  @Test
  void saysOnceThatItWaits() throws Exception {
    Path table = directory.resolve("table");
    Records.of("a", "1").publish(table, WriterOptions.builder().partitions(1).build());
    Path file = table.resolve("LOCK");
    Path messages = directory.resolve("messages");
    Process waiting;
    try (FileChannel locked = FileChannel.open(file, StandardOpenOption.WRITE)) {
      locked.lock();
      waiting = ChildCommand.start(messages, "prune", "-t", table, "--keep", 1);
      Await.until(() -> Files.readString(messages).contains("lslocks"));
      assertThat(waiting.isAlive()).isTrue();
    }
    assertThat(waiting.waitFor()).isZero();
    assertThat(Files.readString(messages))
        .containsOnlyOnce(
            "waiting for the lock of a table, which another process has: file=" + file);
  }
}
