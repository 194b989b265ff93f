package io.bsdb.reload;

import static io.bsdb.testkit.Utf8.bytes;
import static io.bsdb.testkit.Utf8.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.KeyStorage;
import io.bsdb.reader.Contents;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reload.ReloadReport.Difference;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.Records;
import io.bsdb.writer.DuplicateKeyException;
import io.bsdb.writer.TooFewRowsException;
import io.bsdb.writer.options.Duplicates;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TableReloadTest extends ReloadFixture {
  private static final int ROUNDS = 6;
  private static final List<Publish> PUBLISH = List.of(Publish.values());

  private ReloadReport reload(WriterOptions options, Publish publish, Map<String, String> rows)
      throws IOException {
    try (TableReload reload = TableReload.begin(table, options, publish)) {
      addAll(reload, rows);
      return reload.publish();
    }
  }

  static Stream<Arguments> tables() {
    return Stream.of(RecordOrder.values())
        .flatMap(
            order ->
                Stream.of(Layout.values())
                    .filter(layout -> layout != Layout.SYMBOLS || order == RecordOrder.HASH)
                    .flatMap(
                        layout ->
                            (order == RecordOrder.KEY ? Stream.of(true, false) : Stream.of(true))
                                .map(points -> Arguments.of(order, layout, points))));
  }

  /** Inputs and changes at random; after each the table has the rows of the input. */
  @ParameterizedTest
  @MethodSource("tables")
  void hasTheRowsOfTheInput(RecordOrder order, Layout layout, boolean pointIndex) throws Exception {
    long seed = Long.getLong("bsdb.test.seed", System.nanoTime());
    System.out.println("seed of the reloads: " + seed);
    Random random = new Random(seed);
    WriterOptions options =
        WriterOptions.builder()
            .order(order)
            .layout(layout)
            .pointIndex(pointIndex)
            .partitions(3)
            .minRows(0)
            .duplicates(Duplicates.LAST)
            .build();
    Map<String, String> rows = new HashMap<>();
    int keys = 2_000;
    for (int i = 0; i < keys; i += 2) {
      rows.put("key" + i, "value".repeat(random.nextInt(4)) + i);
    }
    build(options, rows);
    for (int round = 0; round < ROUNDS; round++) {
      Map<String, String> before = new HashMap<>(rows);
      int changes = random.nextInt(4) == 0 ? keys : random.nextInt(200);
      boolean byOthers = random.nextInt(3) == 0;
      for (int i = 0; i < changes; i++) {
        String key = "key" + random.nextInt(keys);
        if (random.nextInt(3) == 0) {
          rows.remove(key);
        } else {
          rows.put(key, "changed" + random.nextInt(3));
        }
      }
      if (byOthers) {
        applyDelta(before, rows);
        continue;
      }
      Publish publish = PUBLISH.get(random.nextInt(PUBLISH.size()));
      List<Map.Entry<String, String>> input = new ArrayList<>(rows.entrySet());
      Collections.shuffle(input, random);
      ReloadReport report;
      try (TableReload reload = TableReload.begin(table, options, publish)) {
        for (Map.Entry<String, String> row : input) {
          if (random.nextInt(20) == 0) {
            reload.add(bytes(row.getKey()), bytes("an earlier record"));
          }
          reload.add(bytes(row.getKey()), bytes(row.getValue()));
        }
        report = reload.publish();
      }
      String what = "seed %d round %d %s".formatted(seed, round, publish);
      assertThat(Contents.of(table)).as(what).isEqualTo(rows);
      Difference difference = report.difference();
      if (difference != null) {
        assertThat(difference.rows()).as(what).isEqualTo(rows.size());
        assertThat(difference.deleted())
            .as(what)
            .isEqualTo(before.keySet().stream().filter(key -> !rows.containsKey(key)).count());
        assertThat(difference.added())
            .as(what)
            .isEqualTo(rows.keySet().stream().filter(key -> !before.containsKey(key)).count());
      }
    }
  }

  @Test
  void countsWhatDiffers() throws Exception {
    WriterOptions options = WriterOptions.defaults();
    Map<String, String> rows = rows(100);
    build(options, rows);
    String version = Table.at(table).requireCurrentVersion();
    rows.put("key7", "other");
    rows.put("new", "row");
    rows.remove("key9");

    try (TableReload dry = TableReload.dryRun(table, options)) {
      addAll(dry, rows);
      ReloadReport report = dry.publish();
      assertThat(report.manifest()).isNull();
      assertThat(report.difference()).isEqualTo(new Difference(version, 98, 1, 1, 1, 19));
    }
    assertThat(Table.at(table).requireCurrentVersion()).isEqualTo(version);
    assertThat(table.resolve("data")).doesNotExist();

    ReloadReport report = reload(options, Publish.CHANGES, rows);
    assertThat(report.read()).isEqualTo(100);
    assertThat(report.difference()).isEqualTo(new Difference(version, 98, 1, 1, 1, 19));
    Manifest manifest = manifest(report);
    assertThat(manifest.changes().count()).isEqualTo(3);
    assertThat(Contents.of(table)).isEqualTo(rows);
  }

  @Test
  void publishesNothingIfNothingDiffers() throws Exception {
    build(WriterOptions.defaults(), rows(100));
    String version = Table.at(table).requireCurrentVersion();
    for (Publish publish : List.of(Publish.CHANGES, Publish.AUTO)) {
      ReloadReport report = reload(WriterOptions.defaults(), publish, rows(100));
      assertThat(manifest(report).version()).isEqualTo(version);
      assertThat(Table.at(table).versions()).containsExactly(version);
    }
  }

  @Test
  void autoBuildsAllAboveAQuarter() throws Exception {
    WriterOptions options = WriterOptions.defaults();
    Map<String, String> rows = rows(100);
    build(options, rows);
    for (int i = 0; i < 25; i++) {
      rows.put("key" + i, "changed");
    }
    assertThat(manifest(reload(options, Publish.AUTO, rows)).hasChanges()).isTrue();
    for (int i = 0; i < 26; i++) {
      rows.put("key" + i, "changed again");
    }
    Manifest all = manifest(reload(options, Publish.AUTO, rows));
    assertThat(all.hasChanges()).isFalse();
    assertThat(all.recordCount()).isEqualTo(100);
    rows.keySet().removeIf(key -> key.endsWith("1") || key.endsWith("2") || key.endsWith("3"));
    all = manifest(reload(options, Publish.AUTO, rows));
    assertThat(all.hasChanges()).as("30 of 100 deleted").isFalse();
    assertThat(Contents.of(table)).isEqualTo(rows);
  }

  @ParameterizedTest
  @EnumSource(Publish.class)
  void buildsATableThatIsNotThere(Publish publish) throws Exception {
    reload(WriterOptions.defaults(), publish, rows(10));
    assertThat(Contents.of(table)).isEqualTo(rows(10));
  }

  @Test
  void refusesToCompareWhatIsBuiltOtherwise() throws Exception {
    build(WriterOptions.defaults(), rows(10));
    WriterOptions other = WriterOptions.builder().layout(Layout.COMPRESSED).build();
    assertThatThrownBy(() -> reload(other, Publish.CHANGES, rows(10)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching(
            "the input cannot be compared with the version in service: table=.* layout in service=BLOCKED input=COMPRESSED, which must be the same; publish all rows");
    assertThat(manifest(reload(other, Publish.AUTO, rows(10))).options())
        .containsEntry("layout", "compressed");
    Schema schema = Schema.builder().column("id", "INT NOT NULL").primaryKey("id").build();
    WriterOptions typed = WriterOptions.builder().schema(schema).build();
    assertThatThrownBy(() -> TableReload.dryRun(table, typed))
        .hasMessageContaining(" schema in service=none input=(`id` INT NOT NULL, ");

    WriterOptions approximate =
        WriterOptions.builder().layout(Layout.COMPRESSED).approximate().build();
    build(approximate, rows(10));
    assertThat(approximate.keyStorage()).isEqualTo(KeyStorage.OMITTED);
    assertThatThrownBy(() -> TableReload.dryRun(table, approximate))
        .hasMessageContaining("keys: the version does not store them");
    assertThat(manifest(reload(approximate, Publish.AUTO, rows(11))).recordCount()).isEqualTo(11);

    Schema past =
        Schema.builder()
            .column("id", "INT NOT NULL")
            .column("since", "TIMESTAMP(3) NOT NULL")
            .primaryKey("id", "since")
            .keyEncoding(KeyEncoding.ORDERED)
            .build();
    WriterOptions history = WriterOptions.builder().schema(past).history(null).minRows(0).build();
    build(history, Map.of());
    for (WriterOptions options : List.of(history, typed)) {
      assertThatThrownBy(() -> TableReload.dryRun(table, options))
          .hasMessageEndingWith(
              " history: rows that have been dropped from it would count as new; publish all rows");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"CHANGES", "AUTO"})
  void keepsThePropertiesOfTheTableUnlessSomeAreGiven(Publish publish) throws Exception {
    Map<String, String> ops = Map.of("owner", "ops");
    build(WriterOptions.builder().properties(ops).build(), rows(10));
    for (int rows : new int[] {9, 100}) {
      assertThat(manifest(reload(WriterOptions.defaults(), publish, rows(rows))).properties())
          .isEqualTo(ops);
    }
    if (publish == Publish.AUTO) {
      WriterOptions other = WriterOptions.builder().layout(Layout.COMPRESSED).build();
      assertThat(manifest(reload(other, publish, rows(100))).properties()).isEqualTo(ops);
      Map<String, String> dev = Map.of("owner", "dev");
      WriterOptions given = WriterOptions.builder().properties(dev).build();
      assertThat(manifest(reload(given, publish, rows(100))).properties()).isEqualTo(dev);
    }
  }

  @Test
  void keepsTheLimitsOfABuild() throws Exception {
    build(WriterOptions.defaults(), rows(10));
    WriterOptions fewer = WriterOptions.builder().minRows(9).build();
    assertThatThrownBy(() -> reload(fewer, Publish.CHANGES, rows(8)))
        .isInstanceOf(TooFewRowsException.class)
        .hasMessageContaining("expected>=9 actual=8");
    WriterOptions shrunk = WriterOptions.builder().maxShrinkage(0.1).build();
    assertThatThrownBy(() -> reload(shrunk, Publish.CHANGES, rows(8)))
        .isInstanceOf(TooFewRowsException.class)
        .hasMessageContaining("has 10: expected>=9 actual=8");
    assertThat(Contents.of(table)).isEqualTo(rows(10));
    assertThat(filesIn("data")).isEmpty();
    assertThat(reload(shrunk, Publish.CHANGES, rows(9)).manifest()).isNotNull();
  }

  private List<Path> filesIn(String part) throws IOException {
    Path parent = table.resolve(part);
    if (!Files.exists(parent)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(parent)) {
      return files.toList();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 11}) // of which none differs, or one
  void conflictsWithWhatOthersPublishMeanwhile(int input) throws Exception {
    build(WriterOptions.defaults(), rows(10));
    try (TableReload reload = TableReload.begin(table, WriterOptions.defaults(), Publish.CHANGES)) {
      addAll(reload, rows(input));
      Map<String, String> after = rows(10);
      after.put("key2", "by another");
      applyDelta(rows(10), after);
      assertThatThrownBy(reload::publish)
          .isInstanceOf(PublishConflictException.class)
          .hasMessageContaining("the table was changed meanwhile")
          .hasMessageEndingWith("read the source again and compare it with that version");
    }
    assertThat(Contents.of(table)).containsEntry("key2", "by another").hasSize(10);
  }

  @Test
  void publishesNothingAfterItFailedToGoOverToABuild() throws Exception {
    build(WriterOptions.defaults(), rows(1_000));
    try (TableReload reload = TableReload.begin(table, WriterOptions.defaults(), Publish.AUTO)) {
      applyDelta(rows(1_000), rows(999));
      Map<String, String> others = rows(1_000);
      others.replaceAll((key, value) -> "changed");
      assertThatThrownBy(() -> addAll(reload, others))
          .isInstanceOf(PublishConflictException.class)
          .hasMessageContaining("the table was changed meanwhile");
      assertThatThrownBy(() -> reload.add(bytes("key"), bytes("value")))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the reload has been published or closed, or has failed");
      assertThatThrownBy(reload::publish).isInstanceOf(IllegalStateException.class);
    }
    assertThat(Contents.of(table)).isEqualTo(rows(999));
    assertThat(filesIn("snapshots")).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource(Publish.class)
  void refusesRowsThatATableWithoutAHistoryCannotHave(Publish publish) throws Exception {
    Schema schema =
        Schema.builder().column("id", "INT").column("name", "STRING").primaryKey("id").build();
    RowCodec codec = RowCodec.of(schema);
    WriterOptions options = WriterOptions.builder().schema(schema).build();
    byte[] key = codec.encodeKey(7);
    byte[] row = codec.encodeValue("seven");
    Records.empty().add(key, row).publish(table, options);
    try (TableReload reload = TableReload.begin(table, options, publish)) {
      assertThatThrownBy(() -> reload.add(key, RowWriter.ended()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("an ended row needs a table with a history");
      reload.add(key, row);
      assertThat(reload.publish().read()).isEqualTo(1);
    }
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      assertThat(reader.get(key)).isEqualTo(row);
    }
  }

  @Test
  void aFailureEndsAReload() throws Exception {
    build(WriterOptions.defaults(), rows(1_000));
    try (TableReload reload = TableReload.begin(table, WriterOptions.defaults(), Publish.CHANGES)) {
      addAll(reload, rows(1_000));
      assertThatThrownBy(() -> addAll(reload, rows(1_000)))
          .isInstanceOf(DuplicateKeyException.class);
      assertThatThrownBy(reload::publish)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("has failed");
    }
    assertThat(Contents.of(table)).isEqualTo(rows(1_000));
  }

  @Test
  void handsOverRowsThatItHasNotComparedYet() throws Exception {
    build(WriterOptions.defaults(), rows(10));
    Map<String, String> input = rows(11);
    input.put("key3", "changed");
    Map<String, String> handedOver = new HashMap<>();
    try (TableComparison comparison =
        TableComparison.begin(
            table,
            SnapshotReader.open(table),
            null,
            WriterOptions.defaults(),
            TableComparison.Outcome.WRITTEN)) {
      for (Map.Entry<String, String> row : input.entrySet()) {
        comparison.add(bytes(row.getKey()), bytes(row.getValue()));
      }
      comparison.handOver((key, value) -> handedOver.put(text(key), text(value)));
    }
    assertThat(handedOver).isEqualTo(input);
  }

  @Test
  void leavesNothingWhenItIsNotPublished() throws Exception {
    build(WriterOptions.defaults(), rows(10));
    for (Publish publish : Publish.values()) {
      try (TableReload reload = TableReload.begin(table, WriterOptions.defaults(), publish)) {
        addAll(reload, rows(1_000));
      }
      assertThat(Contents.of(table)).isEqualTo(rows(10));
      assertThat(filesIn("data")).isEmpty();
      assertThat(filesIn("snapshots")).hasSize(1);
    }
  }

  @Test
  void takesPositionsOfSourcesAlong() throws Exception {
    build(WriterOptions.defaults(), rows(10));
    WriterOptions options = WriterOptions.builder().sourcePositions(Map.of("export", "17")).build();
    ReloadReport report = reload(options, Publish.CHANGES, rows(11));
    assertThat(manifest(report).sourcePositions()).containsEntry("export", "17");
  }
}
