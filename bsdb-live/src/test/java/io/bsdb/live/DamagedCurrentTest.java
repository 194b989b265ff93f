package io.bsdb.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.compact.Author;
import io.bsdb.compact.Compactor;
import io.bsdb.compact.Upkeep;
import io.bsdb.compact.UpkeepSettings;
import io.bsdb.compact.Workplace;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.OnMissing;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.StreamProgress;
import io.bsdb.table.manifest.StreamProgress.Checkpoint;
import io.bsdb.testkit.FaultyStorage;
import io.bsdb.testkit.Records;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A table with complete versions is never taken for one without, whatever CURRENT is like. */
class DamagedCurrentTest {
  private static final byte[] KEY = "k".getBytes(UTF_8);

  @TempDir private Path temporary;

  private enum State {
    MISSING,
    EMPTY,
    GARBAGE,
    TOO_LONG,
    NAMES_THE_FIRST_VERSION_OF_ALL,
    NAMES_A_MISSING_VERSION;

    void bring(Path current) throws IOException {
      switch (this) {
        case MISSING -> Files.delete(current);
        case EMPTY -> Files.writeString(current, "");
        case GARBAGE -> Files.writeString(current, "0000000001-0a1b2c3d");
        case TOO_LONG -> Files.writeString(current, "x".repeat(5_000));
        case NAMES_THE_FIRST_VERSION_OF_ALL -> Files.writeString(current, "0000000001-00000000\n");
        case NAMES_A_MISSING_VERSION -> Files.writeString(current, "0000000009-00000000\n");
      }
    }
  }

  private interface Use {
    void of(Path table, Path temporary) throws Exception;
  }

  private static void build(SnapshotWriter writer) throws IOException {
    try (writer) {
      writer.add(KEY, "rebuilt".getBytes(UTF_8));
      writer.publish();
    }
  }

  private static void open(TableReader.Builder reader, OnMissing onMissing) throws IOException {
    reader.refreshEvery(Duration.ZERO).onMissing(onMissing).open().close();
  }

  private static Map<String, Use> uses() {
    WriterOptions options = WriterOptions.defaults();
    return Map.ofEntries(
        Map.entry("build", (table, none) -> build(SnapshotWriter.create(table, options))),
        Map.entry(
            "build with a maximum shrinkage",
            (table, none) ->
                build(SnapshotWriter.create(table, options.toBuilder().maxShrinkage(0.1).build()))),
        Map.entry(
            "build that keeps changes",
            (table, none) ->
                build(
                    SnapshotWriter.createAsOf(Table.at(table).versions().get(0), table, options))),
        Map.entry(
            "delta",
            (table, none) -> {
              Records.empty().add(KEY, KEY).change(Table.at(table));
            }),
        Map.entry("edit", (table, none) -> Table.at(table).edit(inService -> inService)),
        Map.entry("compact", (table, none) -> new Compactor(table).run()),
        Map.entry("merge", (table, local) -> upkeep(table, local).merge()),
        Map.entry("upkeep of a stream", (table, local) -> upkeep(table, local).run()),
        Map.entry(
            "remote compaction", (table, local) -> Compactor.remote(Table.at(table), local).run()),
        Map.entry("prune", (table, none) -> Table.at(table).prune(1)),
        Map.entry("prune by age", (table, none) -> Table.at(table).prune(1, Duration.ofDays(1))),
        Map.entry("sweep", (table, none) -> Table.at(table).sweep(Duration.ZERO)),
        Map.entry("reader", (table, none) -> SnapshotReader.open(table).close()),
        Map.entry("follower", (table, none) -> open(TableReader.builder(table), OnMissing.FAIL)),
        Map.entry(
            "follower that may begin empty",
            (table, none) -> open(TableReader.builder(table), OnMissing.EMPTY)),
        Map.entry(
            "follower that waits",
            (table, none) ->
                open(TableReader.builder(table), OnMissing.waitFor(Duration.ofDays(1)))),
        Map.entry("writable table", (table, none) -> WritableTable.open(table).close()),
        Map.entry("copy", (table, local) -> WritableTable.copy(table, local.resolve("copy"))));
  }

  private static Upkeep upkeep(Path table, Path local) {
    return new Upkeep(
        "upkeep",
        Table.at(table),
        Author.STREAM,
        UpkeepSettings.ofStream(Duration.ZERO),
        () -> Workplace.copies(Table.at(table), local, () -> {}),
        step -> {},
        Duration.ofDays(1));
  }

  private static Stream<Arguments> statesAndUses() {
    return Stream.of(State.values())
        .flatMap(state -> uses().keySet().stream().sorted().map(use -> Arguments.of(state, use)));
  }

  /** Returns a table with two versions and changes. */
  private Path table() throws Exception {
    Path table = temporary.resolve("table");
    build(SnapshotWriter.create(table, WriterOptions.defaults()));
    for (String value : List.of("1", "2")) {
      Records.empty().add(KEY, value.getBytes(UTF_8)).change(Table.at(table));
    }
    return table;
  }

