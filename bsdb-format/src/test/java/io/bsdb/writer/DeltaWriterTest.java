package io.bsdb.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.row.Schema;
import io.bsdb.table.Build;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.History;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.table.manifest.StreamProgress;
import io.bsdb.table.storage.ForwardingStorage;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeltaWriterTest {
  @TempDir private Path directory;
  private Table table = Table.at(Path.of("unset"));
  private String base = "";

  @BeforeEach
  void build() throws IOException {
    table = Table.at(directory);
    base = build(WriterOptions.builder().build());
  }

  private String build(WriterOptions options) throws IOException {
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      for (int i = 0; i < 100; i++) {
        writer.add(bytes("k" + i), bytes("v" + i));
      }
      return writer.publish().version();
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private Manifest change(String key) throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(table)) {
      writer.put(bytes(key), bytes("new"));
      return writer.publish();
    }
  }

  @Test
  void isNotReplacedByABuildWhileAStreamIsWritten() throws IOException {
    StreamProgress progress = new StreamProgress(new StreamProgress.Checkpoint(new UUID(1, 2), 3));
    Manifest streamed =
        table.edit(
            manifest ->
                manifest.with(
                    manifest.partitions(), Map.of(), manifest.changes().with("cdc", progress)));
    assertThat(change("k1").changes().streams()).containsEntry("cdc", progress);
    assertThat(table.edit(manifest -> manifest).version()).isEqualTo(table.currentVersion());

    assertThatThrownBy(() -> build(WriterOptions.builder().build()))
        .isInstanceOf(PublishConflictException.class)
        .hasMessageContainingAll(
            "a table into which a stream is written cannot be replaced by a build that does not say which changes it has: table="
                + directory,
            "streams=[cdc]",
            "bsdb end-stream --table '" + directory + "' 'cdc'");
    assertThat(table.versions()).hasSize(3).contains(streamed.version());
  }

  @Test
  void anEditOfABuildIsMadeOnce() throws IOException {
    Build build = table.begin();
    Table.Edit edit =
        manifest -> manifest.with(manifest.partitions(), Map.of("s", "1"), manifest.changes());

    Manifest edited = table.edit(build, edit);

    assertThat(edited.parent()).isEqualTo(base);
    assertThat(table.wasPublished(build)).isTrue();
    change("k1");
    String inService = table.currentVersion();
    assertThat(table.edit(build, edit)).isEqualTo(edited);
    assertThat(table.currentVersion()).isEqualTo(inService);
    table.rollback(base);
    assertThat(table.edit(build, edit).version()).isNotEqualTo(edited.version());
    assertThat(table.manifest(table.requireCurrentVersion()).sourcePositions())
        .containsEntry("s", "1");
  }

  /** Old versions may be deleted by others at any time. */
  @Test
  void deletesWhatItHasNotPublishedWhileVersionsArePruned() throws IOException {
    change("k1");
    AtomicBoolean prunes = new AtomicBoolean();
    Table pruned =
        Table.of(
            new ForwardingStorage(table.storage()) {
              @Override
              public InputStream open(String path) throws IOException {
                if (prunes.getAndSet(false)) {
                  table.prune(1);
                }
                return super.open(path);
              }
            });
    try (DeltaWriter writer = DeltaWriter.create(pruned)) {
      writer.put(bytes("k2"), bytes("new"));
      writer.requireVersion(base);
      assertThatThrownBy(writer::publish).isInstanceOf(PublishConflictException.class);
      prunes.set(true);
    }
    assertThat(table.versions()).hasSize(1);
    assertThat(table.storage().list("data")).as("that of the version").hasSize(1);
  }

  @Test
  void isRefusedWhenARequiredPositionHasChanged() throws IOException {
    try (DeltaWriter first = DeltaWriter.create(table);
        DeltaWriter second = DeltaWriter.create(table)) {
      for (DeltaWriter writer : List.of(first, second)) {
        writer.requirePosition("orders", null);
        writer.position("orders", "7");
      }
      String published = first.publish().version();
      assertThatThrownBy(second::publish)
          .isInstanceOf(PublishConflictException.class)
          .hasMessageContaining("source=orders expected=null actual=7");
      assertThat(table.currentVersion()).isEqualTo(published);
    }
    try (DeltaWriter next = DeltaWriter.create(table)) {
      next.requirePosition("orders", "7");
      next.position("orders", "8");
      assertThat(next.publish().sourcePositions()).containsEntry("orders", "8");
    }
  }

  @Test
  void sparesYoungVersions() throws IOException {
    change("k1");
    change("k2");
    assertThat(table.prune(1, Duration.ofHours(1))).isEmpty();
    assertThat(table.prune(1, Duration.ZERO)).hasSize(2);
  }

  @Test
  void publishesAVersionThatSharesTheBase() throws IOException {
    Manifest before = table.manifest(base);
    Manifest after;
    try (DeltaWriter writer = DeltaWriter.create(table)) {
      writer.put(bytes("k1"), bytes("new"));
      writer.delete(bytes("k2"));
      writer.position("orders-0", "4711");
      after = writer.publish();
    }
    assertThat(table.currentVersion()).isEqualTo(after.version());
    assertThat(table.manifest(after.version())).isEqualTo(after);
    assertThat(after.parent()).isEqualTo(base);
    assertThat(after.sourcePositions()).isEqualTo(Map.of("orders-0", "4711"));
    assertThat(after.partitions())
        .extracting(file -> file.directory(after.version()), file -> file.fileId())
        .containsExactlyElementsOf(
            before.partitions().stream()
                .map(
                    file -> org.assertj.core.groups.Tuple.tuple("snapshots/" + base, file.fileId()))
                .toList());
    SegmentFile segment = after.changes().segments().get(0);
    assertThat(segment.number()).isOne();
    assertThat(segment.puts()).isOne();
    assertThat(segment.deletes()).isOne();
    assertThat(directory.resolve(segment.path())).hasSize(segment.length());
    assertThat(
            Files.readString(
                directory.resolve("snapshots").resolve(after.version()).resolve("manifest.json")))
        .contains("\"formatVersion\" : 2");
    assertThat(
            Files.readString(directory.resolve("snapshots").resolve(base).resolve("manifest.json")))
        .contains("\"formatVersion\" : 1");
  }

  @Test
  void severalWritersApplyToWhatIsInServiceByThen() throws IOException {
    try (DeltaWriter a = DeltaWriter.create(table);
        DeltaWriter b = DeltaWriter.create(table)) {
      a.put(bytes("a"), bytes("1"));
      b.put(bytes("b"), bytes("1"));
      b.publish();
      Manifest after = a.publish();
      assertThat(after.changes().segments())
          .extracting(SegmentFile::number)
          .containsExactly(1L, 2L);
      assertThat(after.changes().lastSegment()).isEqualTo(2);
    }
    assertThat(table.versions()).hasSize(3);
  }

  @Test
  void nothingIsPublishedWithoutChanges() throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(table)) {
      assertThat(writer.publish().version()).isEqualTo(base);
      assertThatThrownBy(() -> writer.delete(bytes("k")))
          .hasMessageContaining("have been published");
    }
    assertThat(table.versions()).containsExactly(base);
  }

  @Test
  void anAbandonedDeltaLeavesNothing() throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(table)) {
      writer.put(bytes("k"), bytes("v"));
    }
    assertThat(directory.resolve("data")).isEmptyDirectory();
    assertThat(table.currentVersion()).isEqualTo(base);
  }

  @Test
  void refusesWhatCannotBeChanged() throws IOException {
    assertThatThrownBy(() -> DeltaWriter.create(Table.at(directory.resolve("none"))))
        .isInstanceOf(NoSuchFileException.class);
    build(WriterOptions.builder().approximate().build());
    assertThatThrownBy(() -> DeltaWriter.create(table))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("approximate");
    try (DeltaWriter writer = DeltaWriter.create(rolledBack())) {
      assertThatThrownBy(() -> writer.put(new byte[0], bytes("v")))
          .hasMessageContaining("key length out of range");
      writer.put(bytes("k"), bytes("v"));
    }
  }

  @Test
  void refusesMoreSegmentsThanReadersOpen() throws IOException {
    List<SegmentFile> most = new ArrayList<>();
    for (int i = 1; i <= Changes.MAX_SEGMENTS; i++) {
      SegmentFile segment = new SegmentFile(i, UUID.randomUUID(), 64, 0, 0, 0, 1, 0);
      Files.createDirectories(directory.resolve("data"));
      Files.createFile(directory.resolve(segment.path()));
      most.add(segment);
    }
    Changes changes = new Changes(most, most.size(), Map.of(), History.NONE);
    Manifest full = table.edit(manifest -> manifest.with(manifest.partitions(), Map.of(), changes));
    assertThatThrownBy(() -> change("k1"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("too many segments: table=" + directory)
        .hasMessageContaining("expected<=4096 actual=4097")
        .hasMessageContaining("compact");
    assertThat(table.currentVersion()).isEqualTo(full.version());
    assertThat(table.storage().list("data")).hasSize(most.size());
  }

  @Test
  void refusesADeltaOfRowsIfTheSchemaHasChanged() throws IOException {
    Schema schema = Schema.builder().column("k", "STRING").primaryKey("k").build();
    try (DeltaWriter writer = DeltaWriter.create(table)) {
      writer.put(bytes("k"), bytes("v"));
      String rows = build(WriterOptions.builder().schema(schema).build());
      assertThatThrownBy(writer::publish)
          .isInstanceOf(PublishConflictException.class)
          .hasMessageContaining("the table was built with another schema meanwhile")
          .hasMessageContaining(rows);
    }
    assertThat(table.manifest(table.requireCurrentVersion()).hasChanges()).isFalse();
    assertThat(directory.resolve("data")).isEmptyDirectory();
  }

  private Table rolledBack() throws IOException {
    table.rollback(base);
    return table;
  }

  @Test
  void aBuildAnewHasNoChanges() throws IOException {
    change("k1");
    String anew = build(WriterOptions.builder().build());
    assertThat(table.manifest(anew).changes())
        .isEqualTo(new Changes(List.of(), 1, Map.of(), new History(null, 1, List.of())));
    assertThat(change("k2").changes().segments().get(0).number()).isEqualTo(2);
  }

  @Test
  void aBuildThatMissedADeltaIsRefused() throws IOException {
    try (SnapshotWriter writer =
        SnapshotWriter.create(directory, WriterOptions.builder().build())) {
      writer.add(bytes("k"), bytes("v"));
      change("k1");
      assertThatThrownBy(writer::publish).isInstanceOf(PublishConflictException.class);
    }
    assertThat(table.manifest(table.requireCurrentVersion()).hasChanges()).isTrue();
  }

  @Test
  void pruneDeletesOnlyFilesThatNoVersionNames() throws IOException {
    Manifest first = change("k1");
    Manifest second = change("k2");
    assertThat(table.prune(1)).containsExactly(base, first.version());
    for (String file : second.files()) {
      assertThat(directory.resolve(file)).exists();
    }
    assertThat(table.versions()).containsExactly(second.version());
    assertThat(table.sweep(Duration.ZERO)).isEmpty();

    String anew = build(WriterOptions.builder().build());
    assertThat(table.prune(1)).containsExactly(second.version());
    assertThat(directory.resolve("data")).isEmptyDirectory();
    assertThat(table.storage().list("snapshots")).hasSize(1);
    assertThat(table.currentVersion()).isEqualTo(anew);
  }

  @Test
  void sweepSparesSegmentsOfAWeek() throws IOException {
    change("k1");
    Path lost = directory.resolve(SegmentFile.path(UUID.randomUUID()));
    Files.write(lost, new byte[10]);
    assertThat(table.sweep(Duration.ZERO)).isEmpty();
    Files.setLastModifiedTime(
        lost,
        java.nio.file.attribute.FileTime.from(java.time.Instant.now().minus(Duration.ofDays(8))));
    assertThat(table.sweep(Duration.ZERO)).hasSize(1);
    assertThat(lost).doesNotExist();
  }

  @Test
  void rollbackPutsAnEarlierStackInService() throws IOException {
    Manifest first = change("k1");
    change("k2");
    table.rollback(first.version());
    Manifest third = change("k3");
    assertThat(third.parent()).isEqualTo(first.version());
    assertThat(third.changes().segments()).hasSize(2);
  }
}
