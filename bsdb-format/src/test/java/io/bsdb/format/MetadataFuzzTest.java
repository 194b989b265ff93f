package io.bsdb.format;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bsdb.format.PartitionProperties.Codec;
import io.bsdb.format.Section.Requirement;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bytes that anybody may have written are decoded, or refused by one of our exceptions. Where a
 * checksum would end the matter, it is also put right.
 */
class MetadataFuzzTest {
  private static final PartChecksum CHECKSUMS = new PartChecksum(new UUID(1, 2));
  private static final byte[] CHECKSUM = "\"checksum\"".getBytes(StandardCharsets.US_ASCII);

  static Stream<byte[]> manifests() {
    Schema schema =
        Schema.builder()
            .column("id", "BIGINT NOT NULL")
            .column("tags", "ARRAY<ROW<`a` DECIMAL(5, 2)>>")
            .primaryKey("id")
            .build();
    List<PartitionFile> files =
        List.of(
            new PartitionFile(
                "part-00000.bsdb", new UUID(1, 2), 480, 7, 3, 11, 17, new PartitionFile.Place(0)));
    return Stream.of(null, schema)
        .map(
            some ->
                new Manifest(
                    new Manifest.Identity(
                        UUID.fromString("0a1b2c3d-1111-2222-3333-444455556666"),
                        "0000000001-0a1b2c3d",
                        some == null ? null : "0000000000-12345678",
                        Instant.parse("2026-01-02T03:04:05.678Z")),
                    some,
                    Map.of("layout", "blocked"),
                    files,
                    Map.of("owner", "ops"),
                    Map.of("orders-0", "42")))
        .map(Manifest::encode);
  }

  @MethodSource("manifests")
  @FuzzTest(maxDuration = "3m")
  void manifest(byte[] bytes) throws IOException {
    decodeManifest(bytes);
    decodeManifest(withRightChecksum(bytes));
  }

  private static void decodeManifest(byte[] bytes) throws IOException {
    Manifest manifest;
    try {
      manifest = Manifest.decode(bytes, "f");
    } catch (CorruptSnapshotException | UnsupportedVersionException e) {
      assertThat(e).hasMessageContaining("file=f");
      return;
    }
    for (PartitionFile file : manifest.partitions()) {
      assertThat(file.name()).doesNotContain("/", "\\", "\0").isNotIn(".", "..", "");
    }
    byte[] again = manifest.encode();
    assertThat(Manifest.decode(again, "f").encode()).isEqualTo(again);
  }

