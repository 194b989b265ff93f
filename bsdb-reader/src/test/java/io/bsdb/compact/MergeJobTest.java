package io.bsdb.compact;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.reader.Contents;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.table.manifest.StreamProgress;
import io.bsdb.testkit.FaultyStorage;
import io.bsdb.testkit.InMemory;
import io.bsdb.testkit.InService;
import io.bsdb.testkit.Records;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class MergeJobTest {
  private static final int KEYS = 300;
  private static final int MAX_SEGMENTS = 4;

  @TempDir(factory = InMemory.class)
  private Path directory;

  @TempDir(factory = InMemory.class)
  private Path temporary;

  private final Map<String, String> model = new HashMap<>();
  private Table table;

  @BeforeEach
  void build() throws IOException {
    table = Table.at(directory);
    for (int i = 0; i < KEYS; i++) {
      model.put("k" + i, "base");
    }
    Records.of(model).publish(directory, WriterOptions.builder().partitions(4).build());
  }

  private void change(Random random, int count) throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(table)) {
      for (int i = 0; i < count; i++) {
        String key = "k" + random.nextInt(2 * KEYS);
        if (random.nextInt(3) == 0) {
          writer.delete(bytes(key));
          model.remove(key);
        } else {
          String value = "v" + random.nextInt();
          writer.put(bytes(key), bytes(value));
          model.put(key, value);
        }
      }
      writer.publish();
    }
  }

  private int merge() throws IOException {
    return new StreamUpkeep(table, temporary, MAX_SEGMENTS).merge();
  }

  private List<SegmentFile> segments() throws IOException {
    return InService.of(table).changes().segments();
  }

  private void assertAnswersAreRight() throws IOException {
    assertThat(Contents.verified(directory)).isEqualTo(model);
  }

  /** Between merges, partitions are folded as if the folds had begun before. */
  @Test
  void answersStayTheSame() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 60; round++) {
      change(random, 1 + random.nextInt(20));
      merge();
      assertThat(segments()).as("seed %d", seed).hasSizeLessThanOrEqualTo(MAX_SEGMENTS);
      if (random.nextInt(5) == 0) {
        new Compactor(directory).foldFraction(random.nextDouble() / 4).maxSegments(1000).run();
      }
      assertAnswersAreRight();
    }
  }

  @Test
  void leavesFewSegmentsAsTheyAre() throws IOException {
    Random random = new Random(1);
    for (int i = 0; i < MAX_SEGMENTS; i++) {
      change(random, 5);
      assertThat(merge()).isZero();
    }
    assertThat(segments()).hasSize(MAX_SEGMENTS);
    change(random, 5);
    assertThat(merge()).isEqualTo(MAX_SEGMENTS + 1);
    assertThat(segments()).hasSize(1);
  }

  @Test
  void keepsWhatIsPublishedMeanwhileAndRefusesWhatIsCompactedMeanwhile() throws IOException {
    Random random = new Random(2);
    for (int i = 0; i <= MAX_SEGMENTS; i++) {
      change(random, 50);
    }
    new StreamUpkeep(whenLocked(() -> change(random, 50)), temporary, MAX_SEGMENTS).merge();
    assertThat(segments()).hasSize(2);
    assertAnswersAreRight();

    for (int i = 0; i <= MAX_SEGMENTS; i++) {
      change(random, 50);
    }
    Table compacted = whenLocked(() -> new Compactor(directory).foldFraction(0).run());
    assertThatThrownBy(() -> new StreamUpkeep(compacted, temporary, MAX_SEGMENTS).merge())
        .isInstanceOf(PublishConflictException.class)
        .hasMessageContaining("rebuilt or compacted meanwhile");
    assertAnswersAreRight();
  }

  /** A fold takes longer than it takes until segments are merged again. */
  @Test
  void aFoldIsKeptThoughSegmentsAreMergedMeanwhile() throws IOException {
    Random random = new Random(4);
    for (int i = 0; i <= MAX_SEGMENTS; i++) {
      change(random, 50);
    }
    Table merged =
        whenLocked(
            () -> {
              change(random, 50);
              merge();
            });
    assertThat(new Compactor(directory, merged).foldFraction(0).run().foldedPartitions())
        .isEqualTo(4);
    assertThat(segments()).hasSize(1);
    assertAnswersAreRight();
    new Compactor(directory).foldFraction(0).run();
    assertThat(segments()).isEmpty();
    assertAnswersAreRight();
  }

  /** A partition that is folded needs none of them, but a build that began before may. */
  @Test
  void leavesOutWhatIsFoldedUnlessABuildNeedsIt() throws IOException {
    Random random = new Random(5);
    for (Duration history : List.of(Duration.ofDays(1), Duration.ZERO)) {
      change(random, 200);
      change(random, 200);
      long changes = InService.of(table).changes().count();
      compactor(history).foldFraction(0).maxPartitions(2).run();
      compactor(history).foldFraction(Double.POSITIVE_INFINITY).maxSegments(1).run();
      Changes merged = InService.of(table).changes();
      assertThat(merged.segments()).hasSize(1);
      assertThat(merged.history().segments()).isEmpty();
      if (history.isZero()) {
        assertThat(merged.count()).isLessThan(changes / 2);
        assertThat(merged.history().after()).isEqualTo(merged.lastSegment());
      } else {
        assertThat(merged.count()).isGreaterThan(KEYS / 2);
        assertThat(merged.history().after()).isZero();
      }
      assertAnswersAreRight();
    }
  }

  /** The newest change of a key may be folded already, while a segment with an older one is not. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1})
  void bringsNoOlderValueBack(long daysOfHistory) throws IOException {
    Map<Integer, List<String>> keys = keysByPartition();
    String key = keys.get(0).get(0);
    String other = keys.get(3).get(0);
    Manifest before = InService.of(table);
    put(Map.of(key, "old", other, "old"));
    for (String many : keys.get(0)) {
      put(Map.of(many, "folded"));
    }
    Duration history = Duration.ofDays(daysOfHistory);
    compactor(history).foldFraction(0.5).maxSegments(1000).run();
    assertThat(segments()).hasSize(1);
    put(Map.of(other, "new"));
    try (SnapshotWriter build =
        SnapshotWriter.createAsOf(before.version(), directory, WriterOptions.defaults())) {
      for (int i = 0; i < KEYS; i++) {
        build.add(bytes("k" + i), bytes("base"));
      }
      compactor(history).foldFraction(Double.POSITIVE_INFINITY).maxSegments(1).run();
      assertThat(segments()).hasSize(1);
      assertAnswersAreRight();
      if (daysOfHistory > 0) {
        build.publish();
        assertAnswersAreRight();
      }
    }
  }

  /** Their partitions are folded; but they may concern another one, whose change is older. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1})
  void mergesSegmentsOfWhichAllChangesAreFolded(long daysOfHistory) throws IOException {
    Map<Integer, List<String>> keys = keysByPartition();
    put(Map.of(keys.get(1).get(0), "too long to be merged ".repeat(100_000)));
    for (int i = 0; i <= MAX_SEGMENTS; i++) {
      Map<String, String> puts = new HashMap<>();
      for (int partition : List.of(0, 2)) {
        for (String key : keys.get(partition)) {
          puts.put(key, "folded " + i);
        }
      }
      put(puts);
    }
    put(Map.of(keys.get(0).get(0), "folded last")); // of one partition, so that its segment goes
    compactor(Duration.ofDays(daysOfHistory)).foldFraction(0.5).maxSegments(1000).run();
    assertThat(segments()).hasSize(MAX_SEGMENTS + 2);
    assertThat(merge()).isEqualTo(MAX_SEGMENTS + 1);
    assertThat(segments()).hasSize(2);
    assertAnswersAreRight();
    new Compactor(directory).foldFraction(0).run();
    assertThat(segments()).isEmpty();
    assertAnswersAreRight();
  }

  private Map<Integer, List<String>> keysByPartition() throws IOException {
    Partitioning partitioning = InService.of(table).partitioning();
    return model.keySet().stream()
        .collect(Collectors.groupingBy(key -> partitioning.partition(bytes(key))));
  }

  private void put(Map<String, String> puts) throws IOException {
    Records.of(puts).change(table);
    model.putAll(puts);
  }

  private Compactor compactor(Duration history) {
    return new Compactor(directory).keepHistory(history);
  }

  private interface Action {
    void run() throws IOException;
  }

  /** The table, to which something happens just before it is changed. */
  private Table whenLocked(Action action) {
    return Table.of(
        new FaultyStorage(
            table.storage(),
            (operation, path) -> {
              if (operation.equals("lock")) {
                action.run();
              }
            }));
  }

  /** All changes are folded between the decision to merge them and its beginning. */
  @ParameterizedTest
  @EnumSource(RecordOrder.class)
  void refusesToMergeWhatHasBeenFolded(RecordOrder order) throws IOException {
    try (SnapshotWriter writer =
        SnapshotWriter.create(directory, WriterOptions.builder().order(order).build())) {
      for (String key : model.keySet()) {
        writer.add(bytes(key), bytes("base"));
      }
      writer.publish();
    }
    Random random = new Random(12);
    for (int i = 0; i <= MAX_SEGMENTS; i++) {
      change(random, 20);
    }
    AtomicInteger looks = new AtomicInteger();
    Table folded =
        Table.of(
            new FaultyStorage(
                table.storage(),
                (operation, path) -> {
                  if (path.equals("CURRENT") && looks.incrementAndGet() == 2) {
                    new Compactor(directory).foldFraction(0).run();
                  }
                }));
    assertThatThrownBy(() -> new StreamUpkeep(folded, temporary, MAX_SEGMENTS).merge())
        .isInstanceOf(PublishConflictException.class)
        .hasMessageContaining("rebuilt or compacted meanwhile");
    assertThat(segments()).isEmpty();
    assertAnswersAreRight();
  }

  @Test
  void leavesNoFileIfTheSegmentsAreMergedMeanwhile() throws IOException {
    Random random = new Random(11);
    for (int i = 0; i <= MAX_SEGMENTS; i++) {
      change(random, 20);
    }
    Table late = whenLocked(this::merge);
    assertThatThrownBy(() -> new StreamUpkeep(late, temporary, MAX_SEGMENTS).merge())
        .isInstanceOf(PublishConflictException.class);
    Set<String> named = new TreeSet<>();
    for (String version : table.versions()) {
      named.addAll(table.manifest(version).filesToKeep());
    }
    assertThat(table.storage().list("data"))
        .map(name -> "data/" + name)
        .isSubsetOf(named)
        .hasSize(MAX_SEGMENTS + 2);
    assertAnswersAreRight();
  }

  /** There the stream's committer merges, and nobody else may publish. */
  @Test
  void mergesWhereThereAreNoLocksAndNothingIsFolded() throws IOException {
    StreamProgress progress =
        new StreamProgress(new StreamProgress.Checkpoint(UUID.randomUUID(), 7));
    Random random = new Random(9);
    for (int i = 0; i <= MAX_SEGMENTS; i++) {
      change(random, 20);
    }
    table.edit(
        inService ->
            inService.with(
                inService.partitions(), Map.of(), inService.changes().with("s", progress)));
    table = Table.of(FaultyStorage.withoutLocks(table.storage(), (operation, path) -> {}));
    List<String> versions = table.versions();
    assertThatThrownBy(() -> new Compactor(directory, table).foldFraction(0).run())
        .isInstanceOf(PublishConflictException.class)
        .hasMessageContaining("only the job that streams into the table may change it")
        .hasMessageContaining("streams=[s]");
    assertThat(table.versions()).isEqualTo(versions);
    assertThat(merge()).isPositive();
    assertThat(segments().size()).isLessThan(MAX_SEGMENTS);
    assertAnswersAreRight();
  }

  @Test
  void refusesADamagedSegment() throws IOException {
    Random random = new Random(3);
    for (int i = 0; i <= MAX_SEGMENTS; i++) {
      change(random, 5);
    }
    Path segment = directory.resolve(segments().get(2).path());
    byte[] content = Files.readAllBytes(segment);
    content[content.length / 2] ^= 1;
    Files.write(segment, content);
    String before = table.requireCurrentVersion();

    assertThatThrownBy(this::merge).isInstanceOf(CorruptSnapshotException.class);
    assertThat(table.currentVersion()).isEqualTo(before);
  }
}
