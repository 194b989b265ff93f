package io.bsdb.live;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.compact.Compactor;
import io.bsdb.live.ModelValues.State;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A table that nobody owns, changed at random: by builds, deltas, folds, rollbacks and prunes. */
final class PlainModel {
  private final Path directory;
  private final Table table;
  private final Random random;
  private final ModelValues values;
  private final Map<String, State> versions = new HashMap<>();

  PlainModel(Path directory, Random random, ModelValues values) {
    this.directory = directory;
    this.table = Table.at(directory);
    this.random = random;
    this.values = values;
  }

  /** Begins with a table that holds something, if it has a version. */
  void begin(State state) throws IOException {
    if (table.currentVersion() == null) {
      build();
    } else {
      versions.put(table.requireCurrentVersion(), state);
      check();
    }
  }

  private WriterOptions options() {
    return WriterOptions.builder()
        .layout(List.of(Layout.values()).get(random.nextInt(Layout.values().length)))
        .partitions(1 + random.nextInt(20))
        .minRows(0)
        .build();
  }

  /** Makes some changes; returns what the table holds then. */
  State change(int changes) throws IOException {
    for (int i = 0; i < changes; i++) {
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> delta();
        case 3 -> build();
        case 4 -> rebuild();
        case 5 -> rollback();
        case 6 -> fold();
        default -> versions.keySet().removeAll(table.prune(1 + random.nextInt(3)));
      }
      check();
    }
    return state();
  }

  /** Tries to change a table that has a version and an owner. */
  void isRefused() throws IOException {
    String version = table.requireCurrentVersion();
    try (DeltaWriter delta = DeltaWriter.create(table)) {
      delta.put(new byte[] {1}, new byte[] {1});
      assertThatThrownBy(delta::publish).isInstanceOf(PublishConflictException.class);
    }
    try (SnapshotWriter build = SnapshotWriter.create(directory, options())) {
      build.add(new byte[] {1}, new byte[] {1});
      assertThatThrownBy(build::publish).isInstanceOf(PublishConflictException.class);
    }
    assertThatThrownBy(() -> table.rollback(version))
        .isInstanceOfAny(
            PublishConflictException.class, IllegalArgumentException.class); // pruned meanwhile
  }

  private State state() throws IOException {
    return versions.get(table.requireCurrentVersion());
  }

  private void check() throws IOException {
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      assertThat(values.content(reader)).isEqualTo(state().values());
    }
  }

  private void fill(SnapshotWriter writer, State state) throws IOException {
    for (Map.Entry<String, Integer> record : state.values().entrySet()) {
      writer.add(record.getKey().getBytes(US_ASCII), values.bytes(record.getValue()));
    }
  }

  /** Publishes a build that replaces all there is. */
  void build() throws IOException {
    State next = State.EMPTY;
    for (int i = random.nextInt(2 * values.keys()); i > 0; i--) {
      next = next.with(values.randomKey(), values.random());
    }
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options())) {
      fill(writer, next);
      writer.publish();
    }
    versions.put(table.requireCurrentVersion(), next);
  }

  /** Builds an earlier version anew, under the changes since. */
  private void rebuild() throws IOException {
    List<String> all = table.versions();
    String version = all.get(random.nextInt(all.size()));
    State before = state();
    try (SnapshotWriter writer = SnapshotWriter.createAsOf(version, directory, options())) {
      fill(writer, versions.get(version));
      if (random.nextBoolean()) {
        delta();
        before = state();
      }
      writer.publish();
      versions.put(table.requireCurrentVersion(), before);
    } catch (PublishConflictException refused) {
      assertThat(state()).isEqualTo(before);
    }
  }

  private void delta() throws IOException {
    State next = state();
    try (DeltaWriter writer = DeltaWriter.create(table)) {
      for (int i = random.nextInt(8); i >= 0; i--) {
        String key = values.randomKey();
        int value = random.nextInt(3) == 0 ? ModelValues.ABSENT : values.random();
        if (value == ModelValues.ABSENT) {
          writer.delete(key.getBytes(US_ASCII));
        } else {
          writer.put(key.getBytes(US_ASCII), values.bytes(value));
        }
        next = next.with(key, value);
      }
      writer.publish();
    }
    versions.put(table.requireCurrentVersion(), next);
  }

  private void rollback() throws IOException {
    List<String> all = table.versions();
    table.rollback(all.get(random.nextInt(all.size())));
  }

  private void fold() throws IOException {
    State same = state();
    new Compactor(directory)
        .foldFraction(List.of(0.0, 0.5, 100.0).get(random.nextInt(3)))
        .maxSegments(1 + random.nextInt(3))
        .maxPartitions(1 + random.nextInt(20))
        .keepHistory(random.nextBoolean() ? Duration.ZERO : Duration.ofDays(1))
        .run();
    for (String version : table.versions()) { // it may publish many
      versions.putIfAbsent(version, same);
    }
  }
}
