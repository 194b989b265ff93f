package io.bsdb.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.live.WritableTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LogCommandTest {
  @TempDir private Path temporary;
  private Path directory;

  /** Makes a copy of a table that is being written: a close would publish what the log has. */
  @BeforeEach
  void write() throws IOException {
    Path origin = temporary.resolve("origin");
    directory = temporary.resolve("table");
    try (WritableTable table = WritableTable.open(origin)) {
      table.put("a".getBytes(UTF_8), "1".getBytes(UTF_8));
      table.put("b".getBytes(UTF_8), "2".getBytes(UTF_8));
      table.delete("a".getBytes(UTF_8));
      Files.createDirectories(directory.resolve("log"));
      for (String name : new String[] {"OWNER", "0000000001.log"}) {
        Files.copy(origin.resolve("log").resolve(name), directory.resolve("log").resolve(name));
      }
    }
  }

  @Test
  void showsWhatTheFilesHold() {
    CommandRun run = CommandRun.of("log", "inspect", "-t", directory.toString());
    assertThat(run.status()).isZero();
    assertThat(run.out().lines().findFirst().orElse(""))
        .contains("0000000001.log number=1 ")
        .contains("counts=true continues=0/0")
        .containsPattern("frames=[45] puts=2 deletes=1"); // one more after a second
    assertThat(CommandRun.of("log", "inspect", "-t", directory.toString(), "--json").out())
        .startsWith("[{")
        .contains("\"puts\":2");
    assertThat(CommandRun.of("log", "verify", "-t", directory.toString()).err())
        .containsPattern("the log is sound: files=1 frames=[45] puts=2 deletes=1");
  }

  @Test
  void namesFileAndOffsetOfDamage() throws IOException {
    Path file = directory.resolve("log/0000000001.log");
    byte[] bytes = Files.readAllBytes(file);
    bytes[170] ^= 1;
    Files.write(file, bytes);
    for (String action : new String[] {"inspect", "verify"}) {
      CommandRun run = CommandRun.of("log", action, "-t", directory.toString());
      assertThat(run.status()).isEqualTo(3);
      assertThat(run.err()).contains("acknowledged changes are damaged").contains("0000000001.log");
    }
  }

  @Test
  void refusesWhatIsNoWritableTable() throws IOException {
    Path empty = Files.createDirectory(directory.resolve("empty"));
    CommandRun run = CommandRun.of("log", "verify", "-t", empty.toString());
    assertThat(run.status()).isNotZero();
    assertThat(run.err()).contains("not a writable table");
    assertThat(CommandRun.of("log", "repair", "-t", empty.toString()).status()).isEqualTo(2);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void doesNotWaitForAPipe() throws Exception {
    Path owner = directory.resolve("log/OWNER");
    Files.delete(owner);
    assertThat(new ProcessBuilder("mkfifo", owner.toString()).start().waitFor()).isZero();
    CommandRun run = CommandRun.of("log", "inspect", "-t", directory.toString());
    assertThat(run.status()).isEqualTo(3);
    assertThat(run.err()).contains("not a regular file: file=" + owner);
  }
}
