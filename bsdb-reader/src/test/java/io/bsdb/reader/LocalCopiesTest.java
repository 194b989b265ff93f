package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.reader.follow.Followed;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.WarmUp;
import io.bsdb.table.Build;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.testkit.FaultyStorage;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.SnapshotPublisher;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tables that are copied before they are read. */
@ExtendWith(NothingLeftOpen.class)
class LocalCopiesTest {
  @TempDir Path remote;
  @TempDir Path local;

  /** The files read of the remote table, in their order. */
  private final List<String> fetched = new ArrayList<>();

  private volatile FaultyStorage.Fault fault = (operation, path) -> {};

  private TableReader.Builder follow() {
    return TableReader.builder(
            Table.of(
                new FaultyStorage(
                    Table.at(remote).storage(),
                    (operation, path) -> {
                      fault.before(operation, path);
                      if (operation.equals("open")) {
                        fetched.add(path);
                      }
                    })))
        .localDirectory(local)
        .refreshEvery(Duration.ZERO);
  }

  private static TestData data(int seed) {
    return TestData.random(seed, 500, Lengths.VARYING, Lengths.VARYING, 60);
  }

  private Manifest publish(TestData data) throws IOException {
    return data.publish(remote, WriterOptions.builder().partitions(4).build());
  }

