package io.bsdb.reader;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.testkit.ChildProcess;
import io.bsdb.testkit.InMemory;
import io.bsdb.testkit.OpenFiles;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.DuplicateKeyException;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Duplicates;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Duplicates, spilling, partitions: what happens between the records and their files. */
class BuildTest {
  private static final long LEAST_MEMORY = 64L << 20;

  @TempDir(factory = InMemory.class)
  Path directory;

  private static byte[] value(int key, int version, int length) {
    byte[] value = new byte[length];
    value[0] = (byte) key;
    value[1] = (byte) version;
    return value;
  }

  @ParameterizedTest
  @EnumSource(PerfectHashConstruction.class)
  void aDuplicateKeyFailsTheBuildAndIsNamed(PerfectHashConstruction kind) throws Exception {
    WriterOptions options = WriterOptions.builder().perfectHash(kind).partitions(2).build();
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      for (int i = 0; i < 500; i++) {
        writer.add(bytes("key-" + i), value(i, 1, 10));
      }
      writer.add(bytes("key-77"), value(7, 2, 10));
      assertThatThrownBy(writer::publish)
          .isInstanceOfSatisfying(
              DuplicateKeyException.class, e -> assertThat(e.key()).isEqualTo(bytes("key-77")))
          .hasMessage(
              "duplicate key: 'key-77' (hex 6b65792d3737); remove one of the records, or choose to keep the first or the last");
    }
    assertNothingWritten();
  }

  @Test
  void aLongDuplicateKeyIsNamedInPart() throws Exception {
    byte[] key = new byte[65_535];
    key[0] = 'k';
    try (SnapshotWriter writer = SnapshotWriter.create(directory, WriterOptions.defaults())) {
      writer.add(key, new byte[0]);
      writer.add(key, new byte[0]);
      assertThatThrownBy(writer::publish)
          .isInstanceOf(DuplicateKeyException.class)
          .hasMessageStartingWith("duplicate key: 'k...")
          .message()
          .hasSizeLessThan(400);
    }
  }

  private void assertNothingWritten() throws IOException {
    Table table = Table.at(directory);
    assertThat(table.currentVersion()).isNull();
    assertThat(table.storage().list("snapshots")).isEmpty();
    assertThat(table.storage().list("staging")).isEmpty();
  }

  /** Values of 4000 bytes go through spill files, those of 10 stay in memory. */
  @ParameterizedTest
  @CsvSource({
    "PILOT,FIRST,10",
    "PILOT,LAST,10",
    "SUX4J,FIRST,10",
    "SUX4J,LAST,10",
    "PILOT,FIRST,4000",
    "PILOT,LAST,4000"
  })
  void ofDuplicatesTheChosenOneIsKept(
      PerfectHashConstruction kind, Duplicates duplicates, int length) throws Exception {
    WriterOptions options =
        WriterOptions.builder()
            .perfectHash(kind)
            .duplicates(duplicates)
            .partitions(2)
            .memoryBytes(LEAST_MEMORY)
            .build();
    Manifest manifest;
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      for (int version = 1; version <= 3; version++) {
        for (int i = 0; i < 200; i++) {
          if (version == 1 || i % 3 != 0) {
            writer.add(bytes("key-" + i), value(i, version, length));
          }
        }
      }
      manifest = writer.publish();
    }
    assertThat(manifest.recordCount()).isEqualTo(200);
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      for (int i = 0; i < 200; i++) {
        int version = i % 3 == 0 || duplicates == Duplicates.FIRST ? 1 : 3;
        assertThat(reader.get(bytes("key-" + i))).isEqualTo(value(i, version, length));
      }
    }
  }

  @Test
  void aKeyThatComesOnlyAsDuplicatesLeavesOneRecord() throws Exception {
    WriterOptions options = WriterOptions.builder().duplicates(Duplicates.LAST).build();
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      for (int i = 0; i < 1000; i++) {
        writer.add(bytes("the key"), value(i, i, 5));
      }
      assertThat(writer.publish().recordCount()).isEqualTo(1);
    }
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      assertThat(reader.get(bytes("the key"))).isEqualTo(value(999, 999, 5));
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void moreRecordsThanMemoryTakesAreSpilledAndSplit() throws Exception {
    TestData data = TestData.random(1, 120_000, Lengths.FIXED, Lengths.VARYING, 300);
    WriterOptions options = WriterOptions.builder().memoryBytes(LEAST_MEMORY).build();
    List<String> progress = new ArrayList<>();
    Manifest manifest;
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      writer.listener((done, total, records) -> progress.add(done + "/" + total + " " + records));
      for (int i = 0; i < data.count(); i++) {
        writer.add(data.keys().get(i), data.values().get(i));
      }
      assertThat(openSpillFiles(directory)).isNotEmpty();
      manifest = writer.publish();
    }
    assertThat(manifest.partitions()).hasSize(2);
    assertThat(progress).hasSize(2).last().isEqualTo("2/2 120000");
    assertThat(openSpillFiles(directory)).isEmpty();
    assertThat(directory.resolve("staging")).isEmptyDirectory();
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      data.assertFoundIn(reader);
    }
  }

  /** Partitions that are loaded one after the other, the longer one last. */
  @Test
  void aLongerPartitionIsNotLoadedBesideTheOneBefore() throws Exception {
    ChildProcess.Result result =
        ChildProcess.run(
            ChildProcess.of(
                List.of(),
                List.of("-XX:ActiveProcessorCount=1", "-XX:MaxDirectMemorySize=48m"),
                BuildsTwoPartitions.class,
                directory.toString()));
    assertThat(result.status()).as("%s", result.lines()).isZero();
  }

  /** Builds a partition of 24 MiB, then one of 32 MiB. */
  static final class BuildsTwoPartitions {
    private BuildsTwoPartitions() {}

    public static void main(String[] arguments) throws IOException {
      WriterOptions options =
          WriterOptions.builder().partitions(2).memoryBytes(LEAST_MEMORY).build();
      try (SnapshotWriter writer = SnapshotWriter.create(Path.of(arguments[0]), options)) {
        int[] absent = {24, 32};
        for (int i = 0; absent[0] + absent[1] > 0; i++) {
          byte[] key = bytes("key-" + i);
          long high = KeyHash.hash(key).getMostSignificantBits();
          int partition = new Partitioning(2).partition(high);
          if (absent[partition] > 0) {
            absent[partition]--;
            writer.add(key, new byte[1 << 20]);
          }
        }
        writer.publish();
      }
    }
  }

  /** There are 256 spill files at most: more partitions than that are split from them. */
  @Test
  void morePartitionsThanSpillFilesAreSplit() throws Exception {
    TestData data = TestData.random(2, 40_000, Lengths.VARYING, Lengths.VARYING, 400);
    WriterOptions options =
        WriterOptions.builder()
            .layout(Layout.COMPACT)
            .memoryBytes(LEAST_MEMORY)
            .partitions(300)
            .build();
    Manifest manifest = data.publish(directory, options);
    assertThat(manifest.partitions()).hasSize(300);
    assertThat(manifest.recordCount()).isEqualTo(40_000);
    assertThat(manifest.partitions())
        .allSatisfy(file -> assertThat(file.recordCount()).isPositive());
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      data.assertFoundIn(reader);
    }
    SnapshotVerifier.verify(directory.resolve("snapshots").resolve(manifest.version()));
  }

  @Test
  void partitionsMayBeEmpty() throws Exception {
    TestData data = TestData.random(3, 5, Lengths.FIXED, Lengths.FIXED, 10);
    Manifest manifest = data.publish(directory, WriterOptions.builder().partitions(40).build());
    assertThat(manifest.partitions()).hasSize(40);
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      data.assertFoundIn(reader);
      data.assertNothingElseFoundIn(reader);
      data.assertScannedFrom(reader);
    }
    SnapshotVerifier.verify(directory.resolve("snapshots").resolve(manifest.version()));
  }

  @ParameterizedTest
  @EnabledOnOs(OS.LINUX)
  @EnumSource(PerfectHashConstruction.class)
  void aTemporaryDirectoryOfTheCallerIsLeftEmpty(PerfectHashConstruction kind) throws Exception {
    Path temporary = directory.resolve("tmp");
    Path table = directory.resolve("table");
    WriterOptions options =
        WriterOptions.builder()
            .perfectHash(kind)
            .partitions(1)
            .memoryBytes(LEAST_MEMORY)
            .temporaryDirectory(temporary)
            .build();
    TestData data = TestData.random(4, 300, Lengths.FIXED, Lengths.FIXED, 3000);
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      for (int i = 0; i < data.count(); i++) {
        writer.add(data.keys().get(i), data.values().get(i));
      }
      assertThat(openSpillFiles(temporary)).isNotEmpty();
      writer.publish();
    }
    assertThat(temporary).isEmptyDirectory();
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      data.assertFoundIn(reader);
    }
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      writer.add(bytes("a"), new byte[300_000]);
      writer.add(bytes("a"), new byte[300_000]);
      assertThatThrownBy(writer::publish).isInstanceOf(DuplicateKeyException.class);
    }
    assertThat(temporary).isEmptyDirectory();
  }

  /** Spill files have no name once they are open, so that not even a killed build leaves them. */
  private static List<String> openSpillFiles(Path below) throws IOException {
    return OpenFiles.descriptors().stream()
        .filter(file -> file.startsWith(below.toString()))
        .toList();
  }

  @ParameterizedTest
  @CsvSource({"67108864", "8589934592", "1099511627776", "17592186044416"})
  void anyMemoryBuildsSmallData(long memoryBytes) throws Exception {
    WriterOptions options = WriterOptions.builder().memoryBytes(memoryBytes).build();
    TestData.empty().publish(directory, options);
    TestData data = TestData.random(5, 1, Lengths.FIXED, Lengths.FIXED, 1);
    data.publish(directory, options);
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      data.assertFoundIn(reader);
    }
  }

  @Test
  void refusesKeysAndValuesOfImpossibleLength() throws Exception {
    try (SnapshotWriter writer = SnapshotWriter.create(directory, WriterOptions.defaults())) {
      writer.add(bytes("a"), new byte[0]);
      assertThatThrownBy(() -> writer.add(new byte[0], new byte[0]))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("key length out of range: record=1 expected 1 to 65535, actual 0");
      assertThatThrownBy(() -> writer.add(new byte[65_536], new byte[0]))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("key length out of range: record=1 expected 1 to 65535, actual 65536");
      assertThatThrownBy(() -> writer.add(new byte[1], 0, 1, new byte[1], 0, (256 << 20) + 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "value length out of range: record=1 expected 0 to 268435456, actual 268435457");
      assertThatThrownBy(() -> writer.add(new byte[1], 0, 1, new byte[1], 0, -1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("value length out of range: record=1 expected 0 to 268435456, actual -1");
      for (int[] range : new int[][] {{0, 3}, {-1, 1}, {2, 1}}) {
        assertThatThrownBy(() -> writer.add(new byte[1], 0, 1, new byte[2], range[0], range[1]))
            .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> writer.add(new byte[2], range[0], range[1], new byte[1], 0, 1))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
      writer.add(new byte[] {0, 'b', 0}, 1, 1, new byte[] {0, 7, 8, 0}, 1, 2);
      assertThat(writer.recordCount()).isEqualTo(2);
      assertThat(writer.publish().recordCount()).isEqualTo(2);
    }
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      assertThat(reader.get(bytes("a"))).isEmpty();
      assertThat(reader.get(bytes("b"))).containsExactly(7, 8);
    }
  }

  @Test
  void optionsAndPositionsAreInTheManifest() throws Exception {
    WriterOptions options =
        WriterOptions.builder()
            .layout(Layout.COMPRESSED)
            .properties(Map.of("owner", "ops"))
            .sourcePositions(Map.of("orders-0", "42"))
            .build();
    Manifest manifest = TestData.empty().publish(directory, options);
    assertThat(manifest.options())
        .containsEntry("layout", "compressed")
        .containsEntry("keys", "stored")
        .containsEntry("perfectHash", "pilot");
    assertThat(manifest.properties()).containsExactly(Map.entry("owner", "ops"));
    assertThat(manifest.sourcePositions()).containsExactly(Map.entry("orders-0", "42"));
    assertThat(Table.at(directory).manifest(manifest.version())).isEqualTo(manifest);
  }
}
