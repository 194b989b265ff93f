package io.bsdb.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.table.storage.PathStorage;
import io.bsdb.testkit.ForcedFiles;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** New directories, which a power failure must not take away. */
class DurableDirectoriesTest {
  @TempDir private Path directory;

  @Test
  void aNewDirectoryAndThoseAboveItAreDurable() throws IOException {
    Path inner = directory.resolve("a/b/c");
    assertThat(ForcedFiles.in(directory, () -> PathStorage.createDurably(inner)))
        .containsExactly(directory, directory.resolve("a"), directory.resolve("a/b"));
    assertThat(inner).isDirectory();
    assertThat(ForcedFiles.in(directory, () -> PathStorage.createDurably(inner))).isEmpty();
  }

  @Test
  void theDirectoriesOfANewTableAreDurable() throws IOException {
    Path table = directory.resolve("t");
    PathStorage storage = new PathStorage(table);
    assertThat(ForcedFiles.in(directory, () -> storage.create("snapshots/v/MANIFEST").close()))
        .as("the root in the one above, and 'snapshots' in the root; 'v' is synced when complete")
        .containsExactly(directory, table);
    assertThat(ForcedFiles.in(directory, () -> storage.syncDirectory("snapshots/v")))
        .containsExactly(table.resolve("snapshots/v"));
  }

  @Test
  void theDirectoriesOfANewWritableTableAreDurable() throws IOException {
    Path table = directory.resolve("a/t");
    assertThat(ForcedFiles.in(directory, () -> WritableTable.open(table).close()))
        .contains(directory, directory.resolve("a"), table, table.resolve("log"));
  }
}
