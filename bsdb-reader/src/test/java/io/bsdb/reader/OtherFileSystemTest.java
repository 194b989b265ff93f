package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables on file systems of other providers than the default one. */
class OtherFileSystemTest {
  private static final TestData OLD = data(1, 300);
  private static final TestData NEW = data(2, 700);

  @TempDir Path temporary;

  /** The providers; one of them can map files, the other has everything in memory. */
  enum Provider {
    MEMORY {
      @Override
      FileSystem open(Path temporary) {
        return Jimfs.newFileSystem(Configuration.unix());
      }
    },
    ZIP {
      @Override
      FileSystem open(Path temporary) throws IOException {
        URI uri = URI.create("jar:" + temporary.resolve("tables.zip").toUri());
        return FileSystems.newFileSystem(uri, Map.of("create", "true"));
      }
    };

    abstract FileSystem open(Path temporary) throws IOException;
  }

  private static TestData data(long seed, int count) {
    return TestData.random(seed, count, Lengths.VARYING, Lengths.VARYING, 50);
  }

  private Manifest publish(Path table, TestData data) throws IOException {
    WriterOptions options =
        WriterOptions.builder()
            .layout(Layout.COMPRESSED)
            .partitions(3)
            .temporaryDirectory(temporary.resolve("spill"))
            .build();
    return data.publish(table, options);
  }

  private static void assertServes(Path table, TestData data) throws IOException {
    ReaderOptions resident = ReaderOptions.builder().access(Access.RESIDENT).build();
    try (SnapshotReader reader = SnapshotReader.open(table, resident)) {
      data.assertFoundIn(reader);
      data.assertScannedFrom(reader);
      data.assertNothingElseFoundIn(reader);
    }
  }

  @ParameterizedTest
  @EnumSource(Provider.class)
  void buildsPublishesAndReads(Provider provider) throws Exception {
    try (FileSystem files = provider.open(temporary)) {
      Path table = files.getPath("/data/t");
      String first = publish(table, OLD).version();
      assertServes(table, OLD);
      String second = publish(table, NEW).version();
      assertServes(table, NEW);
      Table history = Table.at(table);
      assertThat(history.versions()).containsExactly(first, second);
      history.rollback(first);
      assertServes(table, OLD);
      history.rollback(second);
      assertThat(history.prune(1)).containsExactly(first);
      Path staging =
          Files.createDirectories(table.resolve("staging/0d0d0d0d-0000-0000-0000-000000000000"));
      assertThat(history.sweep(Duration.ofSeconds(-10)))
          .containsExactly("staging/0d0d0d0d-0000-0000-0000-000000000000");
      assertThat(staging).doesNotExist();
      assertServes(table, NEW);
      assertOnlyOneVersionIsLeft(table, second);
    }
    assertThat(temporary.resolve("spill")).isEmptyDirectory();
  }

  private static void assertOnlyOneVersionIsLeft(Path table, String version) throws IOException {
    try (Stream<Path> all = Files.walk(table)) {
      assertThat(all.filter(Files::isRegularFile).map(file -> table.relativize(file).toString()))
          .containsExactlyInAnyOrder(
              "CURRENT",
              "snapshots/" + version + "/manifest.json",
              "snapshots/" + version + "/part-00000.bsdb",
              "snapshots/" + version + "/part-00001.bsdb",
              "snapshots/" + version + "/part-00002.bsdb");
    }
  }

  @ParameterizedTest
  @EnumSource(Provider.class)
  void followsNewVersionsThroughCopies(Provider provider) throws Exception {
    try (FileSystem files = provider.open(temporary)) {
      Path table = files.getPath("/data/t");
      publish(table, OLD);
      TableReader.Builder builder =
          TableReader.builder(Table.at(table))
              .localDirectory(temporary.resolve("copies"))
              .refreshEvery(Duration.ZERO);
      try (TableReader live = builder.open()) {
        assertThat(live.get(OLD.keys().get(0))).isEqualTo(OLD.values().get(0));
        publish(table, NEW);
        live.refresh();
        assertThat(live.get(NEW.keys().get(0))).isEqualTo(NEW.values().get(0));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MAPPED", "DIRECT"})
  void saysWhichAccessAFileSystemLacks(Access access) throws Exception {
    try (FileSystem files = Provider.MEMORY.open(temporary)) {
      Path table = files.getPath("/data/t");
      publish(table, OLD);
      ReaderOptions options = ReaderOptions.builder().access(access).build();
      assertThatThrownBy(() -> SnapshotReader.open(table, options))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("file system cannot map files")
          .hasMessageContaining("part-00000.bsdb")
          .hasMessageContaining("RESIDENT");
    }
  }
}
