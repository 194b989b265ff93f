package io.bsdb.flink.storage;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.table.Build;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.writer.SnapshotPublisher;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSystemStorageTest extends StorageContract {
  @TempDir Path directory;

  @BeforeEach
  void open() {
    storage = new FileSystemStorage(NoRenameFileSystem.path(directory));
  }

  @Test
  void replacesWithoutRename() throws Exception {
    storage.replace("CURRENT", bytes("a longer text"));
    storage.replace("CURRENT", bytes("b"));

    assertThat(storage.read("CURRENT", 100)).asString().isEqualTo("b");
  }

  /** As when a process dies, or the disk is full, when the old content is gone already. */
  @Test
  void aReplacementThatFailsHalfWayLeavesTheNewContent() throws Exception {
    storage.replace("CURRENT", bytes("old"));
    NoRenameFileSystem.writing(
        name -> {
          if (name.equals("CURRENT")) {
            throw new IOException("amid the replacement");
          }
        });
    try {
      assertThatThrownBy(() -> storage.replace("CURRENT", bytes("new")))
          .hasStackTraceContaining("amid the replacement");
    } finally {
      NoRenameFileSystem.writing(name -> {});
    }
    assertThat(Files.size(directory.resolve("CURRENT"))).isZero();

    assertThat(storage.read("CURRENT", 100)).asString().isEqualTo("new");
    failAtEachFileThatIsWritten();
    assertThat(storage.read("CURRENT", 100)).asString().isEqualTo("new");
    storage.replace("CURRENT", bytes("newer"));
    assertThat(storage.read("CURRENT", 100)).asString().isEqualTo("newer");
    assertThat(storage.list("")).containsExactly("CURRENT");
  }

  /** As when the disk is still full. */
  private void failAtEachFileThatIsWritten() {
    NoRenameFileSystem.writing(
        name -> {
          throw new IOException("no space left: " + name);
        });
    try {
      assertThatThrownBy(() -> storage.replace("CURRENT", bytes("newer")))
          .hasStackTraceContaining("no space left");
    } finally {
      NoRenameFileSystem.writing(name -> {});
    }
  }

  /** A reader that has found the file empty may be slow, and the writer already write again. */
  @Test
  void whatIsBesideAFileThatWasCompletedMeanwhileIsNotRead() throws Exception {
    Path current = Files.createFile(directory.resolve("CURRENT"));
    Path next = directory.resolve("CURRENT.next");
    for (String later : List.of("", "3")) {
      Files.writeString(current, "");
      NoRenameFileSystem.opening(
          name -> {
            if (name.equals("CURRENT.next")) {
              Files.writeString(current, "2");
              Files.writeString(next, later);
            }
          });
      try {
        assertThat(storage.read("CURRENT", 100)).asString().isEqualTo("2");
      } finally {
        NoRenameFileSystem.opening(name -> {});
      }
    }
  }

  @Test
  void anEmptyFileIsReadAsSuch() throws Exception {
    Files.createFile(directory.resolve("CURRENT"));

    assertThat(storage.read("CURRENT", 100)).isEmpty();
  }

  /** As when a task is cancelled: what has begun ends, and nothing begins. */
  @Test
  void anInterruptLeavesNoHalfOfAFile() throws Exception {
    storage.replace("CURRENT", bytes("old"));
    Thread publisher = Thread.currentThread();
    NoRenameFileSystem.writing(
        name -> {
          publisher.interrupt();
          if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("interrupted while writing");
          }
        });
    try {
      storage.replace("CURRENT", bytes("new"));
    } finally {
      NoRenameFileSystem.writing(name -> {});
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(storage.read("CURRENT", 100)).asString().isEqualTo("new");

    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> storage.replace("CURRENT", bytes("never")))
        .isInstanceOf(InterruptedIOException.class)
        .hasMessageContaining("interrupted before a file was replaced: file=");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(storage.read("CURRENT", 100)).asString().isEqualTo("new");
  }

  @Test
  void aDirectoryIsAsOldAsTheNewestFileInIt() throws Exception {
    String dead = "staging/" + new UUID(0, 1);
    String alive = "staging/" + new UUID(0, 2);
    for (String file :
        List.of(dead + "/a/old", dead + "/older", alive + "/a/old", alive + "/new")) {
      storage.replace(file, bytes("x"));
    }
    Instant now = Instant.now();
    setTime(dead + "/a/old", now.minus(Duration.ofDays(2)));
    setTime(dead + "/older", now.minus(Duration.ofDays(3)));
    setTime(alive + "/a/old", now.minus(Duration.ofDays(2)));

    assertThat(storage.lastModified(dead))
        .isBetween(now.minus(Duration.ofHours(49)), now.minus(Duration.ofHours(47)));
    assertThat(Table.of(storage).sweep(Duration.ofDays(1))).containsExactly(dead);
    assertThat(storage.list("staging")).containsExactly(new UUID(0, 2).toString());
  }

  private void setTime(String file, Instant time) throws IOException {
    Files.setLastModifiedTime(directory.resolve(file), FileTime.from(time));
  }

  @Test
  void publishesOnlyOnTheParentThatABuildBeganWith() throws Exception {
    Table table = Table.of(storage);
    Build first = table.begin();
    Build second = table.begin();
    publish(table, first);

    assertThat(table.versions()).containsExactly(first.version());
    assertThatThrownBy(() -> publish(table, second)).isInstanceOf(PublishConflictException.class);
    assertThat(table.currentVersion()).isEqualTo(first.version());
  }

  private static void publish(Table table, Build build) throws IOException {
    SnapshotPublisher.publish(
        table, build, 1, List.of(), WriterOptions.builder().minRows(0).build());
  }
}
