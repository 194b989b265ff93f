package io.bsdb.compact;

import static io.bsdb.testkit.Utf8.bytes;
import static io.bsdb.testkit.Utf8.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.io.IORunnable;
import io.bsdb.reader.Contents;
import io.bsdb.reader.NothingLeftOpen;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.SnapshotVerifier;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.table.storage.TableStorage;
import io.bsdb.testkit.InMemory;
import io.bsdb.testkit.Records;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(NothingLeftOpen.class)
class CompactorTest {
  private static final int KEYS = 2_000;
  private static final int PARTITIONS = 4;

  @TempDir(factory = InMemory.class)
  private Path directory;

  private final Map<String, String> model = new HashMap<>();

  private void build(Layout layout) throws IOException {
    WriterOptions options = WriterOptions.builder().layout(layout).partitions(PARTITIONS).build();
    model.clear();
    for (int i = 0; i < KEYS; i += 2) {
      model.put("k" + i, "base-" + i);
    }
    Records.of(model).publish(directory, options);
  }

  private Manifest change(Random random, int changes) throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
      for (int i = 0; i < changes; i++) {
        change(writer, random, "k" + random.nextInt(KEYS));
      }
      return writer.publish();
    }
  }

  private void change(DeltaWriter writer, Random random, String key) throws IOException {
    if (random.nextInt(3) == 0) {
      model.remove(key);
      writer.delete(bytes(key));
    } else {
      String value = "new-" + random.nextInt();
      model.put(key, value);
      writer.put(bytes(key), bytes(value));
    }
  }

  /** Returns the table, in which something happens before the first lock is taken. */
  private Table beforeTheLock(IORunnable action) {
    TableStorage storage = Table.at(directory).storage();
    AtomicBoolean first = new AtomicBoolean(true);
    return Table.of(
        (TableStorage)
            Proxy.newProxyInstance(
                TableStorage.class.getClassLoader(),
                new Class<?>[] {TableStorage.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("exclusively") && first.getAndSet(false)) {
                    action.run();
                  }
                  try {
                    return method.invoke(storage, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                }));
  }

  /** A merged segment has all changes that a build may need of those in it. */
  @Test
  void foldsWhatWasMergedAfterAFold() throws IOException {
    build(Layout.BLOCKED);
    change(new Random(1), 50);
    change(new Random(2), 200);
    Manifest merged =
        new Compactor(directory).foldFraction(0).maxPartitions(1).maxSegments(1).run().manifest();
    assertThat(merged.changes().history().segments()).isEmpty();
    Manifest folded = new Compactor(directory).foldFraction(0).run().manifest();
    assertThat(folded.changes().segments()).isEmpty();
    assertThat(folded.changes().history().segments()).isEqualTo(merged.changes().segments());
    assertThat(folded.changes().history().after()).isZero();
    assertThat(Contents.of(directory)).isEqualTo(model);
  }

  @Test
  void keepsWhatItFoldedForBuildsThatBeganBefore() throws IOException {
    build(Layout.BLOCKED);
    Manifest first = change(new Random(1), 50);
    try (SnapshotWriter writer =
        SnapshotWriter.createAsOf(first.version(), directory, WriterOptions.defaults())) {
      for (Map.Entry<String, String> entry : model.entrySet()) {
        writer.add(bytes(entry.getKey()), bytes(entry.getValue()));
      }
      change(new Random(2), 50);
      new Compactor(directory).foldFraction(100).maxSegments(1).run();
      change(new Random(3), 50);
      Manifest folded = new Compactor(directory).foldFraction(0).run().manifest();
      assertThat(folded.changes().history().after()).isZero();
      assertThat(folded.changes().history().segments())
          .extracting(SegmentFile::number)
          .containsExactly(2L, 3L);
      Table.at(directory).prune(1);
      assertThat(Table.at(directory).sweep(Duration.ZERO)).isEmpty();
      assertThat(writer.publish().changes().segments()).hasSize(2);
    }
    assertThat(Contents.of(directory)).isEqualTo(model);
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void foldsChangesIntoFilesOfTheSameKind(Layout layout) throws IOException {
    build(layout);
    Manifest before = change(new Random(1), 500);
    Compactor.Result result =
        new Compactor(directory).foldFraction(0).keepHistory(Duration.ZERO).run();
    assertThat(result.foldedPartitions()).isEqualTo(PARTITIONS);
    Manifest after = result.manifest();
    assertThat(after.hasChanges()).isFalse();
    assertThat(after.changes().history().after()).isEqualTo(1);
    assertThat(after.changes().lastSegment()).isEqualTo(before.changes().lastSegment());
    assertThat(after.partitions()).extracting(PartitionFile::foldedThrough).containsOnly(1L);
    assertThat(after.options()).isEqualTo(before.options());
    assertThat(Contents.of(directory)).isEqualTo(model);
    assertThat(new Compactor(directory).run().manifest()).isEqualTo(after);

    Table table = Table.at(directory);
    table.prune(1);
    assertThat(table.sweep(Duration.ZERO)).isEmpty();
    assertThat(Contents.of(directory)).isEqualTo(model);
    assertThat(directory.resolve("data")).isEmptyDirectory();
    assertThat(table.storage().list("staging")).isEmpty();
    SnapshotVerifier.verify(directory.resolve("snapshots").resolve(after.version()));
  }

  @Test
  void foldsOnlyPartitionsWithManyChanges() throws IOException {
    build(Layout.BLOCKED);
    Random random = new Random(2);
    Manifest before = Table.at(directory).manifest(Table.at(directory).requireCurrentVersion());
    try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
      for (int i = 0; i < KEYS; i++) {
        int partition = before.partitioning().partition(bytes("k" + i));
        if (partition == 1 || (partition == 2 && i % 50 == 0)) {
          change(writer, random, "k" + i);
        }
      }
      writer.publish();
    }
    Compactor.Result result = new Compactor(directory).run();
    assertThat(result.foldedPartitions()).isOne();
    assertThat(result.manifest().partitions())
        .extracting(PartitionFile::foldedThrough)
        .containsExactly(1L, 1L, 0L, 1L);
    assertThat(result.manifest().changes().segments()).hasSize(1);
    assertThat(Contents.of(directory)).isEqualTo(model);
    change(random, 100);
    assertThat(Contents.of(directory)).isEqualTo(model);
  }

  @Test
  void letsGoOfASegmentAcrossPartitionsThatItDoesNotChange() throws IOException {
    build(Layout.BLOCKED);
    try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
      for (int partition : new int[] {0, PARTITIONS - 1}) {
        int i = 0;
        while (new Partitioning(PARTITIONS).partition(bytes("k" + i)) != partition) {
          i++;
        }
        writer.put(bytes("k" + i), bytes("new"));
        model.put("k" + i, "new");
      }
      writer.publish();
    }
    Compactor compactor = new Compactor(directory).foldFraction(0).maxPartitions(1);
    assertThat(compactor.run().foldedPartitions()).isEqualTo(1);
    assertThat(compactor.run().foldedPartitions()).isEqualTo(1);
    assertThat(compactor.run().manifest().hasChanges()).isFalse();
    assertThat(Contents.of(directory)).isEqualTo(model);
  }

  @Test
  void mergesSegments() throws IOException {
    build(Layout.BLOCKED);
    Random random = new Random(3);
    for (int i = 0; i < 9; i++) {
      change(random, 20);
    }
    Compactor.Result result = new Compactor(directory).foldFraction(10).maxSegments(8).run();
    assertThat(result.mergedSegments()).isEqualTo(9);
    assertThat(result.manifest().changes().segments())
        .extracting(SegmentFile::number)
        .containsExactly(9L);
    assertThat(Contents.of(directory)).isEqualTo(model);
    change(random, 20);
    assertThat(Contents.of(directory)).isEqualTo(model);
    Table.at(directory).prune(1);
    assertThat(Contents.of(directory)).isEqualTo(model);
  }

  @Test
  void keepsWhatIsPublishedMeanwhile() throws IOException {
    build(Layout.BLOCKED);
    Random random = new Random(4);
    change(random, 300);
    Table changed = beforeTheLock(() -> change(random, 300));
    new Compactor(directory, changed).foldFraction(0).run();
    assertThat(Contents.of(directory)).isEqualTo(model);
    change(random, 300);
    Table merged = beforeTheLock(() -> change(random, 300));
    Compactor.Result result =
        new Compactor(directory, merged).foldFraction(10).maxSegments(1).run();
    assertThat(result.mergedSegments()).isEqualTo(2);
    assertThat(result.manifest().changes().segments()).hasSize(2);
    assertThat(Contents.of(directory)).isEqualTo(model);
  }

  @Test
  void isRefusedIfTheTableWasRebuiltMeanwhile() throws IOException {
    build(Layout.BLOCKED);
    change(new Random(5), 300);
    Table table = Table.at(directory);
    String before = table.requireCurrentVersion();
    Map<String, String> expected = Map.copyOf(model);
    Table rebuilt = beforeTheLock(() -> build(Layout.BLOCKED));
    assertThatThrownBy(() -> new Compactor(directory, rebuilt).foldFraction(0).run())
        .isInstanceOf(PublishConflictException.class)
        .hasMessageContaining("rebuilt or compacted meanwhile");
    assertThat(Contents.of(directory)).isEqualTo(model);
    table.rollback(before);
    assertThat(Contents.of(directory)).isEqualTo(expected);
    assertThat(table.storage().list("staging")).isEmpty();
  }

  @Test
  void aPartitionMayLoseAllItsRows() throws IOException {
    build(Layout.BLOCKED);
    try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
      for (String key : model.keySet()) {
        writer.delete(bytes(key));
      }
      writer.publish();
    }
    Manifest manifest = new Compactor(directory).run().manifest();
    assertThat(manifest.recordCount()).isZero();
    assertThat(manifest.hasChanges()).isFalse();
    assertThat(Contents.of(directory)).isEmpty();
  }

  @Test
  void followersGoOnAcrossACompaction() throws IOException {
    build(Layout.BLOCKED);
    Random random = new Random(6);
    try (TableReader table = TableReader.builder(directory).refreshEvery(Duration.ZERO).open()) {
      for (int round = 0; round < 6; round++) {
        change(random, 100);
        table.refresh();
        if (round % 2 == 1) {
          new Compactor(directory).foldFraction(round == 3 ? 10 : 0).maxSegments(1).run();
          table.refresh();
          Table.at(directory).prune(1);
        }
        for (int i = 0; i < KEYS; i++) {
          byte[] value = table.get(bytes("k" + i));
          assertThat(value == null ? null : text(value)).isEqualTo(model.get("k" + i));
        }
      }
    }
  }

  @Test
  void foldsWhatWasMergedWhenOtherPartitionsWereFolded() throws IOException {
    WriterOptions options = WriterOptions.builder().partitions(2).minRows(0).build();
    Partitioning partitioning = new Partitioning(2);
    Records.numbered(1000, i -> "k" + i, i -> "0").publish(directory, options);
    for (String value : List.of("1", "2")) {
      try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
        for (int i = 0; i < 1000; i++) {
          if (i < 50 || partitioning.partition(bytes("k" + i)) == 0) {
            writer.put(bytes("k" + i), bytes(value));
          }
        }
        writer.publish();
      }
    }
    assertThat(new Compactor(directory).foldFraction(0.5).maxSegments(1).run().foldedPartitions())
        .isEqualTo(1);
    assertThat(new Compactor(directory).foldFraction(0).run().foldedPartitions()).isEqualTo(1);
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      for (int i = 0; i < 1000; i++) {
        boolean changed = i < 50 || partitioning.partition(bytes("k" + i)) == 0;
        assertThat(reader.get(bytes("k" + i))).isEqualTo(bytes(changed ? "2" : "0"));
      }
    }
  }
}