  private List<Path> localFiles() throws IOException {
    try (Stream<Path> files = Files.walk(local)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  @Test
  void copiesOnceAndAgainOnlyWhatIsNew() throws Exception {
    TestData first = data(1);
    publish(first);
    try (TableReader live = follow().open();
        TableReader.Lease lease = live.lease()) {
      first.assertFoundIn(lease.reader());
      assertThat(fetched).hasSize(4);
    }
    try (TableReader live = follow().open();
        TableReader.Lease lease = live.lease()) {
      first.assertFoundIn(lease.reader());
      assertThat(fetched).hasSize(4);
      TestData second = data(2);
      Manifest manifest = publish(second);
      assertThat(live.refresh()).isTrue();
      try (TableReader.Lease newer = live.lease()) {
        assertThat(newer.version()).isEqualTo(manifest.version());
        second.assertFoundIn(newer.reader());
      }
      first.assertFoundIn(lease.reader());
      assertThat(fetched).hasSize(8);
      publish(data(3));
      assertThat(live.refresh()).isTrue();
    }
    assertThat(copies()).as("the version in use and the one before it").hasSize(8);
  }

  @Test
  void aRefreshReadsTheManifestOnce() throws Exception {
    publish(data(1));
    try (TableReader live = follow().open()) {
      publish(data(2));
      List<String> manifests = new ArrayList<>();
      fault =
          (operation, path) -> {
            if (operation.equals("read") && path.endsWith(SnapshotFormat.MANIFEST_FILE)) {
              manifests.add(path);
            }
          };
      assertThat(live.refresh()).isTrue();
      assertThat(manifests).hasSize(1);
    }
  }

  @Test
  void copiesTheFilesOfAShareOnly() throws Exception {
    TestData data = data(1);
    publish(data);
    ReaderOptions half = ReaderOptions.builder().share(new KeyShare(1, 2)).build();
    try (TableReader live = follow().options(half).open()) {
      assertThat(fetched).hasSize(2);
      for (int i = 0; i < data.count(); i++) {
        if (KeyShare.indexOf(data.keys().get(i), 2) == 1) {
          assertThat(live.get(data.keys().get(i))).isEqualTo(data.values().get(i));
        }
      }
      try (TableReader whole = follow().open();
          TableReader.Lease lease = whole.lease()) {
        assertThat(fetched).hasSize(4);
        data.assertFoundIn(lease.reader());
      }
    }
  }

  /** Opens a copy of the table, but the connection is lost after some files. */
  private void failToOpenAfter(int files) {
    fault =
        (operation, path) -> {
          if (operation.equals("open") && fetched.size() == files) {
            throw new IOException("connection lost");
          }
        };
    assertThatThrownBy(() -> follow().open())
        .hasMessageStartingWith("file cannot be copied: from=")
        .hasMessageEndingWith(": connection lost");
    fault = (operation, path) -> {};
  }

  @Test
  void aCopyThatFailsOrIsWrongNeverCounts() throws Exception {
    TestData data = data(1);
    Manifest manifest = publish(data);
    failToOpenAfter(2);
    Path file =
        remote
            .resolve("snapshots")
            .resolve(manifest.version())
            .resolve(manifest.partitions().get(3).name());
    byte[] sound = Files.readAllBytes(file);
    byte[] damaged = sound.clone();
    damaged[100] ^= 1;
    Files.write(file, damaged);
    assertThatThrownBy(() -> follow().open())
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining(manifest.partitions().get(3).name());
    Files.write(file, sound);
    try (TableReader live = follow().open();
        TableReader.Lease lease = live.lease()) {
      data.assertFoundIn(lease.reader());
    }
    assertThat(fetched).as("no file that was right is copied twice").hasSize(6);
    assertThat(localFiles()).noneMatch(path -> path.toString().endsWith(".part"));
  }

  /** Lets each connection to a file of a version end early, after so many bytes of it. */
  private void cutOff(Manifest manifest, int... lengths) throws IOException {
    Path file =
        remote
            .resolve("snapshots")
            .resolve(manifest.version())
            .resolve(manifest.partitions().get(1).name());
    byte[] sound = Files.readAllBytes(file);
    Iterator<Integer> left = Arrays.stream(lengths).iterator();
    fault =
        (operation, path) -> {
          if (operation.equals("open") && path.endsWith("/" + file.getFileName())) {
            Files.write(file, left.hasNext() ? Arrays.copyOf(sound, left.next()) : sound);
          }
        };
  }

  @Test
  void copiesAFileAgainWhoseConnectionEndedEarly() throws Exception {
    TestData data = data(1);
    cutOff(publish(data), 100);
    try (TableReader live = follow().open();
        TableReader.Lease lease = live.lease()) {
      data.assertFoundIn(lease.reader());
    }
    assertThat(fetched).hasSize(5);
  }

  @Test
  void aVersionWhoseConnectionsEndEarlyIsTriedAgainLater() throws Exception {
    publish(data(1));
    TestData data = data(2);
    try (TableReader live = follow().open()) {
      Manifest second = publish(data);
      cutOff(second, 100, 200);

      Followed.refreshInBackground(live);
      assertThat(live.refreshFailure())
          .isNotInstanceOf(CorruptSnapshotException.class)
          .hasMessageContaining("copied file does not match the manifest")
          .hasMessageContaining("actual length=200");
      Followed.refreshInBackground(live);

      assertThat(live.version()).isEqualTo(second.version());
      try (TableReader.Lease lease = live.lease()) {
        data.assertFoundIn(lease.reader());
      }
    }
  }

  @Test
  void aFileThatIsWrongInTheSameWayTwiceIsNotTriedAgain() throws Exception {
    String first = publish(data(1)).version();
    try (TableReader live = follow().open()) {
      cutOff(publish(data(2)), 100, 100);

      Followed.refreshInBackground(live);
      Followed.refreshInBackground(live);

      assertThat(live.version()).isEqualTo(first);
      assertThat(live.failedRefreshes()).isEqualTo(1);
      assertThat(live.refreshFailure()).isInstanceOf(CorruptSnapshotException.class);
    }
  }

  /** The names of the files that are copies. */
  private List<String> copies() throws IOException {
    return localFiles().stream()
        .map(file -> file.getFileName().toString())
        .filter(name -> name.endsWith(".bsdb"))
        .toList();
  }

  private static String[] copiesOf(Manifest... manifests) {
    return Arrays.stream(manifests)
        .flatMap(manifest -> manifest.partitions().stream())
        .map(file -> file.fileId() + ".bsdb")
        .toArray(String[]::new);
  }

  /** As a version does that adds to the one before it. */
  @Test
  void copiesOnlyTheFilesThatNoVersionHereHas() throws Exception {
    TestData data = data(1);
    Manifest first = publish(data);
    try (TableReader live = follow().maxLocalBytes(first.length() * 5 / 4).open()) {
      assertThat(fetched).hasSize(4);
      Table table = Table.at(remote);
      Build build = table.begin();
      Path next = Files.createDirectories(remote.resolve(build.directory()));
      for (PartitionFile file : first.partitions()) {
        Files.copy(
            remote.resolve("snapshots").resolve(first.version()).resolve(file.name()),
            next.resolve(file.name()));
      }
      Manifest second =
          SnapshotPublisher.publish(table, build, 4, first.partitions(), WriterOptions.defaults());
      String lost = first.partitions().get(2).fileId() + ".bsdb";
      Files.delete(
          localFiles().stream().filter(file -> file.endsWith(lost)).findFirst().orElseThrow());

      assertThat(live.refresh()).isTrue();

      assertThat(live.version()).isEqualTo(second.version());
      assertThat(fetched)
          .hasSize(5)
          .endsWith("snapshots/" + second.version() + "/" + second.partitions().get(2).name());
      assertThat(copies()).containsExactlyInAnyOrder(copiesOf(first));
      try (TableReader.Lease lease = live.lease()) {
        data.assertFoundIn(lease.reader());
      }
    }
  }

  @Test
  void readersOfOneTableKeepTheCopiesOfEachOther() throws Exception {
    Manifest first = publish(data(1));
    long limit;
    try (TableReader pinned = follow().pin(first.version()).open()) {
      limit = pinned.manifest().length() * 5 / 2;
      try (TableReader live = follow().maxLocalBytes(limit).open()) {
        Manifest second = publish(data(2));
        assertThat(live.refresh()).isTrue();
        publish(data(3));
        assertThatThrownBy(live::refresh).hasMessageContaining("no room for the copy of a table");
        assertThat(copies()).containsExactlyInAnyOrder(copiesOf(first, second));
      }
    }
    fetched.clear();
    follow().pin(first.version()).open().close();
    assertThat(fetched).as("there is a copy").isEmpty();
    assertThat(copies()).hasSize(8);
    follow().pin(first.version()).maxLocalBytes(limit / 2).open().close();
    assertThat(copies()).as("the limit is lower now").containsExactlyInAnyOrder(copiesOf(first));
    assertThat(fetched).isEmpty();
    try (TableReader live = follow().maxLocalBytes(limit).open()) {
      assertThat(copies())
          .as("nobody uses the others")
          .containsExactlyInAnyOrder(copiesOf(live.manifest()));
    }
  }

  @Test
  void aDamagedCopyIsMadeAnew() throws Exception {
    TestData data = data(1);
    publish(data);
    follow().open().close();
    for (Path file : localFiles()) {
      if (!file.toString().endsWith(".json") && !file.endsWith("LOCK")) {
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length - 50] ^= 1;
        Files.write(file, bytes);
      }
    }
    try (TableReader live = follow().open();
        TableReader.Lease lease = live.lease()) {
      data.assertFoundIn(lease.reader());
    }
    assertThat(fetched).hasSize(8);
  }

  /** Which is not looked for without warming up: files that are there have been verified before. */
  @Test
  void aDamagedBlockOfACopyIsFoundByWarmingUp() throws Exception {
    TestData data = data(1);
    publish(data);
    follow().open().close();
    for (Path file : localFiles()) {
      if (file.toString().endsWith(".bsdb")) {
        byte[] bytes = Files.readAllBytes(file);
        bytes[SnapshotFormat.PAGE + 100] ^= 1;
        Files.write(file, bytes);
      }
    }
    ReaderOptions warm = ReaderOptions.builder().warmUp(WarmUp.ALWAYS).build();
    try (TableReader live = follow().options(warm).open();
        TableReader.Lease lease = live.lease()) {
      data.assertFoundIn(lease.reader());
    }
    assertThat(fetched).hasSize(8);
  }

  @Test
  void copiesNothingThatExceedsTheLimit() throws Exception {
    TestData first = data(1);
    Manifest manifest = publish(first);
    long limit = manifest.length() * 3 / 2;
    assertThatThrownBy(() -> follow().maxLocalBytes(manifest.length() - 1).open())
        .hasMessageContaining("limit=%d bytes".formatted(manifest.length() - 1))
        .hasMessageContaining("to be copied=%d bytes".formatted(manifest.length()));
    assertThat(fetched).isEmpty();
    try (TableReader live = follow().maxLocalBytes(limit).open();
        TableReader.Lease lease = live.lease()) {
      publish(data(2));
      assertThatThrownBy(live::refresh).hasMessageContaining("no room for the copy of a table");
      first.assertFoundIn(lease.reader());
      assertThat(fetched).hasSize(4);
    }
  }

  @Test
  void whatAnInterruptedCopyLeftDoesNotCountAgainstTheLimit() throws Exception {
    TestData data = data(1);
    Manifest manifest = publish(data);
    failToOpenAfter(1);
    Path copied =
        localFiles().stream().filter(f -> f.toString().endsWith(".bsdb")).findFirst().orElseThrow();
    Files.write(copied.resolveSibling("x.part"), new byte[(int) manifest.length()]);
    try (TableReader live = follow().maxLocalBytes(manifest.length() * 3 / 2).open();
        TableReader.Lease lease = live.lease()) {
      data.assertFoundIn(lease.reader());
    }
  }

  /** As one does that reads from a storage which does not answer. */
  @Test
  void closingDoesNotWaitForACopyThatIgnoresInterrupts() throws Exception {
    publish(data(1));
    TableReader live =
        Followed.closeTimeout(follow().refreshEvery(Duration.ofMillis(1)), Duration.ofMillis(1))
            .open();
    try (Gate gate = new Gate()) {
      fault =
          (operation, path) -> {
            if (operation.equals("open")) {
              gate.pass();
            }
          };
      publish(data(2));
      gate.awaitFirst();
      assertThat(CompletableFuture.runAsync(() -> close(live)))
          .succeedsWithin(Duration.ofSeconds(60));
      assertThatThrownBy(live::lease).isInstanceOf(ClosedReaderException.class);
    }
  }

  private static void close(TableReader live) {
    try {
      live.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void saysWhatIsMissing() {
    assertThatThrownBy(() -> follow().open())
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining(remote + "/CURRENT")
        .hasMessageContaining("no snapshot has been published here");
    assertThatThrownBy(() -> TableReader.builder(Table.at(remote)).open())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("give a localDirectory");
  }
}
