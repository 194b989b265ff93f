package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.KeyStorage;
import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.Verification;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.testkit.InMemory;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every snapshot, however it was built. */
@ExtendWith(NothingLeftOpen.class)
class SnapshotContractTest {
  @TempDir(factory = InMemory.class)
  Path table;

  /** One way to build. */
  record Shape(
      Layout layout,
      KeyStorage keyStorage,
      Lengths keys,
      Lengths values,
      PerfectHashConstruction perfectHash,
      int partitions,
      int blockSize) {
    WriterOptions options() {
      WriterOptions.Builder builder =
          WriterOptions.builder()
              .layout(layout)
              .perfectHash(perfectHash)
              .partitions(partitions)
              .blockSize(blockSize);
      if (keyStorage == KeyStorage.OMITTED) {
        builder.approximate().signatureBits(32);
      }
      return builder.build();
    }
  }

  static Stream<Shape> shapes() {
    List<Shape> shapes = new ArrayList<>();
    int l = 0;
    for (Layout layout : Layout.values()) {
      int small = Math.max(512, layout.alignment());
      int[][] partitionsAndBlocks = {{1, small}, {1, 65_536}, {3, small}, {0, small}};
      for (KeyStorage keyStorage : KeyStorage.values()) {
        for (Lengths keys : Lengths.values()) {
          for (Lengths values : Lengths.values()) {
            // One by turns: each comes with each layout, storage, kind of keys and of values.
            int turn = l + (keyStorage == KeyStorage.STORED ? 0 : 1);
            turn += (keys == Lengths.FIXED ? 0 : 2) + (values == Lengths.FIXED ? 0 : 1);
            int partitions = partitionsAndBlocks[turn % 4][0];
            int blockSize = partitionsAndBlocks[turn % 4][1];
            PerfectHashConstruction kind =
                partitions == 3 && keyStorage == KeyStorage.STORED
                    ? PerfectHashConstruction.SUX4J
                    : PerfectHashConstruction.PILOT;
            shapes.add(new Shape(layout, keyStorage, keys, values, kind, partitions, blockSize));
          }
        }
      }
      l++;
    }
    return shapes.stream();
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void answersWhatWasWritten(Shape shape) throws Exception {
    TestData data = TestData.random(7, 250, shape.keys, shape.values, 60);
    Manifest manifest = data.publish(table, shape.options());
    assertThat(manifest.recordCount()).isEqualTo(250);
    assertThat(manifest.partitions()).hasSize(Math.max(1, shape.partitions));
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      assertThat(reader.manifest()).isEqualTo(manifest);
      assertThat(reader.partitionCount()).isEqualTo(manifest.partitions().size());
      data.assertFoundIn(reader);
      data.assertMixedListAnsweredBy(reader);
      data.assertNothingElseFoundIn(reader);
      if (shape.keyStorage == KeyStorage.STORED) {
        data.assertScannedFrom(reader);
      } else {
        assertScansValuesOnly(reader, data);
      }
    }
    Path snapshot = table.resolve("snapshots").resolve(manifest.version());
    assertThat(SnapshotVerifier.verify(snapshot)).isEqualTo(manifest);
    ReaderOptions full = ReaderOptions.builder().verification(Verification.FULL).build();
    try (SnapshotReader reader = SnapshotReader.open(snapshot, full)) {
      assertThat(reader.get(data.keys().get(0))).isEqualTo(data.values().get(0));
    }
  }

  private static void assertScansValuesOnly(SnapshotReader reader, TestData data)
      throws IOException {
    Map<ByteBuffer, Integer> values = new HashMap<>();
    try (RecordCursor cursor = reader.scan()) {
      while (cursor.next()) {
        values.merge(ByteBuffer.wrap(cursor.value()), 1, Integer::sum);
        if (values.size() == 1) {
          assertThatThrownBy(cursor::key)
              .isInstanceOf(UnsupportedOperationException.class)
              .hasMessageStartingWith("an approximate snapshot stores no keys: ");
        }
      }
    }
    Map<ByteBuffer, Integer> expected = new HashMap<>();
    data.values().forEach(value -> expected.merge(ByteBuffer.wrap(value), 1, Integer::sum));
    assertThat(values).isEqualTo(expected);
  }

  static Stream<Shape> smallShapes() {
    return Stream.of(Layout.values())
        .flatMap(
            layout ->
                Stream.of(KeyStorage.values())
                    .map(
                        keys ->
                            new Shape(
                                layout,
                                keys,
                                Lengths.VARYING,
                                Lengths.VARYING,
                                PerfectHashConstruction.PILOT,
                                0,
                                4096)));
  }

  @ParameterizedTest
  @MethodSource("smallShapes")
  void anEmptySnapshotAnswersNothing(Shape shape) throws Exception {
    assertHoldsExactly(shape, TestData.empty());
  }

  @ParameterizedTest
  @MethodSource("smallShapes")
  void oneRecordIsFound(Shape shape) throws Exception {
    assertHoldsExactly(shape, TestData.random(1, 1, Lengths.FIXED, Lengths.FIXED, 40));
  }

  @ParameterizedTest
  @MethodSource("smallShapes")
  void emptyValuesAreNotAbsent(Shape shape) throws Exception {
    assertHoldsExactly(shape, TestData.random(2, 3000, Lengths.FIXED, Lengths.FIXED, 0));
    assertHoldsExactly(shape, TestData.random(2, 300, Lengths.VARYING, Lengths.FIXED, 0));
  }