  private static List<String> files(Path table) throws IOException {
    try (Stream<Path> files = Files.walk(table)) {
      return files.map(Path::toString).filter(file -> !file.endsWith(".lock")).sorted().toList();
    }
  }

  private static String newest(Path table) throws IOException {
    List<String> versions = Table.at(table).versions();
    return versions.get(versions.size() - 1);
  }

  private static String command(Path table) throws IOException {
    return "put the newest version in service: bsdb rollback --table '%s' %s"
        .formatted(table, newest(table));
  }

  private static void mend(Path table) throws IOException {
    Table.at(table).rollback(newest(table));
  }

  @ParameterizedTest
  @MethodSource("statesAndUses")
  void isRefusedAndChangesNothing(State state, String name) throws Exception {
    Path table = table();
    state.bring(table.resolve("CURRENT"));
    List<String> before = files(table);
    Use use = uses().get(name);
    Path local = Files.createDirectory(temporary.resolve("local"));
    assertThatThrownBy(() -> use.of(table, local))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(table.resolve("CURRENT").toString())
        .hasMessageContaining(command(table));
    assertThat(files(table)).isEqualTo(before);
    mend(table);
    assertThat(value(table)).isEqualTo("2");
    use.of(table, Files.createDirectory(temporary.resolve("other")));
  }

