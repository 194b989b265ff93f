package io.bsdb.writer;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.table.manifest.Manifest;
import io.bsdb.writer.intake.SpillFiles;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FrameCompressionTest {
  private static final int COUNT = 20_000;

  @TempDir Path directory;

  private interface Values {
    byte[] value(int number);
  }

  private static byte[] noise(int number) {
    byte[] value = new byte[100];
    new Random(number).nextBytes(value);
    return value;
  }

  private static byte[] text(int number) {
    return "{\"name\": \"customer %d\", \"city\": \"Zürich\", \"country\": \"Switzerland\"}"
        .formatted(new Random(number).nextInt())
        .getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(8).putLong(number).flip().array();
  }

  private byte[] dictionary(WriterOptions options, Values values) throws IOException {
    PartitionRecords records = new PartitionRecords();
    try (SpillFiles spill = new SpillFiles(directory, "s", 1, 1 << 16)) {
      for (int i = 0; i < COUNT; i++) {
        byte[] value = values.value(i);
        spill.add(0, key(i), 0, 8, value, 0, value.length);
      }
      records.load(spill, 0, 1);
      records.measure();
      try (FrameCompression compression = new FrameCompression(options)) {
        return compression.dictionary(records, 5);
      }
    }
  }

  @Test
  void aDictionaryIsKeptWhereItPays() throws Exception {
    WriterOptions options = WriterOptions.builder().layout(Layout.COMPRESSED).build();
    assertThat(dictionary(options, FrameCompressionTest::text)).hasSizeGreaterThan(1000);
  }

  @Test
  void aDictionaryOfNoiseIsDropped() throws Exception {
    WriterOptions options = WriterOptions.builder().layout(Layout.COMPRESSED).approximate().build();
    assertThat(dictionary(options, FrameCompressionTest::noise)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"COMPRESSED", "COMPRESSED_PAGES"})
  void noiseTakesHardlyMoreSpaceCompressed(Layout layout) throws Exception {
    Layout plain = layout == Layout.COMPRESSED ? Layout.COMPACT : Layout.BLOCKED;
    double ratio = (double) build(layout).length() / build(plain).length();
    assertThat(ratio).isBetween(0.9, 1.08);
  }

  private Manifest build(Layout layout) throws IOException {
    WriterOptions options = WriterOptions.builder().layout(layout).partitions(2).build();
    try (SnapshotWriter writer = SnapshotWriter.create(directory.resolve("t"), options)) {
      for (int i = 0; i < COUNT; i++) {
        writer.add(key(i), noise(i));
      }
      return writer.publish();
    }
  }
}
