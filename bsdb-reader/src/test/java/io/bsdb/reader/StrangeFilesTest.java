package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.testkit.ChildProcess;
import io.bsdb.testkit.Records;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is no file, or another one than the manifest says, is refused unread, and named. */
@ExtendWith(NothingLeftOpen.class)
@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StrangeFilesTest {
  @TempDir Path directory;

  private Path file;
  private Path strange;

  /** What stands where a file should be. */
  enum Kind {
    DIRECTORY,
    PIPE,
    DEVICE,
    ENDLESS_DEVICE;

    void replace(Path file) throws Exception {
      Files.delete(file);
      switch (this) {
        case DIRECTORY -> Files.createDirectory(file);
        case PIPE ->
            assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
        case DEVICE -> Files.createSymbolicLink(file, Path.of("/dev/null"));
        case ENDLESS_DEVICE -> Files.createSymbolicLink(file, Path.of("/dev/zero"));
      }
    }
  }

  private void replace(Path replaced, Kind kind) throws Exception {
    strange = replaced;
    kind.replace(replaced);
  }

  @AfterEach
  void deleteLinks() throws IOException {
    if (strange != null) {
      Files.delete(strange);
    }
  }

  private Path publish() throws IOException {
    Path table = directory.resolve("t");
    Manifest manifest =
        TestData.random(8, 500, Lengths.FIXED, Lengths.FIXED, 40)
            .publish(table, WriterOptions.builder().partitions(1).build());
    file = table.resolve("snapshots").resolve(manifest.version()).resolve("part-00000.bsdb");
    return table;
  }

  private static ReaderOptions with(Access access) {
    return ReaderOptions.builder().access(access).build();
  }

  private void assertRefused(Path table, Path culprit) {
    for (Access access : Access.values()) {
      assertThatThrownBy(() -> SnapshotReader.open(table, with(access)))
          .as("%s", access)
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessageStartingWith("not a regular file: file=%s actual=", culprit);
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void inPlaceOfAPartition(Kind kind) throws Exception {
    Path table = publish();
    replace(file, kind);
    assertRefused(table, file);
    assertThatThrownBy(() -> SnapshotVerifier.verify(file.getParent()))
        .hasMessageStartingWith("not a regular file: file=%s actual=", file);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void inPlaceOfAManifest(Kind kind) throws Exception {
    Path table = publish();
    Path manifest = file.resolveSibling("manifest.json");
    replace(manifest, kind);
    assertRefused(table, manifest);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void inPlaceOfAPartitionThatIsCopied(Kind kind) throws Exception {
    Path table = publish();
    replace(file, kind);
    TableReader.Builder builder =
        TableReader.builder(Table.at(table)).localDirectory(directory.resolve("copies"));
    assertThatThrownBy(builder::open)
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageStartingWith("not a regular file: file=%s actual=", file);
  }

  private Path publishChanges() throws IOException {
    Path table = publish();
    Records.empty().add(new byte[] {1}, new byte[10]).change(Table.at(table));
    try (Stream<Path> segments = Files.list(table.resolve("data"))) {
      file = segments.filter(path -> path.toString().endsWith(".seg")).findFirst().orElseThrow();
    }
    return table;
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void inPlaceOfASegment(Kind kind) throws Exception {
    Path table = publishChanges();
    replace(file, kind);
    assertRefused(table, file);
  }

  @ParameterizedTest
  @EnumSource(Access.class)
  void aSegmentOfAnotherLengthIsNeitherMappedNorCopied(Access access) throws Exception {
    assertLengthIsRefused(publishChanges(), access, "segment");
  }

  /** A hole of a tebibyte: to copy it would fail for want of memory, or take for ever. */
  @ParameterizedTest
  @EnumSource(Access.class)
  void aFileOfAnotherLengthIsNeitherMappedNorCopied(Access access) throws Exception {
    assertLengthIsRefused(publish(), access, "file");
  }

  private void assertLengthIsRefused(Path table, Access access, String what) throws IOException {
    long length = Files.size(file);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(1), (1L << 40) - 1);
    }
    assertThatThrownBy(() -> SnapshotReader.open(table, with(access)))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessage(
            "%s length differs from the manifest: file=%s expected=%d actual=%d",
            what, file, length, 1L << 40);
  }

  @Test
  void aFileThatCannotBeMappedIsNamed() throws Exception {
    Path huge = directory.resolve("huge");
    ChildProcess.Result result =
        ChildProcess.run(ChildProcess.of(ManyMappings.class, huge.toString()));
    assertThat(result.status()).as("%s", result.lines()).isZero();
    // The JVM may warn that it cannot map what it needs itself.
    assertThat(result.lines())
        .anySatisfy(
            line ->
                assertThat(line)
                    .startsWith("file cannot be mapped: file=" + huge + " length=")
                    .contains("Map failed"));
  }
}
