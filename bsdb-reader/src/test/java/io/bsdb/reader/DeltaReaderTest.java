package io.bsdb.reader;

import static io.bsdb.testkit.Utf8.bytes;
import static io.bsdb.testkit.Utf8.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.ValueReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.testkit.Records;
import io.bsdb.testkit.Utf8;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tables whose rows change one by one, read in every way. */
@ExtendWith(NothingLeftOpen.class)
class DeltaReaderTest {
  private static final int KEYS = 3_000;

  @TempDir private Path directory;
  private final Map<String, String> model = new HashMap<>();

  private void build(Layout layout, int partitions) throws IOException {
    WriterOptions options = WriterOptions.builder().layout(layout).partitions(partitions).build();
    model.clear();
    for (int i = 0; i < KEYS; i += 2) {
      model.put("k" + i, "base-" + i);
    }
    Records.of(model).publish(directory, options);
  }

  private Manifest change(Random random, int changes) throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
      for (int i = 0; i < changes; i++) {
        String key = "k" + random.nextInt(KEYS);
        if (random.nextInt(3) == 0) {
          model.remove(key);
          writer.delete(bytes(key));
        } else {
          String value = "new-" + random.nextInt();
          model.put(key, value);
          writer.put(bytes(key), bytes(value));
        }
      }
      return writer.publish();
    }
  }

  private static void assertEqual(@Nullable String actual, @Nullable String expected) {
    if (!Objects.equals(actual, expected)) { // thousands of assertions are slow
      assertThat(actual).isEqualTo(expected);
    }
  }

  private void assertAnswers(SnapshotReader reader, Map<String, String> expected) throws Exception {
    List<byte[]> keys = new ArrayList<>();
    List<@Nullable String> values = new ArrayList<>();
    ByteBuffer target = ByteBuffer.allocate(100);
    for (int i = 0; i < KEYS + 10; i++) {
      String key = "k" + i;
      keys.add(bytes(key));
      values.add(expected.get(key));
      assertEqual(text(reader.get(bytes(key))), expected.get(key));
      int length = reader.get(bytes(key), target.clear());
      assertEqual(length == KeyLookup.NOT_FOUND ? null : text(copy(target)), expected.get(key));
    }
    assertThat(reader.getAll(keys).stream().map(Utf8::text)).isEqualTo(values);
    assertThat(reader.getAll(keys, LENT)).isEqualTo(values);
    assertThat(reader.async().getAll(keys).get().stream().map(Utf8::text)).isEqualTo(values);
    for (int i = 0; i < KEYS; i += 37) {
      assertThat(text(reader.async().get(keys.get(i)).get())).isEqualTo(values.get(i));
    }
    Map<String, String> scanned = new HashMap<>();
    try (RecordCursor cursor = reader.scan()) {
      while (cursor.next()) {
        String value = text(cursor.value());
        assertThat(scanned.put(text(cursor.key()), value)).isNull();
      }
    }
    assertThat(scanned).isEqualTo(expected);
  }

  private static final ValueReader<String> LENT =
      (key, bytes, offset, length) -> text(bytes.copy(offset, length));

  private static byte[] copy(ByteBuffer target) {
    byte[] copy = new byte[target.flip().remaining()];
    target.get(copy);
    return copy;
  }

  static Stream<Arguments> accessAndLayout() {
    return Stream.of(Access.values())
        .flatMap(a -> Stream.of(Layout.values()).map(l -> Arguments.of(a, l)));
  }

  @ParameterizedTest
  @MethodSource("accessAndLayout")
  void readsBaseAndChangesAsOne(Access access, Layout layout) throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    build(layout, 3);
    ReaderOptions options =
        ReaderOptions.builder()
            .access(access)
            .blockCacheBytes(access.readsFromDisk() ? 1 << 20 : 0)
            .build();
    try (TableReader table =
        TableReader.builder(directory).options(options).refreshEvery(Duration.ZERO).open()) {
      for (int round = 0; round < 3; round++) {
        Manifest manifest = change(random, 1 + random.nextInt(400));
        assertThat(table.refresh()).isTrue();
        assertThat(table.version()).isEqualTo(manifest.version());
        try (TableReader.Lease lease = table.lease()) {
          assertAnswers(lease.reader(), model);
        } catch (AssertionError e) {
          throw new AssertionError("seed " + seed, e);
        }
      }
    }
    try (SnapshotReader again = SnapshotReader.open(directory, options)) {
      assertAnswers(again, model);
    }
  }

  @Test
  void aScanReadsAllFilesAndThenWhatHasChanged() throws Exception {
    build(Layout.BLOCKED, 4);
    change(new Random(10), 400);
    try (SnapshotReader reader = SnapshotReader.open(directory);
        RecordCursor cursor = reader.scan()) {
      List<Boolean> changed = new ArrayList<>();
      while (cursor.next()) {
        changed.add(text(cursor.value()).startsWith("new-"));
      }
      assertThat(changed).contains(true, false).isSorted();
    }
  }

  @Test
  void aLeaseStaysAtItsVersion() throws Exception {
    build(Layout.BLOCKED, 2);
    Random random = new Random(1);
    change(random, 100);
    Map<String, String> before = Map.copyOf(model);
    try (TableReader table = TableReader.builder(directory).refreshEvery(Duration.ZERO).open()) {
      TableReader.Lease lease = table.lease();
      change(random, 100);
      table.refresh();
      assertAnswers(lease.reader(), before);
      try (TableReader.Lease current = table.lease()) {
        assertAnswers(current.reader(), model);
      }
      lease.close();
      try (TableReader.Lease current = table.lease()) {
        assertAnswers(current.reader(), model);
      }
    }
  }

  @Test
  void aDeltaOpensNoPartitionAgain() throws Exception {
    build(Layout.BLOCKED, 4);
    try (TableReader table = TableReader.builder(directory).refreshEvery(Duration.ZERO).open()) {
      long open = FileMemory.openCount();
      for (int i = 1; i <= 10; i++) {
        change(new Random(i), 10);
        table.refresh();
        assertThat(FileMemory.openCount()).isEqualTo(open + i);
      }
    }
  }

  @Test
  void rollsBackToAnEarlierStack() throws Exception {
    build(Layout.BLOCKED, 2);
    Random random = new Random(2);
    Manifest first = change(random, 50);
    Map<String, String> before = Map.copyOf(model);
    change(random, 50);
    try (TableReader table = TableReader.builder(directory).refreshEvery(Duration.ZERO).open()) {
      Table.at(directory).rollback(first.version());
      assertThat(table.refresh()).isTrue();
      try (TableReader.Lease lease = table.lease()) {
        assertAnswers(lease.reader(), before);
      }
    }
  }

  @Test
  void followsARebuildAfterChanges() throws Exception {
    build(Layout.BLOCKED, 2);
    try (TableReader table = TableReader.builder(directory).refreshEvery(Duration.ZERO).open()) {
      change(new Random(3), 50);
      table.refresh();
      build(Layout.COMPRESSED, 3);
      table.refresh();
      Table.at(directory).prune(1);
      try (TableReader.Lease lease = table.lease()) {
        assertAnswers(lease.reader(), model);
      }
      change(new Random(4), 50);
      table.refresh();
      try (TableReader.Lease lease = table.lease()) {
        assertAnswers(lease.reader(), model);
      }
    }
  }

  @Test
  void copiesOfADeltaAreTheDeltaAlone(@TempDir Path local) throws Exception {
    build(Layout.BLOCKED, 2);
    try (TableReader table =
        TableReader.builder(Table.at(directory))
            .localDirectory(local)
            .refreshEvery(Duration.ZERO)
            .open()) {
      Manifest manifest = change(new Random(5), 50);
      Path base = directory.resolve("snapshots").resolve(manifest.partitions().get(0).version());
      Path hidden = base.resolveSibling("hidden");
      Files.move(base, hidden); // so that nothing of it can be copied
      assertThat(table.refresh()).isTrue();
      Files.move(hidden, base);
      try (TableReader.Lease lease = table.lease()) {
        assertAnswers(lease.reader(), model);
      }
    }
  }

  @Test
  void aShareOfTheKeysHasItsChanges() throws Exception {
    build(Layout.BLOCKED, 4);
    change(new Random(6), 400);
    for (int share = 0; share < 2; share++) {
      ReaderOptions options = ReaderOptions.builder().share(new KeyShare(share, 2)).build();
      try (SnapshotReader reader = SnapshotReader.open(directory, options)) {
        for (int i = 0; i < KEYS; i++) {
          byte[] key = bytes("k" + i);
          if (KeyShare.indexOf(key, 2) == share) {
            assertThat(text(reader.get(key))).isEqualTo(model.get("k" + i));
          }
        }
      }
    }
  }

  @Test
  void aDamagedOrMissingSegmentIsNeverAnOlderValue() throws Exception {
    build(Layout.BLOCKED, 2);
    Manifest manifest = change(new Random(7), 20);
    Path segment = directory.resolve(manifest.changes().segments().get(0).path());
    byte[] sound = Files.readAllBytes(segment);
    for (int i = 0; i < sound.length; i += 7) {
      byte[] damaged = sound.clone();
      damaged[i] ^= 4;
      Files.write(segment, damaged);
      assertThatThrownBy(() -> SnapshotReader.open(directory))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(segment.getFileName().toString());
    }
    Files.delete(segment);
    assertThatThrownBy(() -> SnapshotReader.open(directory))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(segment.getFileName().toString());
    Files.write(segment, sound);
    Path snapshot = directory.resolve("snapshots").resolve(manifest.version());
    assertThat(SnapshotVerifier.verify(snapshot)).isEqualTo(manifest);
    Files.write(segment, new byte[sound.length]);
    assertThatThrownBy(() -> SnapshotVerifier.verify(snapshot))
        .isInstanceOf(CorruptSnapshotException.class);
  }

  @Test
  void verifiesFilesThatAreDeletedOnceTheyAreOpen() throws Exception {
    build(Layout.BLOCKED, 2);
    Manifest manifest = change(new Random(7), 20);
    try (SnapshotVerifier verifier =
        SnapshotVerifier.open(directory.resolve("snapshots").resolve(manifest.version()))) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          Files.delete(file);
        }
      }
      verifier.verify();
    }
  }

  @Test
  void aRefusedDeltaLeavesTheVersionInUse() throws Exception {
    build(Layout.BLOCKED, 2);
    change(new Random(8), 20);
    Map<String, String> before = Map.copyOf(model);
    try (TableReader table = TableReader.builder(directory).refreshEvery(Duration.ZERO).open()) {
      Manifest manifest = change(new Random(9), 20);
      Path segment = directory.resolve(manifest.changes().segments().get(1).path());
      byte[] damaged = Files.readAllBytes(segment);
      damaged[100] ^= 1;
      Files.write(segment, damaged);
      assertThatThrownBy(table::refresh).isInstanceOf(CorruptSnapshotException.class);
      try (TableReader.Lease lease = table.lease()) {
        assertAnswers(lease.reader(), before);
      }
    }
  }

  /** Its memory may be that of others by then. */
  @Test
  void aClosedReaderSharesNothingWithAnotherVersion() throws Exception {
    build(Layout.BLOCKED, 2);
    Manifest first = change(new Random(1), 100);
    SnapshotReader closed = SnapshotReader.open(directory);
    Manifest second = change(new Random(2), 100);
    closed.close();
    assertThatThrownBy(() -> closed.next(directory, second, ReaderOptions.defaults()))
        .isInstanceOf(ClosedReaderException.class);
    assertThatThrownBy(() -> closed.snapshot().changesOf(first.changes().segments()))
        .isInstanceOf(ClosedReaderException.class);
  }

  @Test
  void anotherVersionIsOpenedWithItsOwnOptions() throws Exception {
    build(Layout.BLOCKED, 2);
    try (SnapshotReader mapped = SnapshotReader.open(directory)) {
      Manifest second = change(new Random(1), 10);
      ReaderOptions options =
          ReaderOptions.builder().access(Access.DIRECT).blockCacheBytes(1 << 20).build();
      try (SnapshotReader direct = mapped.next(directory, second, options)) {
        assertAnswers(direct, model);
        assertThat(direct.metrics().effectiveAccess()).isEqualTo("DIRECT");
        assertThat(direct.metrics().cacheMisses()).isPositive();
        try (SnapshotReader same = direct.next(directory, second, options)) {
          assertThat(same.get(bytes("k0"))).isNotNull();
          assertThat(same.metrics().blockReads()).isEqualTo(direct.metrics().blockReads());
        }
      }
    }
  }
}
