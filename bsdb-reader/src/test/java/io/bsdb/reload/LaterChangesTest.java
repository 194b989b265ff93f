package io.bsdb.reload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.compact.Compactor;
import io.bsdb.compact.Workplace;
import io.bsdb.reader.NothingLeftOpen;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.table.AsOf;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.testkit.InMemory;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SegmentFiles;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whether keys changed after a version, in tables that are changed and folded at random. */
@ExtendWith(NothingLeftOpen.class)
class LaterChangesTest {
  private static final int KEYS = 40;

  @TempDir(factory = InMemory.class)
  private Path directory;

  private static byte[] key(int key) {
    return new byte[] {'k', (byte) key};
  }

  private Table table() {
    return Table.at(directory);
  }

  private Manifest build(RecordOrder order) throws IOException {
    try (SnapshotWriter writer =
        SnapshotWriter.create(
            directory, WriterOptions.builder().partitions(3).order(order).build())) {
      for (int i = 0; i < KEYS; i += 2) {
        writer.add(key(i), new byte[1]);
      }
      return writer.publish();
    }
  }

  private Manifest change(int key, boolean delete) throws IOException {
    try (DeltaWriter delta = DeltaWriter.create(table())) {
      if (delete) {
        delta.delete(key(key));
      } else {
        delta.put(key(key), new byte[2]);
      }
      return delta.publish();
    }
  }

  /** Returns whether one of some keys changed after a version. */
  private boolean anyChanged(AsOf version, Iterable<Integer> keys) throws IOException {
    try (SegmentFiles files = new SegmentFiles(table().storage());
        Workplace workplace = Workplace.in(directory, table())) {
      for (int key : keys) {
        files.put(key(key), new byte[3]);
      }
      List<SegmentFile> unpublished = files.finish();
      Manifest inService = table().manifest(table().requireCurrentVersion());
      try (LaterChanges changes = LaterChanges.open(version, inService, table(), workplace)) {
        return changes.findAny(unpublished) != null;
      }
    }
  }

  @ParameterizedTest
  @EnumSource(RecordOrder.class)
  void knowsWhatChangedThoughSomeWasFolded(RecordOrder order) throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<AsOf> versions = new ArrayList<>(List.of(AsOf.of(build(order))));
    List<Set<Integer>> changedSince = new ArrayList<>(List.of(new HashSet<>()));
    for (int step = 0; step < 30; step++) {
      if (random.nextInt(6) == 0) {
        new Compactor(directory).foldFraction(random.nextInt(2) / 10.0).run();
      } else {
        int key = random.nextInt(KEYS);
        versions.add(AsOf.of(change(key, random.nextBoolean())));
        changedSince.forEach(changed -> changed.add(key));
        changedSince.add(new HashSet<>());
      }
    }
    for (int i = 0; i < 60; i++) {
      int version = random.nextInt(versions.size());
      Set<Integer> keys = Set.of(random.nextInt(KEYS), 50 + random.nextInt(KEYS));

      assertThat(anyChanged(versions.get(version), keys))
          .as("seed=%d version=%d keys=%s", seed, version, keys)
          .isEqualTo(keys.stream().anyMatch(changedSince.get(version)::contains));
    }
  }

  @ParameterizedTest
  @EnumSource(RecordOrder.class)
  void repeatsLaterChangesOfKeysThatAreChangedOnlyNow(RecordOrder order) throws Exception {
    AsOf before = AsOf.of(build(order));
    change(0, false);
    Manifest inService = change(2, true);
    change(4, false);
    try (SegmentFiles own = new SegmentFiles(table().storage());
        SegmentFiles again = new SegmentFiles(table().storage());
        Workplace workplace = Workplace.in(directory, table());
        LaterChanges changes = LaterChanges.open(before, inService, table(), workplace);
        DeltaWriter delta = DeltaWriter.create(table())) {
      for (int key : List.of(0, 2, 4, 6)) {
        own.put(key(key), new byte[3]);
      }
      List<SegmentFile> unpublished = own.finish();

      changes.repeat(unpublished, again);

      assertThat(changes.contains(key(0))).isTrue();
      assertThat(changes.contains(key(4))).isFalse();
      unpublished.forEach(delta::segment);
      again.finish().forEach(delta::segment);
      delta.publish();
    }
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      assertThat(reader.get(key(0))).hasSize(2);
      assertThat(reader.get(key(2))).isNull();
      assertThat(reader.get(key(4))).hasSize(3);
      assertThat(reader.get(key(6))).hasSize(3);
    }
  }

  @Test
  void refusesToGuessAcrossARebuild() throws Exception {
    AsOf before = AsOf.of(build(RecordOrder.HASH));
    build(RecordOrder.HASH);

    assertThatThrownBy(() -> anyChanged(before, List.of(1)))
        .isInstanceOf(PublishConflictException.class)
        .hasMessageContaining("the changes after version " + before.version())
        .hasMessageContaining("the table was rebuilt or rolled back");
  }
}
