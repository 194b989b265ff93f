package io.bsdb.compact;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.reader.Contents;
import io.bsdb.reader.NothingLeftOpen;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.StreamProgress;
import io.bsdb.testkit.Await;
import io.bsdb.testkit.FaultyStorage;
import io.bsdb.testkit.InMemory;
import io.bsdb.testkit.Records;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A table without locks into which a stream is written. */
@ExtendWith(NothingLeftOpen.class)
class UpkeepTest {
  private static final int KEYS = 8_000;
  private static final int PARTITIONS = 16;

  /** So long that a quarter of the keys takes more than the megabyte that is not worth a fold. */
  private static final String VALUE = "v".repeat(600);

  @TempDir(factory = InMemory.class)
  private Path directory;

  @TempDir(factory = InMemory.class)
  private Path temporary;

  private final Map<String, String> model = new HashMap<>();
  private final List<String> opened = new ArrayList<>();
  private FaultyStorage.Fault fault = (operation, path) -> {};
  private Table table;

  private static String key(int number) {
    return "k%05d".formatted(number);
  }

  private void build(RecordOrder order) throws IOException {
    WriterOptions options = WriterOptions.builder().partitions(PARTITIONS).order(order).build();
    for (int i = 0; i < KEYS; i++) {
      model.put(key(i), "base");
    }
    Records.of(model).publish(directory, options);
    table =
        Table.of(
            FaultyStorage.withoutLocks(
                Table.at(directory).storage(),
                (operation, path) -> {
                  fault.before(operation, path);
                  if (operation.equals("open")) {
                    opened.add(path);
                  }
                }));
  }

  private void buildWithStream(RecordOrder order) throws IOException {
    build(order);
    record(new StreamProgress.Checkpoint(UUID.randomUUID(), 7));
  }

  private void record(StreamProgress.Checkpoint checkpoint) throws IOException {
    StreamProgress progress = new StreamProgress(checkpoint);
    Table.at(directory)
        .edit(
            inService ->
                inService.with(
                    inService.partitions(), Map.of(), inService.changes().with("s", progress)));
  }

