package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.snapshot.OpenSnapshot;
import io.bsdb.reader.snapshot.SnapshotOpener;
import io.bsdb.table.Table;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The version in service is deleted between reading CURRENT and opening its files. */
class OpenWhilePrunedTest {
  @TempDir Path directory;

  private final TestData data = TestData.random(1, 5, Lengths.FIXED, Lengths.FIXED, 4);
  private final List<String> tried = new ArrayList<>();
  private Table table;

  @BeforeEach
  void publish() throws IOException {
    table = Table.at(directory);
    data.publish(directory, WriterOptions.defaults());
  }

  private OpenSnapshot open(String version) throws IOException {
    tried.add(version);
    return CallingReader.OPENER.openVersion(directory, version, ReaderOptions.defaults());
  }

  @Test
  void opensWhatIsInServiceByThenHoweverOftenThatChanges() throws IOException {
    OpenSnapshot opened =
        SnapshotOpener.openCurrent(
            table,
            version -> {
              if (tried.size() < 5) {
                data.publish(directory, WriterOptions.defaults());
                table.prune(1);
              }
              return open(version);
            });
    try (opened) {
      assertThat(tried).hasSize(6).doesNotHaveDuplicates();
      assertThat(opened.manifest().version()).isEqualTo(table.currentVersion());
    }
  }

  @Test
  void failsAtOnceIfTheVersionThatLacksFilesIsStillInService() throws IOException {
    Path file =
        directory
            .resolve("snapshots")
            .resolve(table.requireCurrentVersion())
            .resolve("part-00000.bsdb");
    Files.delete(file);

    assertThatThrownBy(() -> SnapshotOpener.openCurrent(table, this::open))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageStartingWith(file.toString());
    assertThat(tried).hasSize(1);
  }
}
