package io.bsdb.reload;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.compact.Compactor;
import io.bsdb.reader.Contents;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.StreamRule;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.StreamProgress.Checkpoint;
import io.bsdb.testkit.InMemory;
import io.bsdb.testkit.Records;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reloads of inputs that were read as of a version, beside others that change the table. */
class ReloadAsOfTest {
  private static final int KEYS = 400;
  private static final int ROUNDS = 7;
  private static final int MANY = 1_000;
  private static final List<Publish> PUBLISH = List.of(Publish.values());
  private static final String STREAM = "orders";

  @TempDir(factory = InMemory.class)
  private Path directory;

  private final long seed = Long.getLong("bsdb.test.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final UUID job = new UUID(1, 2);
  private @Nullable Checkpoint last;
  private Map<String, String> rows = new TreeMap<>();
  private final Set<String> changedSince = new HashSet<>();
  private Table table = Table.at(Path.of("unused"));

  @BeforeEach
  void table() {
    table = Table.at(directory);
  }

  private String key() {
    return "key" + random.nextInt(KEYS);
  }

  private void build(WriterOptions options) throws IOException {
    rows = new TreeMap<>();
    for (int i = 0; i < KEYS; i++) {
      rows.put(key(), "built " + i);
    }
    Records.of(rows).publish(directory, options);
  }

  private void change(boolean isStream) throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(table)) {
      for (int i = random.nextInt(20); i >= 0; i--) {
        String key = key();
        changedSince.add(key);
        if (random.nextInt(3) == 0) {
          writer.delete(bytes(key));
          rows.remove(key);
        } else {
          String value = "by others " + random.nextInt(3);
          writer.put(bytes(key), bytes(value));
          rows.put(key, value);
        }
      }
      if (isStream) {
        Checkpoint next = new Checkpoint(job, last == null ? 1 : last.number() + 1);
        writer.stream(new StreamRule(STREAM, next, last));
        last = next;
      }
      writer.publish();
    }
  }

  /** Folds; merges only if that loses nobody which changes came before a version. */
  private void compact(int maxSegments) throws IOException {
    new Compactor(directory)
        .foldFraction(random.nextInt(2) * 0.1)
        .maxSegments(maxSegments)
        .keepHistory(Duration.ofDays(1))
        .run();
  }

  private Map<String, String> input() {
    Map<String, String> input = new TreeMap<>(rows);
    int changes = random.nextInt(4) == 0 ? KEYS : random.nextInt(60);
    for (int i = 0; i < changes; i++) {
      if (random.nextInt(3) == 0) {
        input.remove(key());
      } else {
        input.put(key(), "by the input " + random.nextInt(3));
      }
    }
    return input;
  }

  @ParameterizedTest
  @EnumSource
  void keepsWhatChangedAfterTheInputWasRead(RecordOrder order) throws Exception {
    System.out.println("seed of the reloads as of a version: " + seed);
    WriterOptions options = WriterOptions.builder().order(order).partitions(3).minRows(0).build();
    build(options);
    for (int round = 0; round < ROUNDS; round++) {
      Publish publish = PUBLISH.get(random.nextInt(PUBLISH.size()));
      compact(1 + random.nextInt(4));
      String version = table.requireCurrentVersion();
      Map<String, String> input = input();
      changedSince.clear();
      change(random.nextBoolean());
      if (random.nextBoolean()) {
        compact(MANY);
      }
      List<Map.Entry<String, String>> shuffled = new ArrayList<>(input.entrySet());
      Collections.shuffle(shuffled, random);
      ReloadReport report;
      try (TableReload reload = TableReload.beginAsOf(version, directory, options, publish)) {
        for (Map.Entry<String, String> row : shuffled) {
          reload.add(bytes(row.getKey()), bytes(row.getValue()));
          if (random.nextInt(150) == 0) {
            meanwhile();
          }
        }
        meanwhile();
        report = reload.publish();
      }
      Map<String, String> expected = new TreeMap<>(input);
      expected.keySet().removeAll(changedSince);
      for (String key : changedSince) {
        if (rows.containsKey(key)) {
          expected.put(key, rows.get(key));
        }
      }
      rows = expected;
      assertThat(Contents.of(directory))
          .as("seed %d round %d %s", seed, round, publish)
          .isEqualTo(expected);
      ReloadReport.Difference difference = report.difference();
      if (difference != null) {
        assertThat(difference.rows()).isEqualTo(input.size());
      }
    }
    assertThat(filesIn("data").size())
        .as("no segment is left over")
        .isLessThanOrEqualTo(
            (int)
                table.versions().stream()
                    .flatMap(version -> segments(version).stream())
                    .distinct()
                    .count());
  }

  private Set<String> segments(String version) {
    try {
      return table.manifest(version).filesToKeep();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private List<Path> filesIn(String part) throws IOException {
    Path parent = directory.resolve(part);
    if (!Files.exists(parent)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(parent)) {
      return files.toList();
    }
  }

  private void meanwhile() throws IOException {
    switch (random.nextInt(4)) {
      case 0 -> {}
      case 1 -> compact(MANY);
      case 2 -> {
        change(random.nextBoolean());
        table.prune(1); // also the version that the input is compared with
      }
      default -> change(true);
    }
  }

  @Test
  void refusesWhatItCannotKeep() throws Exception {
    WriterOptions options = WriterOptions.builder().minRows(0).build();
    build(options);
    String first = table.requireCurrentVersion();
    change(false);
    new Compactor(directory).foldFraction(0).keepHistory(Duration.ZERO).run();
    assertThatThrownBy(() -> TableReload.beginAsOf(first, directory, options, Publish.CHANGES))
        .isInstanceOf(PublishConflictException.class)
        .hasMessageContaining("the changes after version %s cannot be identified".formatted(first))
        .hasMessageContaining("changes that were folded are kept only from segment 2 on");

    String second = table.requireCurrentVersion();
    try (TableReload reload = TableReload.beginAsOf(second, directory, options, Publish.CHANGES)) {
      reload.add(bytes("key"), bytes("value"));
      build(options);
      assertThatThrownBy(reload::publish)
          .isInstanceOf(PublishConflictException.class)
          .hasMessageContaining("the table was rebuilt or rolled back");
    }
    String third = table.requireCurrentVersion();
    try (TableReload reload = TableReload.beginAsOf(third, directory, options, Publish.CHANGES)) {
      for (Map.Entry<String, String> row : rows.entrySet()) {
        reload.add(bytes(row.getKey()), bytes(row.getValue()));
      }
      build(options);
      assertThatThrownBy(reload::publish)
          .as("nothing differs from the version that was replaced")
          .isInstanceOf(PublishConflictException.class)
          .hasMessageContaining("the table was rebuilt or rolled back");
    }
    assertThat(Contents.of(directory)).isEqualTo(rows);
    assertThatThrownBy(
            () -> TableReload.beginAsOf("0000000099-00000000", directory, options, Publish.CHANGES))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void appliesChangesMadeDuringTheComparisonAgain() throws Exception {
    WriterOptions options = WriterOptions.builder().minRows(0).build();
    build(options);
    List<String> keys = List.copyOf(rows.keySet());
    String deleted = keys.get(0);
    String put = keys.get(1);
    String untouched = keys.get(2);
    try (TableReload reload =
        TableReload.beginAsOf(table.requireCurrentVersion(), directory, options, Publish.CHANGES)) {
      for (String key : keys) {
        reload.add(bytes(key), bytes("by the input"));
      }
      try (DeltaWriter writer = DeltaWriter.create(table)) {
        writer.delete(bytes(deleted));
        writer.put(bytes(put), bytes("by others"));
        writer.put(bytes("new"), bytes("by others"));
        writer.publish();
      }
      reload.publish();
    }
    assertThat(Contents.of(directory))
        .doesNotContainKey(deleted)
        .containsEntry(put, "by others")
        .containsEntry("new", "by others")
        .containsEntry(untouched, "by the input");
  }

  @Test
  void countsWithoutPublishing() throws Exception {
    WriterOptions options = WriterOptions.builder().minRows(0).build();
    build(options);
    String version = table.requireCurrentVersion();
    Map<String, String> input = new TreeMap<>(rows);
    change(false);
    try (TableReload reload = TableReload.dryRunAsOf(version, directory, options)) {
      for (Map.Entry<String, String> row : input.entrySet()) {
        reload.add(bytes(row.getKey()), bytes(row.getValue()));
      }
      ReloadReport.Difference difference = reload.publish().difference();
      assertThat(difference).isNotNull();
      assertThat(difference.differing()).isZero();
      assertThat(difference.same()).isEqualTo(input.size());
    }
    assertThat(Contents.of(directory)).isEqualTo(rows);
  }
}