  private static String value(Path table) throws IOException {
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      return new String(reader.get(KEY), UTF_8);
    }
  }

  @ParameterizedTest
  @EnumSource(State.class)
  void isMendedBelowAWritableTable(State state) throws Exception {
    Path table = table();
    String older = Table.at(table).versions().get(0);
    WritableTable open = WritableTable.open(table);
    open.pauseCompaction();
    open.put(KEY, "published".getBytes(UTF_8));
    open.publish();
    open.put("other".getBytes(UTF_8), "logged".getBytes(UTF_8));
    state.bring(table.resolve("CURRENT"));
    List<String> before = files(table.resolve("snapshots"));
    assertThatThrownBy(open::publish)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(command(table));
    assertThatThrownBy(() -> open.checkpoint(temporary.resolve("copy")))
        .hasMessageContaining(command(table));
    assertThat(open.get(KEY)).isEqualTo("published".getBytes(UTF_8));
    assertThatThrownBy(open::close)
        .hasMessageContaining("changes are durable in its log, but publishing them failed")
        .hasMessageContaining(command(table));
    assertThat(files(table.resolve("snapshots"))).isEqualTo(before);
    assertThatThrownBy(() -> WritableTable.open(table))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(command(table));
    assertThatThrownBy(() -> Table.at(table).rollback(older))
        .isInstanceOf(PublishConflictException.class)
        .hasMessageContaining("a writable table cannot be published into");
    mend(table);
    try (WritableTable writable = WritableTable.open(table)) {
      assertThat(writable.get(KEY)).isEqualTo("published".getBytes(UTF_8));
      assertThat(writable.get("other".getBytes(UTF_8))).isEqualTo("logged".getBytes(UTF_8));
      writable.publish();
    }
  }

  private enum MendedBy {
    ROLLBACK,
    HAND;

    void mend(Path table, String newest) throws IOException {
      switch (this) {
        case ROLLBACK -> Table.at(table).rollback(newest);
        case HAND -> Files.writeString(table.resolve("CURRENT"), newest + "\n");
      }
    }
  }

  /** Brings a table into the state that a writable table left which took it for an empty one. */
  private Path begunOverNothing(Write write) throws Exception {
    Path empty = temporary.resolve("empty");
    LiveTable.Place disk = LiveTable.Place.DISK;
    LiveTable.Place unpublished =
        new LiveTable.Place(
            disk.log(), disk.table(), disk.maxSegmentLength(), LiveTable.Place.WHEN_ASKED);
    try (WritableTable begun = LiveTable.open(empty, WritableOptions.defaults(), unpublished)) {
      write.to(begun);
    }
    Path table = table();
    Files.delete(table.resolve("CURRENT"));
    Files.move(empty.resolve("log"), table.resolve("log"));
    return table;
  }

  private interface Write {
    void to(WritableTable table) throws IOException;
  }

  @ParameterizedTest
  @EnumSource(MendedBy.class)
  void aLogBegunOverNothingGoesOnOverTheVersionPutBack(MendedBy by) throws Exception {
    Path table = begunOverNothing(begun -> {});
    assertThatThrownBy(() -> WritableTable.open(table)).hasMessageContaining(command(table));
    by.mend(table, newest(table));
    try (WritableTable writable = WritableTable.open(table)) {
      assertThat(writable.get(KEY)).isEqualTo("2".getBytes(UTF_8));
      writable.put(KEY, "3".getBytes(UTF_8));
    }
    assertThat(value(table)).isEqualTo("3");
    WritableTable.open(table).close();
  }

  @ParameterizedTest
  @EnumSource(MendedBy.class)
  void changesOverNothingApplyToTheVersionPutBack(MendedBy by) throws Exception {
    byte[] other = "other".getBytes(UTF_8);
    Path table = begunOverNothing(begun -> begun.put(other, "logged".getBytes(UTF_8)));
    by.mend(table, newest(table));
    try (WritableTable writable = WritableTable.open(table)) {
      assertThat(writable.get(KEY)).isEqualTo("2".getBytes(UTF_8));
      assertThat(writable.get(other)).isEqualTo("logged".getBytes(UTF_8));
    }
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      assertThat(reader.get(KEY)).isEqualTo("2".getBytes(UTF_8));
      assertThat(reader.get(other)).isEqualTo("logged".getBytes(UTF_8));
    }
  }

  @Test
  void aVersionPutBackWithoutPublishedChangesOfTheLogIsRefused() throws Exception {
    Path table = begunOverNothing(begun -> begun.put(KEY, "logged".getBytes(UTF_8)));
    String before = newest(table);
    MendedBy.HAND.mend(table, before);
    WritableTable.open(table).close();
    assertThat(value(table)).isEqualTo("logged");
    String published = newest(table);
    MendedBy.HAND.mend(table, before);
    assertThatThrownBy(() -> WritableTable.open(table))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageStartingWith(
            "segment of the log is missing: file=%s expected file id=",
            table.resolve("log").resolve("0000000001.log"))
        .hasMessageEndingWith(
            ", as 0000000002.log continues it, actual=none; restore the table from a copy; the version in service, if there is one, has no changes of the log");
    MendedBy.HAND.mend(table, published);
    WritableTable.open(table).close();
    assertThat(value(table)).isEqualTo("logged");
  }

  @ParameterizedTest
  @EnumSource(State.class)
  void aFollowerServesOnAndChangesOverOnceMended(State state) throws Exception {
    Path table = table();
    try (TableReader reader = TableReader.builder(table).refreshEvery(Duration.ZERO).open()) {
      Records.empty().add(KEY, "3".getBytes(UTF_8)).change(Table.at(table));
      state.bring(table.resolve("CURRENT"));
      assertThatThrownBy(reader::refresh)
          .isInstanceOf(IOException.class)
          .hasMessageContaining(command(table));
      assertThat(reader.get(KEY)).isEqualTo("2".getBytes(UTF_8));
      mend(table);
      assertThat(reader.refresh()).isTrue();
      assertThat(reader.get(KEY)).isEqualTo("3".getBytes(UTF_8));
    }
  }

  @Test
  void streamsAreMendedWhereThereAreNoLocks() throws Exception {
    Path table = table();
    Table.at(table)
        .edit(
            inService ->
                inService.with(
                    inService.partitions(),
                    Map.of(),
                    inService
                        .changes()
                        .with("s", new StreamProgress(new Checkpoint(UUID.randomUUID(), 1)))));
    Table remote =
        Table.of(FaultyStorage.withoutLocks(Table.at(table).storage(), (operation, path) -> {}));
    List<String> versions = remote.versions();
    Files.delete(table.resolve("CURRENT"));
    String newest = versions.get(versions.size() - 1);
    assertThatThrownBy(remote::currentVersion)
        .hasMessageContaining("CALL sys.rollback_to('<database>.<table>', '%s')".formatted(newest));
    assertThatThrownBy(() -> remote.rollback(versions.get(0)))
        .isInstanceOf(PublishConflictException.class);
    remote.rollback(newest);
    assertThat(remote.currentVersion()).isEqualTo(newest);
  }

  /** A crash there leaves a name in CURRENT, and no complete version. */
  @Test
  void aFirstVersionThatWasNotCompletedIsNone() throws Exception {
    Path table = temporary.resolve("table");
    Files.createDirectories(table.resolve("snapshots/0000000001-00000000"));
    Files.writeString(table.resolve("CURRENT"), "0000000001-00000000\n");
    assertThat(Table.at(table).currentVersion()).isNull();
    try (TableReader reader =
        TableReader.builder(table).refreshEvery(Duration.ZERO).onMissing(OnMissing.EMPTY).open()) {
      assertThat(reader.isEmpty()).isTrue();
      build(SnapshotWriter.create(table, WriterOptions.defaults()));
      assertThat(reader.refresh()).isTrue();
    }
    assertThat(value(table)).isEqualTo("rebuilt");
  }

  @Test
  void aTableThatHasLostAllVersionsIsNotBegunAgain() throws Exception {
    Path table = temporary.resolve("table");
    Files.createDirectories(table);
    Files.writeString(table.resolve("CURRENT"), "0000000007-00000000\n");
    assertThatThrownBy(() -> WritableTable.open(table))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no version is complete: restore the table from a copy");
  }
}
