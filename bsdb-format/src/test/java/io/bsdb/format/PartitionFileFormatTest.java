package io.bsdb.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.PartitionProperties.Codec;
import io.bsdb.format.Section.Requirement;
import io.bsdb.table.manifest.Partitioning;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Header, footer and properties of a partition file. */
class PartitionFileFormatTest {
  private static final FileHeader HEADER =
      new FileHeader(UUID.fromString("0a1b2c3d-1111-2222-3333-444455556666"), 4096);
  private static final PartChecksum CHECKSUM = new PartChecksum(HEADER.fileId());
  private static final FileFooter FOOTER =
      new FileFooter(
          List.of(
              new Section(1, Requirement.REQUIRED, 4096, 100_000, 0),
              new Section(3, Requirement.REQUIRED, 104_096, 500, 0x12345678),
              new Section(99, Requirement.OPTIONAL, 104_600, 400, -1)));
  private static final long DIRECTORY = 105_000;
  private static final PartitionProperties PROPERTIES =
      new PartitionProperties(
          1000, KeyStorage.STORED, 8, -1, 8, 4096, 4096, Codec.ZSTD, 512, 8192, 8000, 123_456);

  @Test
  void headerGivesBackWhatWasEncoded() throws Exception {
    assertThat(FileHeader.decode(HEADER.encode(), "f")).isEqualTo(HEADER);
  }

  @Test
  void headerRefusesEveryChangedByte() {
    for (int position = 0; position < SnapshotFormat.HEADER_LENGTH; position++) {
      for (int change = 1; change < 256; change++) {
        ByteBuffer damaged = HEADER.encode();
        damaged.put(position, (byte) (damaged.get(position) ^ change));
        assertThatThrownBy(() -> FileHeader.decode(damaged, "part-3"))
            .as("byte %d changed by %d", position, change)
            .isInstanceOfAny(CorruptSnapshotException.class, UnsupportedVersionException.class)
            .hasMessageContaining("file=part-3");
      }
    }
  }

  @Test
  void headerNamesTheVersionThatItCannotRead() {
    ByteBuffer later = HEADER.encode().putInt(SnapshotFormat.HEADER_VERSION, 2);
    assertThatThrownBy(() -> FileHeader.decode(later, "part-3"))
        .isInstanceOf(UnsupportedVersionException.class)
        .hasMessage(
            "file has format version 2, this bsdb reads version 1: file=part-3; upgrade bsdb, or rebuild the table with this one");
  }

  @Test
  void headerHoldsTheIdInTheOrderOfItsText() {
    byte[] id = new byte[16];
    HEADER.encode().get(16, id);
    assertThat(HexFormat.of().formatHex(id)).isEqualTo("0a1b2c3d111122223333444455556666");
  }

  private static ByteBuffer encode(FileFooter footer) {
    return footer.encode(DIRECTORY, CHECKSUM);
  }

  private static FileFooter decode(ByteBuffer footer) throws Exception {
    return FileFooter.decode(footer, DIRECTORY + footer.limit(), CHECKSUM, "part-3");
  }

  @Test
  void footerOfAnotherFileIsRefused() {
    ByteBuffer other = FOOTER.encode(DIRECTORY, new PartChecksum(new UUID(1, 2)));
    assertThatThrownBy(() -> decode(other))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageStartingWith("footer checksum mismatch: file=part-3 offset=105000 expected=");
  }

  @Test
  void footerRefusesTheKindsOfHeaderAndFooter() {
    for (int kind : new int[] {0, 0xFFFFFFFF}) {
      Section section = new Section(kind, Requirement.OPTIONAL, 64, 10, 0);
      assertThatThrownBy(() -> decode(encode(new FileFooter(List.of(section)))))
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessage("section has an impossible kind: file=part-3 section=%d offset=64", kind);
    }
  }

  @Test
  void footerGivesBackWhatWasEncoded() throws Exception {
    ByteBuffer encoded = encode(FOOTER);
    assertThat(decode(encoded)).isEqualTo(FOOTER);
    ByteBuffer withBytesBefore =
        ByteBuffer.allocate(encoded.limit() + 77).order(ByteOrder.LITTLE_ENDIAN);
    withBytesBefore.put(77, encoded, 0, encoded.limit());
    assertThat(FileFooter.decode(withBytesBefore, DIRECTORY + encoded.limit(), CHECKSUM, "f"))
        .isEqualTo(FOOTER);
  }

  @Test
  void footerRefusesEveryChangedByte() {
    for (int position = 0; position < encode(FOOTER).limit(); position++) {
      for (int change = 1; change < 256; change++) {
        ByteBuffer damaged = encode(FOOTER);
        damaged.put(position, (byte) (damaged.get(position) ^ change));
        assertThatThrownBy(() -> decode(damaged))
            .as("byte %d changed by %d", position, change)
            .isInstanceOf(CorruptSnapshotException.class)
            .hasMessageContaining("file=part-3");
      }
    }
  }

  @Test
  void footerRefusesEveryTruncation() {
    ByteBuffer encoded = encode(FOOTER);
    for (int length = 0; length < encoded.limit(); length++) {
      ByteBuffer end = encoded.slice(0, length).order(ByteOrder.LITTLE_ENDIAN);
      assertThatThrownBy(() -> decode(end))
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessageContaining("file=part-3");
    }
  }

