package io.bsdb.flink.storage;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.table.storage.TableStorage;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What holds on every file system of Flink. */
abstract class StorageContract {
  /** Of an empty directory. */
  TableStorage storage;

  @Test
  void keepsWhatIsCommitted() throws Exception {
    try (TableStorage.Output output = storage.create("a/b/kept")) {
      output.write(ByteBuffer.wrap(bytes("x".repeat(70_000))));
      output.commit();
    }
    try (TableStorage.Output output = storage.create("a/b/dropped")) {
      output.write(ByteBuffer.wrap(bytes("y")));
    }

    assertThat(storage.list("a/b")).containsExactly("kept");
    assertThat(storage.read("a/b/kept", 70_000)).asString().isEqualTo("x".repeat(70_000));
    assertThat(storage.lastModified("a")).isAfter(Instant.now().minus(Duration.ofMinutes(10)));
    assertThatThrownBy(() -> storage.create("a/b/kept"))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> storage.read("a/b/kept", 69_999)).hasMessageContaining("too long");
  }

  @Test
  void whatIsNotThereIsMissingEmptyOrDeleted() throws Exception {
    assertThatThrownBy(() -> storage.read("none", 1)).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> storage.open("none")).isInstanceOf(NoSuchFileException.class);
    assertThat(storage.list("none")).isEmpty();
    storage.delete("none");

    storage.replace("d/e/f", bytes("x"));
    storage.delete("d");

    assertThat(storage.list("")).isEmpty();
  }
}
