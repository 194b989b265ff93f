package io.bsdb.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.testkit.ChildProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class TemporaryDirectoryTest {
  private static final Duration DAY = Duration.ofDays(1);

  @TempDir Path parent;

  private List<String> names() throws IOException {
    try (Stream<Path> entries = Files.list(parent)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    }
  }

  private void writeAndClose(Duration retention) throws IOException {
    try (TemporaryDirectory directory = TemporaryDirectory.create(parent, "next", retention)) {
      Files.createDirectories(directory.path().resolve("spill"));
      Files.writeString(directory.path().resolve("spill").resolve("file"), "x");
    }
  }

  /** Makes all below the parent directory look as if nothing had changed for two days. */
  private void age() throws IOException {
    FileTime time = FileTime.from(Instant.now().minus(DAY.multipliedBy(2)));
    try (Stream<Path> entries = Files.walk(parent)) {
      for (Path entry : entries.toList()) {
        Files.setLastModifiedTime(entry, time);
      }
    }
  }

  @Test
  void leavesNothingWhenClosed() throws Exception {
    writeAndClose(DAY);
    assertThat(parent).isEmptyDirectory();
  }

  @Test
  void leavesNothingWhenInterrupted() {
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> TemporaryDirectory.create(parent, "next", DAY))
          .isInstanceOf(IOException.class);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(parent).isEmptyDirectory();
  }

  @Test
  void whatAKilledProcessLeftIsDeletedAfterTheRetention() throws Exception {
    Process other = holder();
    try (BufferedReader lines = other.inputReader()) {
      assertThat(lines.readLine()).isEqualTo("created");
      List<String> held = names();
      assertThat(held).hasSize(1);

      age();
      writeAndClose(DAY);
      assertThat(names()).as("while the other process lives").isEqualTo(held);

      other.destroyForcibly().waitFor();
      writeAndClose(Duration.ofDays(3));
      assertThat(names()).as("before the retention has passed").isEqualTo(held);

      writeAndClose(DAY);
      assertThat(parent).isEmptyDirectory();
    } finally {
      other.destroyForcibly();
    }
  }

  @Test
  void otherWritersOfThisProcessAreLeftAlone() throws Exception {
    try (TemporaryDirectory living = TemporaryDirectory.create(parent, "living", DAY)) {
      age();
      writeAndClose(Duration.ZERO);
      assertThat(living.path()).isDirectory();
    }
    assertThat(parent).isEmptyDirectory();
  }

  @Test
  void whatSomebodyElsePutThereIsLeftAlone() throws Exception {
    Files.createDirectories(parent.resolve("flink-io-1"));
    Files.createDirectories(parent.resolve("bsdb-build-1-2-killed-before-it-had-a-lock-file"));
    age();
    writeAndClose(DAY);
    assertThat(names()).containsExactly("flink-io-1");
  }

  @Test
  void aDirectoryThatCannotBeMadeIsNamedWithTheOption() throws Exception {
    Path file = Files.writeString(parent.resolve("file"), "");
    assertThatThrownBy(() -> TemporaryDirectory.create(file, "x", DAY))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("temporary directory cannot be created: directory=" + file)
        .hasMessageEndingWith(
            "free space there, or set 'io.tmp.dirs' of the task managers to directories with space");
  }

  private Process holder() throws IOException {
    return ChildProcess.start(Holder.class, parent.toString());
  }

  /** Has a directory until it is killed, or its input ends. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] arguments) throws IOException {
      try (TemporaryDirectory directory =
          TemporaryDirectory.create(Path.of(arguments[0]), "other", DAY)) {
        Files.writeString(directory.path().resolve("file"), "x");
        System.out.println("created");
        if (System.in.read() != -1) {
          throw new IllegalStateException();
        }
      }
    }
  }
}