  /** More of them than one block can count. */
  @ParameterizedTest
  @EnumSource(names = {"COMPACT", "COMPRESSED"})
  void recordsWithoutAByteOfTheirOwnAreFound(Layout layout) throws Exception {
    TestData data = TestData.random(2, 70_000, Lengths.FIXED, Lengths.FIXED, 0);
    data.publish(
        table, WriterOptions.builder().layout(layout).approximate().signatureBits(32).build());
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      data.assertFoundIn(reader);
      assertScansValuesOnly(reader, data);
    }
  }

  @ParameterizedTest
  @MethodSource("smallShapes")
  void emptyAndFullValuesAreTold(Shape shape) throws Exception {
    assertHoldsExactly(shape, TestData.random(2, 3000, Lengths.FIXED, Lengths.VARYING, 2));
  }

  @ParameterizedTest
  @MethodSource("smallShapes")
  void shortestAndLongestKeysAreFound(Shape shape) throws Exception {
    TestData data = TestData.empty();
    for (int i = 0; i < 256; i++) {
      data.add(new byte[] {(byte) i}, new byte[] {(byte) i, 7});
    }
    for (int length : new int[] {2, 7, 8, 9, 127, 128, 129, 16_383, 16_384, 65_534, 65_535}) {
      byte[] key = new byte[length];
      new Random(length).nextBytes(key);
      data.add(key, new byte[length % 50]);
    }
    assertHoldsExactly(shape, data);
  }

  /** Values whose record, or block, just fits, just does not, or is far too long. */
  @ParameterizedTest
  @MethodSource("smallShapes")
  void valuesOfAllLengthsAreFound(Shape shape) throws Exception {
    TestData data = TestData.empty();
    for (int edge : new int[] {0, 512, 4096, 65_536}) {
      for (int length = Math.max(0, edge - 48); length <= edge + 4; length++) {
        addValue(data, length);
      }
    }
    addValue(data, 1 << 20);
    addValue(data, (1 << 20) + 1);
    assertHoldsExactly(shape, data);
  }

  private static void addValue(TestData data, int length) {
    byte[] value = new byte[length];
    new Random(length).nextBytes(value);
    data.add(("length " + length).getBytes(java.nio.charset.StandardCharsets.UTF_8), value);
  }

  @ParameterizedTest
  @EnumSource(names = {"BLOCKED", "COMPRESSED"})
  void aValueOfSixtyFourMebibytesIsFound(Layout layout) throws Exception {
    byte[] value = new byte[64 << 20];
    for (int i = 0; i < value.length; i += 100) {
      value[i] = (byte) (i >>> 9);
    }
    TestData data = TestData.random(3, 50, Lengths.VARYING, Lengths.VARYING, 50);
    data.add(new byte[] {1, 2, 3}, value);
    data.publish(table, WriterOptions.builder().layout(layout).build());
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      for (int i = 0; i < data.count(); i++) {
        assertThat(Arrays.equals(reader.get(data.keys().get(i)), data.values().get(i)))
            .as("record %d", i)
            .isTrue();
      }
    }
  }

  /** Frames of 64 KiB in which empty values stand at the very end of what slots can address. */
  @Test
  void valuesAtTheEndOfTheLongestFrameAreFound() throws Exception {
    for (int i = 0; i < 24; i++) {
      TestData data = TestData.empty();
      data.add(new byte[] {1, (byte) i}, new byte[65_530 + i % 4]);
      data.add(new byte[] {2, (byte) i}, new byte[0]);
      data.publish(
          table,
          WriterOptions.builder()
              .layout(Layout.COMPRESSED)
              .approximate()
              .signatureBits(32)
              .frameSize(65_536)
              .blockSize(65_536)
              .build());
      try (SnapshotReader reader = SnapshotReader.open(table)) {
        data.assertFoundIn(reader);
      }
    }
  }

  private void assertHoldsExactly(Shape shape, TestData data) throws IOException {
    Manifest manifest = data.publish(table, shape.options());
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      data.assertFoundIn(reader);
      data.assertNothingElseFoundIn(reader);
      if (shape.keyStorage == KeyStorage.STORED) {
        data.assertScannedFrom(reader);
      } else {
        assertScansValuesOnly(reader, data);
      }
    }
    SnapshotVerifier.verify(table.resolve("snapshots").resolve(manifest.version()));
  }

  @Test
  void leavesABufferThatIsTooShortAsItWas() throws Exception {
    TestData data = TestData.random(5, 10, Lengths.FIXED, Lengths.FIXED, 20);
    data.publish(table, WriterOptions.defaults());
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      ByteBuffer target = ByteBuffer.allocate(30).position(11);
      assertThatThrownBy(() -> reader.get(data.keys().get(0), target))
          .isInstanceOf(BufferOverflowException.class);
      assertThat(target).isEqualTo(ByteBuffer.allocate(30).position(11));
      assertThat(target.position()).isEqualTo(11);
      ByteBuffer direct = ByteBuffer.allocateDirect(20);
      assertThat(reader.get(data.keys().get(0), direct)).isEqualTo(20);
      assertThat(direct.flip()).isEqualTo(ByteBuffer.wrap(data.values().get(0)));
    }
  }

  @Test
  void refusesAPartitionThatThereIsNot() throws Exception {
    TestData.empty().publish(table, WriterOptions.builder().partitions(3).build());
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      assertThat(reader.partitionCount()).isEqualTo(3);
      for (int partition : new int[] {-1, 3}) {
        assertThatThrownBy(() -> reader.scan(partition))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("no such partition: expected 0 to 2, actual " + partition);
      }
    }
  }
}
