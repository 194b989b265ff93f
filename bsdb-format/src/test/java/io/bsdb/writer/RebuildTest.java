package io.bsdb.writer;

import static java.nio.charset.StandardCharsets.UTF_8;
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
import io.bsdb.table.storage.TableStorage;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Builds that keep changes which were published after their data was read. */
class RebuildTest {
  private static final WriterOptions OPTIONS = WriterOptions.builder().partitions(2).build();

  @TempDir private Path directory;
  private Table table;
  private String base;

  @BeforeEach
  void build() throws IOException {
    table = Table.at(directory);
    base = write(SnapshotWriter.create(directory, OPTIONS)).version();
  }

  private static Manifest write(SnapshotWriter writer) throws IOException {
    try (writer) {
      writer.add("k".getBytes(UTF_8), "v".getBytes(UTF_8));
      return writer.publish();
    }
  }

  private Manifest change(String key) throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(table)) {
      writer.put(key.getBytes(UTF_8), "changed".getBytes(UTF_8));
      writer.position("source", key);
      return writer.publish();
    }
  }

  private SnapshotWriter asOf(String version) throws IOException {
    return SnapshotWriter.createAsOf(version, directory, OPTIONS);
  }

  private Manifest inService() throws IOException {
    return table.manifest(table.requireCurrentVersion());
  }

  private static List<UUID> ids(List<SegmentFile> segments) {
    return segments.stream().map(SegmentFile::fileId).toList();
  }

  private static List<Long> numbers(List<SegmentFile> segments) {
    return segments.stream().map(SegmentFile::number).toList();
  }

  /** Folds all changes, as far as manifests tell. */
  private Manifest fold(int kept) throws IOException {
    return table.edit(
        manifest -> {
          Changes changes = manifest.changes();
          List<SegmentFile> all = changes.segments();
          int gone = all.size() - kept;
          return manifest.with(
              manifest.partitions().stream()
                  .map(file -> file.folded(base, changes.lastSegment()))
                  .toList(),
              manifest.sourcePositions(),
              changes.in(
                  List.of(),
                  new History(changes.history().line(), gone, all.subList(gone, all.size()))));
        });
  }

  private void assertRefused(SnapshotWriter writer, String... words) throws IOException {
    String before = table.requireCurrentVersion();
    assertThatThrownBy(() -> write(writer))
        .isInstanceOf(PublishConflictException.class)
        .hasMessageContainingAll(words)
        .hasMessageContaining("nothing was replaced");
    assertThat(table.currentVersion()).isEqualTo(before);
  }

  @Test
  void keepsWhatWasPublishedAfterTheVersion() throws IOException {
    Manifest first = change("a");
    Manifest manifest;
    try (SnapshotWriter writer = asOf(first.version())) {
      writer.add("k".getBytes(UTF_8), "v".getBytes(UTF_8));
      change("b");
      change("c");
      manifest = writer.publish();
    }
    assertThat(manifest).isEqualTo(inService());
    assertThat(manifest.version()).startsWith("0000000005-");
    assertThat(table.versions()).last().isEqualTo(manifest.version());
    assertThat(manifest.partitions()).allMatch(file -> file.foldedThrough() == 0);
    Manifest before = table.manifest(String.valueOf(manifest.parent()));
    assertThat(ids(manifest.changes().segments()))
        .isEqualTo(ids(before.changes().segments()).subList(1, 3));
    assertThat(numbers(manifest.changes().segments())).containsExactly(4L, 5L);
    assertThat(manifest.sourcePositions()).containsEntry("source", "c");
    assertThat(numbers(change("d").changes().segments())).containsExactly(4L, 5L, 6L);
    table.prune(1);
    assertThat(table.sweep(Duration.ZERO)).isEmpty();
    for (String file : manifest.files()) {
      assertThat(directory.resolve(file)).exists();
    }
  }

  /** Its manifest is elsewhere if changes were published meanwhile. */
  @Test
  void theDirectoryOfItsFilesIsDurableBeforeItIsInService() throws IOException {
    Manifest first = change("a");
    List<String> operations = new ArrayList<>();
    Table watched =
        Table.of(
            new ForwardingStorage(table.storage()) {
              @Override
              public void syncDirectory(String path) throws IOException {
                operations.add("sync " + path);
                super.syncDirectory(path);
              }

              @Override
              public void replace(String path, byte[] content) throws IOException {
                operations.add("replace " + path);
                super.replace(path, content);
              }
            });
    Build build = watched.beginAsOf(first.version());
    change("b");
    Manifest manifest = SnapshotPublisher.publish(watched, build, 2, List.of(), allowingNone());
    assertThat(manifest.version()).isNotEqualTo(build.version());
    assertThat(operations).containsSubsequence("sync " + build.directory(), "replace CURRENT");
  }

  private static WriterOptions allowingNone() {
    return OPTIONS.toBuilder().minRows(0).build();
  }

  @Test
  void keepsFoldedChangesThatItMayNotHave() throws IOException {
    Manifest first = change("a");
    SnapshotWriter writer = asOf(first.version());
    change("b");
    change("c");
    List<UUID> all = ids(inService().changes().segments());
    Manifest folded = fold(2);
    table.prune(1);
    assertThat(table.versions()).containsExactly(folded.version());
    Manifest manifest = write(writer);
    assertThat(ids(manifest.changes().segments())).isEqualTo(all.subList(1, 3));
    assertThat(manifest.changes().history()).isEqualTo(new History(null, 3, List.of()));
  }

  @Test
  void isRefusedIfFoldedChangesAreGone() throws IOException {
    Manifest first = change("a");
    SnapshotWriter writer = asOf(first.version());
    change("b");
    change("c");
    fold(1);
    assertRefused(
        writer,
        "the changes after version %s cannot be identified".formatted(first.version()),
        "kept only from segment 3 on, and what was read has those up to segment 1",
        "in service=" + table.currentVersion());
  }

  @Test
  void isRefusedAfterAnotherBuild() throws IOException {
    Manifest first = change("a");
    SnapshotWriter writer = asOf(first.version());
    write(asOf(first.version()));
    assertRefused(writer, "the table was rebuilt or rolled back");

    SnapshotWriter next = asOf(table.requireCurrentVersion());
    write(SnapshotWriter.create(directory, OPTIONS));
    change("b");
    assertRefused(next, "the table was rebuilt or rolled back");
  }

  @Test
  void isRefusedAfterARollbackAndFurtherChanges() throws IOException {
    Manifest first = change("a");
    Manifest second = change("b");
    SnapshotWriter writer = asOf(second.version());
    SnapshotWriter other = asOf(second.version());
    table.rollback(first.version());
    assertRefused(other, "the table was rebuilt or rolled back");
    change("c");
    assertRefused(writer, "the table was rebuilt or rolled back");
  }

  /** Else segments had the same numbers in the same line as those that were rolled back. */
  @Test
  void isRefusedAfterARollbackThoughLaterVersionsArePruned() throws IOException {
    change("a");
    SnapshotWriter writer = asOf(change("b").version());
    table.rollback(base);
    table.prune(1);
    table.sweep(Duration.ZERO);
    change("c");
    change("d");
    change("e");
    assertRefused(writer, "the table was rebuilt or rolled back");
  }

  @Test
  void isPublishedOnce() throws IOException {
    Manifest first = change("a");
    var build = table.beginAsOf(first.version());
    change("b");
    Manifest published = SnapshotPublisher.publish(table, build, 2, List.of(), options().build());
    change("c");
    assertThat(table.wasPublished(build)).isTrue();
    assertThat(SnapshotPublisher.publish(table, build, 2, List.of(), options().build()))
        .isEqualTo(published);
    assertThat(inService().changes().segments()).hasSize(2);
  }

  private static WriterOptions.Builder options() {
    return OPTIONS.toBuilder().minRows(0);
  }

  @Test
  void isRefusedIfChangesHaveAnotherForm() throws IOException {
    Schema schema = Schema.builder().column("k", "STRING").primaryKey("k").build();
    SnapshotWriter rows =
        SnapshotWriter.createAsOf(base, directory, options().schema(schema).build());
    SnapshotWriter approximate =
        SnapshotWriter.createAsOf(base, directory, options().approximate().build());
    change("a");
    assertRefused(rows, "the changes have another schema, null, than the build");
    assertRefused(approximate, "the build does not store keys");
  }

  @Test
  void keepsStreams() throws IOException {
    StreamProgress progress =
        new StreamProgress(new StreamProgress.Checkpoint(UUID.randomUUID(), 7));
    Manifest manifest =
        table.edit(
            inService ->
                inService.with(
                    inService.partitions(), Map.of(), inService.changes().with("s", progress)));
    assertThatThrownBy(() -> write(SnapshotWriter.create(directory, OPTIONS)))
        .isInstanceOf(PublishConflictException.class)
        .hasMessageContaining("streams=[s]")
        .hasMessageContaining("--keep-changes-after");
    change("a");
    Manifest rebuilt = write(asOf(manifest.version()));
    assertThat(rebuilt.changes().streams()).containsEntry("s", progress);
    assertThat(numbers(rebuilt.changes().segments())).containsExactly(2L);
  }

  @Test
  void onlyTheStreamPublishesWhereThereAreNoLocks() throws IOException {
    recordStream();
    List<String> versions = table.versions();
    table = Table.of(withoutLocks(table.storage()));
    Build build = table.beginAsOf(table.requireCurrentVersion());
    String refusal =
        "this storage has no locks: only the job that streams into the table may change it";
    assertThatThrownBy(() -> change("a"))
        .isInstanceOf(PublishConflictException.class)
        .hasMessageContaining(refusal)
        .hasMessageContaining("streams=[s]")
        .hasMessageContaining("end its stream, for example by CALL sys.end_stream(");
    assertThatThrownBy(() -> table.rollback(base)).hasMessageContaining(refusal);
    assertThatThrownBy(
            () -> SnapshotPublisher.publish(table, build, 2, List.of(), options().build()))
        .hasMessageContaining(refusal);
    // Where there are no locks, a version that is about to be put in service looks like an old one.
    assertThatThrownBy(() -> table.prune(1)).hasMessageContaining(refusal);
    assertThat(table.prune(1, Duration.ofHours(1))).isEmpty();
    assertThat(table.versions()).isEqualTo(versions);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anEndedStreamIsForgotten(boolean locks) throws IOException {
    String streamed = recordStream();
    if (!locks) {
      table = Table.of(withoutLocks(table.storage()));
    }
    assertThatThrownBy(() -> table.endStream("other"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no such stream: 'other'; the table %s records [s]", directory);
    assertThat(table.currentVersion()).isEqualTo(streamed);

    Manifest ended = table.endStream("s");

    assertThat(table.currentVersion()).isEqualTo(ended.version()).isNotEqualTo(streamed);
    assertThat(ended.changes().streams()).isEmpty();
    assertThat(ended.files()).isEqualTo(table.manifest(streamed).files());
    change("a");
    SnapshotPublisher.publish(table, table.begin(), 2, List.of(), options().build());
    table.rollback(base);
    assertThat(table.prune(1)).isNotEmpty();
  }

  @Test
  void rollsBackWhereThereAreNoLocksIfTheStreamIsNamed() throws IOException {
    recordStream();
    table = Table.of(withoutLocks(table.storage()));
    assertThatThrownBy(() -> table.rollback(base, "other"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no such stream: 'other'");
    table.rollback(base, "s");
    assertThat(table.currentVersion()).isEqualTo(base);
  }

  private String recordStream() throws IOException {
    StreamProgress progress =
        new StreamProgress(new StreamProgress.Checkpoint(UUID.randomUUID(), 7));
    return table
        .edit(
            inService ->
                inService.with(
                    inService.partitions(), Map.of(), inService.changes().with("s", progress)))
        .version();
  }

  private static TableStorage withoutLocks(TableStorage storage) {
    return (TableStorage)
        Proxy.newProxyInstance(
            TableStorage.class.getClassLoader(),
            new Class<?>[] {TableStorage.class},
            (proxy, method, arguments) -> {
              try {
                return method.getName().equals("hasLocks")
                    ? false
                    : method.invoke(storage, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void needsAVersionThatIsThere() {
    assertThatThrownBy(() -> asOf("0000000009-00000000"))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("0000000009-00000000");
  }
}