  @Test
  void footerRefusesSectionsOutsideOfTheFile() {
    assertSectionRefused(new Section(2, Requirement.REQUIRED, 0, 10, 0));
    assertSectionRefused(new Section(2, Requirement.REQUIRED, -1, 10, 0));
    assertSectionRefused(new Section(2, Requirement.REQUIRED, Long.MIN_VALUE, 10, 0));
    assertSectionRefused(new Section(2, Requirement.REQUIRED, Long.MAX_VALUE, 10, 0));
    assertSectionRefused(new Section(2, Requirement.REQUIRED, 64, -1, 0));
    assertSectionRefused(new Section(2, Requirement.REQUIRED, 64, Long.MIN_VALUE, 0));
    assertSectionRefused(new Section(2, Requirement.REQUIRED, 64, Long.MAX_VALUE, 0));
    assertSectionRefused(new Section(1, Requirement.REQUIRED, 64, 200_000, 0));
    assertSectionRefused(new Section(99, Requirement.OPTIONAL, 64, 200_000, 0));
  }

  @Test
  void anEmptySectionOverlapsNoOther() throws Exception {
    List<Section> sections = new ArrayList<>(FOOTER.sections());
    sections.add(new Section(98, Requirement.OPTIONAL, 104_700, 0, 0));
    sections.add(new Section(97, Requirement.OPTIONAL, 104_700, 0, 0));
    FileFooter footer = new FileFooter(sections);
    assertThat(decode(encode(footer))).isEqualTo(footer);
  }

  private static void assertSectionRefused(Section section) {
    assertThatThrownBy(() -> decode(encode(new FileFooter(List.of(section)))))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessage(
            "section lies outside of its file: file=part-3 section=%d offset=%d length=%d",
            section.kind(), section.offset(), section.length());
  }

  @Test
  void footerRefusesAnUnknownRequiredSection() {
    FileFooter footer =
        new FileFooter(List.of(new Section(99, Requirement.REQUIRED, 104_600, 400, -1)));
    assertThatThrownBy(() -> decode(encode(footer)))
        .isInstanceOf(UnsupportedVersionException.class)
        .hasMessageContaining("required section of unknown kind 99: file=part-3");
  }

  @Test
  void footerRefusesMoreSectionsThanThereCanBe() {
    List<Section> many = new ArrayList<>();
    for (int i = 0; i <= SnapshotFormat.MAX_SECTIONS; i++) {
      many.add(new Section(99, Requirement.OPTIONAL, 64, 0, 0));
    }
    assertThatThrownBy(() -> decode(encode(new FileFooter(many))))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("impossible section directory: file=part-3");
    assertThat(FileFooter.MAX_LENGTH).isGreaterThan(SnapshotFormat.MAX_SECTIONS * 32);
  }

  @Test
  void propertiesGiveBackWhatWasEncoded() throws Exception {
    assertThat(PartitionProperties.decode(PROPERTIES.encode(), "f")).isEqualTo(PROPERTIES);
  }

  @Test
  void propertiesRefuseFiguresOutOfRange() {
    assertPropertyRefused(0, -1, "record count=-1");
    assertPropertyRefused(0, (1 << 27) + 1, "record count=134217729");
    assertPropertyRefused(4, 2, "key storage=2");
    assertPropertyRefused(8, -2, "key length=-2");
    assertPropertyRefused(8, 65_536, "key length=65536");
    assertPropertyRefused(12, -2, "value length=-2");
    assertPropertyRefused(12, (256 << 20) + 1, "value length=268435457");
    assertPropertyRefused(16, -1, "signature bits=-1");
    assertPropertyRefused(16, 33, "signature bits=33");
    assertPropertyRefused(20, 0, "block size=0");
    assertPropertyRefused(24, 0, "alignment=0");
    assertPropertyRefused(24, 512, "alignment=512");
    assertPropertyRefused(28, 3, "codec=3");
    assertPropertyRefused(32, Integer.MAX_VALUE, "longest frame=2147483647");
    assertPropertyRefused(36, -1, "longest block=-1");
    assertPropertyRefused(44, -1, "key bytes=-");
    assertPropertyRefused(52, -1, "value bytes=-");
  }

  private static void assertPropertyRefused(int offset, int figure, String message) {
    ByteBuffer section = PROPERTIES.encode().putInt(offset, figure);
    assertThatThrownBy(() -> PartitionProperties.decode(section, "part-3"))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageStartingWith("properties section out of range: file=part-3 " + message);
  }

  @Test
  void propertiesRefuseATruncatedSection() {
    for (int length = 0; length < PartitionProperties.LENGTH; length++) {
      ByteBuffer part = PROPERTIES.encode().slice(0, length).order(ByteOrder.LITTLE_ENDIAN);
      assertThatThrownBy(() -> PartitionProperties.decode(part, "part-3"))
          .isInstanceOf(CorruptSnapshotException.class)
          .hasMessage(
              "properties section too short: file=part-3 expected>=64 actual=%d", part.limit());
    }
  }

  @Test
  void partitionsAreEqualRangesOfTheHashSpace() {
    for (int count : new int[] {1, 2, 3, 7, 256, 65_536}) {
      assertThat(new Partitioning(count).partition(0)).isZero();
      assertThat(new Partitioning(count).partition(-1)).isEqualTo(count - 1);
      for (int partition = 1; partition < count; partition += Math.max(1, count / 50)) {
        long first =
            new java.math.BigInteger(Integer.toString(partition))
                .shiftLeft(64)
                .add(java.math.BigInteger.valueOf(count - 1L))
                .divide(java.math.BigInteger.valueOf(count))
                .longValue();
        assertThat(new Partitioning(count).partition(first)).isEqualTo(partition);
        assertThat(new Partitioning(count).partition(first - 1)).isEqualTo(partition - 1);
      }
    }
  }
}