  private static byte[] withRightChecksum(byte[] bytes) {
    int end = lastChecksum(bytes);
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, end);
    String rest = "\"checksum\" : \"" + SnapshotFormat.hex((int) crc.getValue()) + "\"\n}\n";
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    whole.write(bytes, 0, end);
    whole.writeBytes(rest.getBytes(StandardCharsets.US_ASCII));
    return whole.toByteArray();
  }

  private static int lastChecksum(byte[] bytes) {
    for (int i = bytes.length - CHECKSUM.length; i >= 0; i--) {
      if (Arrays.equals(bytes, i, i + CHECKSUM.length, CHECKSUM, 0, CHECKSUM.length)) {
        return i;
      }
    }
    return bytes.length;
  }

  static Stream<byte[]> headers() {
    return Stream.of(bytes(new FileHeader(new UUID(1, 2), 4096).encode()));
  }

  @MethodSource("headers")
  @FuzzTest(maxDuration = "1m")
  void header(byte[] bytes) throws IOException {
    ByteBuffer header = littleEndian(Arrays.copyOf(bytes, SnapshotFormat.HEADER_LENGTH));
    decodeHeader(header);
    UUID fileId = PartChecksum.fileId(header, SnapshotFormat.HEADER_FILE_ID);
    int checksum =
        new PartChecksum(fileId)
            .of(PartChecksum.HEADER, 0, header, 0, SnapshotFormat.HEADER_CHECKSUM);
    decodeHeader(header.putInt(SnapshotFormat.HEADER_CHECKSUM, checksum));
  }

  private static void decodeHeader(ByteBuffer bytes) throws IOException {
    try {
      FileHeader header = FileHeader.decode(bytes, "f");
      assertThat(FileHeader.decode(header.encode(), "f")).isEqualTo(header);
    } catch (CorruptSnapshotException | UnsupportedVersionException e) {
      assertThat(e).hasMessageContaining("file=f");
    }
  }

  static Stream<byte[]> footers() {
    List<Section> sections =
        List.of(
            new Section(1, Requirement.REQUIRED, 64, 1000, 0),
            new Section(3, Requirement.REQUIRED, 1064, 16, 0x12345678),
            new Section(99, Requirement.OPTIONAL, 1080, 0, -1));
    return Stream.of(new FileFooter(List.of()), new FileFooter(sections))
        .map(footer -> bytes(footer.encode(1080, CHECKSUMS)));
  }

  @MethodSource("footers")
  @FuzzTest(maxDuration = "2m")
  void footer(byte[] bytes) throws IOException {
    ByteBuffer end = littleEndian(bytes.clone());
    decodeFooter(end);
    int tail = end.limit() - SnapshotFormat.TAIL_LENGTH;
    if (tail < 0) {
      return;
    }
    int sections = end.getInt(tail + SnapshotFormat.TAIL_SECTION_COUNT);
    long directory = tail - (long) sections * SnapshotFormat.ENTRY_BYTES;
    end.putLong(tail + SnapshotFormat.TAIL_END_MAGIC, SnapshotFormat.TAIL_MAGIC);
    end.putLong(tail + SnapshotFormat.TAIL_FILE_LENGTH, fileLength(end));
    end.putLong(tail + SnapshotFormat.TAIL_DIRECTORY_OFFSET, fileLength(end) - tail + directory);
    if (directory >= 0 && directory <= tail) {
      int length = tail + SnapshotFormat.TAIL_CHECKSUM - (int) directory;
      long offset = fileLength(end) - end.limit() + directory;
      int checksum = CHECKSUMS.of(PartChecksum.FOOTER, offset, end, (int) directory, length);
      end.putInt(tail + SnapshotFormat.TAIL_CHECKSUM, checksum);
    }
    decodeFooter(end);
  }

  private static long fileLength(ByteBuffer end) {
    return 1080L + end.limit();
  }

  private static void decodeFooter(ByteBuffer end) throws IOException {
    try {
      FileFooter footer = FileFooter.decode(end, fileLength(end), CHECKSUMS, "f");
      for (Section section : footer.sections()) {
        assertThat(section.offset()).isBetween(64L, fileLength(end));
        assertThat(section.length()).isBetween(0L, fileLength(end) - section.offset());
      }
    } catch (CorruptSnapshotException | UnsupportedVersionException e) {
      assertThat(e).hasMessageContaining("file=f");
    }
  }

  static Stream<byte[]> properties() {
    PartitionProperties stored =
        new PartitionProperties(
            1000, KeyStorage.STORED, 8, -1, 8, 4096, 4096, Codec.ZSTD, 512, 8192, 8000, 123_456);
    PartitionProperties omitted =
        new PartitionProperties(5, KeyStorage.OMITTED, -1, 7, 32, 512, 1, Codec.NONE, 0, 99, 9, 35);
    return Stream.of(stored, omitted).map(some -> bytes(some.encode()));
  }

  @MethodSource("properties")
  @FuzzTest(maxDuration = "1m")
  void properties(byte[] bytes) throws IOException {
    try {
      PartitionProperties properties = PartitionProperties.decode(littleEndian(bytes), "f");
      assertThat(PartitionProperties.decode(properties.encode(), "f")).isEqualTo(properties);
      assertThat(properties.recordCount()).isBetween(0, SnapshotFormat.MAX_PARTITION_RECORDS);
      if (properties.hasFixedRecords()) {
        assertThat(properties.fixedRecordLength()).isNotNegative();
      }
    } catch (CorruptSnapshotException e) {
      assertThat(e).hasMessageContaining("file=f");
    }
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.limit()];
    buffer.get(0, bytes);
    return bytes;
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