  private void change(Map<String, String> puts, String... deletes) throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
      for (Map.Entry<String, String> put : puts.entrySet()) {
        writer.put(bytes(put.getKey()), bytes(put.getValue()));
        model.put(put.getKey(), put.getValue());
      }
      for (String delete : deletes) {
        writer.delete(bytes(delete));
        model.remove(delete);
      }
      writer.publish();
    }
  }

  private void change(int from, int to, IntFunction<String> value) throws IOException {
    Map<String, String> puts = new HashMap<>();
    for (int i = from; i < to; i++) {
      puts.put(key(i), value.apply(i));
    }
    change(puts, key(to), key(to + 1));
  }

  private Manifest inService() throws IOException {
    return table.manifest(table.requireCurrentVersion());
  }

  private boolean isDue() throws IOException {
    Manifest manifest = inService();
    return !new UpkeepPolicy(UpkeepSettings.ofStream(Duration.ZERO), InstantSource.system())
        .due(manifest, ChangeCounts.most(manifest))
        .isNothing();
  }

  private void assertAnswersAreRight() throws IOException {
    assertThat(Contents.verified(directory)).isEqualTo(model);
  }

  @ParameterizedTest
  @EnumSource(RecordOrder.class)
  void foldsAQuarterAndKeepsTheStream(RecordOrder order) throws IOException {
    buildWithStream(order);
    change(0, KEYS / 8, i -> VALUE + i);
    assertThat(isDue()).isFalse();
    change(KEYS / 8, KEYS / 4 + 9, i -> VALUE + i);
    assertThat(isDue()).isTrue();
    Changes before = inService().changes();

    int folded = new StreamUpkeep(table, temporary).fold();

    assertThat(folded).isBetween(PARTITIONS / 8, PARTITIONS);
    assertThat(inService().changes().streams()).isEqualTo(before.streams());
    assertThat(inService().changes().history().segments()).isEmpty();
    assertAnswersAreRight();
    Set<String> copied = new TreeSet<>(opened);
    copied.removeIf(path -> !path.endsWith(".bsdb"));
    assertThat(copied).as("partitions copied").hasSize(folded);
    assertThat(opened).as("files copied twice").doesNotHaveDuplicates();
  }

  @Test
  void countsTheSameFewKeysOnceAndFoldsThemNot() throws IOException {
    buildWithStream(RecordOrder.HASH);
    for (int i = 0; !isDue(); i++) {
      int round = i;
      change(0, KEYS / 16, key -> VALUE + round);
    }
    StreamUpkeep upkeep = new StreamUpkeep(table, temporary);
    assertThat(upkeep.fold()).isZero();
    assertThat(opened).as("segments copied").isNotEmpty();
    opened.clear();
    change(0, KEYS / 16, key -> VALUE);
    assertThat(upkeep.fold()).isZero();
    assertThat(opened).isEmpty();
    change(KEYS / 16, KEYS / 2, key -> VALUE);
    assertThat(upkeep.fold()).isPositive();
    assertAnswersAreRight();
  }

  @Test
  void foldsOnlyWhereMuchHasChanged() throws IOException {
    buildWithStream(RecordOrder.KEY);
    change(KEYS - KEYS / 3, KEYS - 10, i -> VALUE + i);
    List<UUID> before = inService().partitions().stream().map(PartitionFile::fileId).toList();
    new StreamUpkeep(table, temporary).fold();
    List<UUID> after = inService().partitions().stream().map(PartitionFile::fileId).toList();
    assertThat(after).containsAll(before.subList(0, PARTITIONS / 2));
    assertThat(isDue()).isFalse();
    assertAnswersAreRight();
  }

  @Test
  void keepsWhatIsPublishedMeanwhile() throws IOException {
    buildWithStream(RecordOrder.HASH);
    change(0, KEYS / 2, i -> VALUE + i);
    int[] published = new int[1];
    fault =
        (operation, path) -> {
          if (path.endsWith(".bsdb") && published[0] < 20) {
            published[0]++;
            change(Map.of(key(published[0]), "meanwhile", key(KEYS - published[0]), "later"));
          }
        };
    new StreamUpkeep(table, temporary).fold();
    assertThat(published[0]).isEqualTo(20);
    assertThat(isDue()).isFalse();
    assertAnswersAreRight();
  }

  @Test
  void refusesADamagedPartition() throws IOException {
    buildWithStream(RecordOrder.HASH);
    change(0, KEYS / 2, i -> VALUE + i);
    Manifest before = inService();
    for (PartitionFile file : before.partitions()) {
      Path path = directory.resolve(file.directory(before.version())).resolve(file.name());
      byte[] content = Files.readAllBytes(path);
      content[content.length / 2] ^= 1;
      Files.write(path, content);
    }
    assertThatThrownBy(() -> new StreamUpkeep(table, temporary).fold())
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("copied file does not match the manifest");
    assertThat(inService()).isEqualTo(before);
  }

  @Test
  void publishesNothingForAJobThatAnotherOneTookThePlaceOf() throws IOException {
    buildWithStream(RecordOrder.HASH);
    change(0, KEYS / 2, i -> VALUE + i);
    boolean[] superseded = new boolean[1];
    fault =
        (operation, path) -> {
          if (path.endsWith(".bsdb") && !superseded[0]) {
            superseded[0] = true;
            record(new StreamProgress.Checkpoint(UUID.randomUUID(), 8));
          }
        };
    List<UUID> before = inService().partitions().stream().map(PartitionFile::fileId).toList();
    assertThatThrownBy(() -> new StreamUpkeep(table, temporary).fold())
        .isInstanceOf(PublishConflictException.class)
        .hasMessageContaining("another job goes on with the stream");
    assertThat(inService().partitions().stream().map(PartitionFile::fileId).toList())
        .isEqualTo(before);
    new StreamUpkeep(table, temporary).fold();
    assertAnswersAreRight();
  }

  @Test
  void publishesNothingOnceItIsStopped() throws IOException {
    buildWithStream(RecordOrder.HASH);
    change(0, KEYS / 2, i -> VALUE + i);
    Manifest before = inService();
    StreamUpkeep folder = new StreamUpkeep(table, temporary);
    fault =
        (operation, path) -> {
          if (operation.equals("commit")) { // of a partition that is written
            folder.stop();
          }
        };
    assertThatThrownBy(folder::fold).isInstanceOf(InterruptedIOException.class);
    assertThat(inService()).isEqualTo(before);
    assertThat(table.versions()).hasSize(4 - 1);
  }

  @Test
  @Timeout(60)
  void triesAgainUntilTheStorageWorksAndReportsTheLastFailure() throws IOException {
    buildWithStream(RecordOrder.HASH);
    change(0, KEYS / 2, i -> VALUE + i);
    AtomicInteger failures = new AtomicInteger();
    fault =
        (operation, path) -> {
          if (operation.equals("commit") && failures.incrementAndGet() <= 2) {
            throw new IOException("injected " + path);
          }
        };
    AtomicInteger folded = new AtomicInteger();
    Upkeep upkeep =
        new Upkeep(
            "upkeep",
            table,
            Author.STREAM,
            UpkeepSettings.ofStream(Duration.ZERO),
            () -> Workplace.copies(table, temporary, () -> {}),
            step -> folded.addAndGet(step.foldedPartitions()),
            Duration.ofDays(1));
    try (upkeep) {
      upkeep.wake();
      Throwable failure = null;
      while (failure == null) {
        Thread.onSpinWait();
        failure = upkeep.failure();
      }
      assertThat(failure).hasMessageContaining("injected");
      Await.until(() -> upkeep.failure() == null);
      assertThat(folded.get()).isPositive();
    }
    assertThat(failures.get()).isGreaterThan(2);
    assertThat(isDue()).isFalse();
    assertAnswersAreRight();
  }

  /** Others are refused, and need not wait for a copy to be told. */
  @Test
  void isTheStreamsAlone() throws IOException {
    buildWithStream(RecordOrder.HASH);
    change(0, KEYS / 2, i -> VALUE + i);
    assertThatThrownBy(() -> Compactor.remote(table, temporary).run())
        .isInstanceOf(PublishConflictException.class)
        .hasMessageContaining("streams=[s]");
    assertThat(opened).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(RecordOrder.class)
  void compactsWithoutAStream(RecordOrder order) throws IOException {
    build(order);
    change(0, KEYS / 2, i -> VALUE + i);
    change(KEYS / 2, KEYS / 2 + 10, i -> VALUE + i);
    Compactor.Result result = Compactor.remote(table, temporary).maxSegments(1).run();
    assertThat(result.foldedPartitions()).isPositive();
    assertAnswersAreRight();
    Compactor.remote(table, temporary).foldFraction(0).run();
    assertThat(inService().changes().segments()).isEmpty();
    assertAnswersAreRight();
    assertThat(Compactor.remote(table, temporary).run().manifest()).isEqualTo(inService());
  }
}
