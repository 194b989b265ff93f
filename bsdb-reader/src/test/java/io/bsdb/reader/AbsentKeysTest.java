package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.SignatureUse;
import io.bsdb.table.Table;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** How often absent keys slip past signatures. */
class AbsentKeysTest {
  private static final int ASKED = 30_000;

  @TempDir Path table;

  @ParameterizedTest
  @CsvSource({
    "1,COMPACT",
    "3,BLOCKED",
    "7,COMPACT",
    "8,COMPACT",
    "8,COMPRESSED",
    "9,COMPACT",
    "20,COMPACT"
  })
  void anApproximateSnapshotAnswersAbsentKeysAsSeldomAsItSays(int bits, Layout layout)
      throws Exception {
    TestData data = TestData.random(bits, 3000, Lengths.FIXED, Lengths.FIXED, 8);
    WriterOptions options =
        WriterOptions.builder().layout(layout).approximate().signatureBits(bits).build();
    data.publish(table, options);
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      data.assertFoundIn(reader);
      double expected = ASKED * Math.pow(2, -bits);
      double fiveDeviations = 5 * Math.sqrt(expected) + 2;
      assertThat((double) falseAnswers(reader)).isCloseTo(expected, within(fiveDeviations));
      assertThat(reader.metrics().signatureRejects()).isPositive();
    }
  }

  private static int falseAnswers(SnapshotReader reader) throws Exception {
    int answers = 0;
    for (int i = 0; i < ASKED; i++) {
      byte[] value = reader.get(absent(i));
      if (value != null) {
        assertThat(value).hasSize(8);
        answers++;
      }
    }
    return answers;
  }

  @ParameterizedTest
  @CsvSource({"0,COMPACT", "1,COMPRESSED", "8,BLOCKED"})
  void storedKeysAreNeverMistaken(int bits, Layout layout) throws Exception {
    TestData data = TestData.random(bits, 3000, Lengths.FIXED, Lengths.FIXED, 8);
    data.publish(table, WriterOptions.builder().layout(layout).signatureBits(bits).build());
    try (SnapshotReader reader = SnapshotReader.open(table)) {
      assertThat(falseAnswers(reader)).isZero();
      assertThat(reader.metrics().misses()).isEqualTo(ASKED);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MAPPED", "RESIDENT"})
  void signaturesAreComparedInMemoryIfToldSo(Access access) throws Exception {
    TestData data = TestData.random(1, 3000, Lengths.FIXED, Lengths.FIXED, 8);
    data.publish(table, WriterOptions.builder().layout(Layout.BLOCKED).signatureBits(8).build());
    ReaderOptions.Builder options = ReaderOptions.builder().access(access);
    try (SnapshotReader reader = SnapshotReader.open(table, options.build())) {
      assertThat(falseAnswers(reader)).isZero();
      assertThat(reader.metrics().signatureRejects()).isZero();
    }
    options.signatures(SignatureUse.ALWAYS);
    try (SnapshotReader reader = SnapshotReader.open(table, options.build())) {
      data.assertFoundIn(reader);
      assertThat(falseAnswers(reader)).isZero();
      double passed = ASKED - reader.metrics().signatureRejects();
      double expected = ASKED / 256.0;
      assertThat(passed).isCloseTo(expected, within(5 * Math.sqrt(expected)));
    }
  }

  @Test
  void signaturesRejectNoKeyThatChangesHave() throws Exception {
    TestData data = TestData.random(1, 3000, Lengths.FIXED, Lengths.FIXED, 8);
    data.publish(table, WriterOptions.builder().layout(Layout.BLOCKED).signatureBits(8).build());
    byte[] value = {1};
    try (DeltaWriter delta = DeltaWriter.create(Table.at(table))) {
      for (int i = 0; i < 1000; i++) {
        delta.put(absent(i), value);
      }
      delta.publish();
    }
    ReaderOptions options = ReaderOptions.builder().signatures(SignatureUse.ALWAYS).build();
    try (SnapshotReader reader = SnapshotReader.open(table, options)) {
      for (int i = 0; i < 1000; i++) {
        assertThat(reader.get(absent(i))).isEqualTo(value);
      }
      assertThat(reader.metrics().signatureRejects()).isZero();
    }
  }

  private static byte[] absent(int number) {
    return ByteBuffer.allocate(12).putInt(0x7AAAAAAA).putInt(number).array();
  }
}
