package io.bsdb.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class PartChecksumTest {
  private static final UUID ID = UUID.fromString("0f1e2d3c-4b5a-4697-8877-665544332211");
  private static final PartChecksum CHECKSUM = new PartChecksum(ID);
  private static final ByteBuffer DIGITS = bytes("123456789");

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void coversIdKindAndOffsetInFrontOfTheBytes() {
    CRC32C crc = new CRC32C();
    crc.update(HexFormat.of().parseHex("0f1e2d3c4b5a46978877665544332211"));
    crc.update(HexFormat.of().parseHex("050000000030000000010000"));
    crc.update(DIGITS.duplicate());
    assertThat(CHECKSUM.of(5, 0x100_0000_3000L, DIGITS, 0, 9)).isEqualTo((int) crc.getValue());
  }

  @Test
  void differsByEachOfThem() {
    int checksum = CHECKSUM.of(5, 4096, DIGITS, 0, 9);
    assertThat(new PartChecksum(new UUID(1, 2)).of(5, 4096, DIGITS, 0, 9)).isNotEqualTo(checksum);
    assertThat(CHECKSUM.of(3, 4096, DIGITS, 0, 9)).isNotEqualTo(checksum);
    assertThat(CHECKSUM.of(5, 8192, DIGITS, 0, 9)).isNotEqualTo(checksum);
    assertThat(CHECKSUM.of(5, 4096 + (1L << 40), DIGITS, 0, 9)).isNotEqualTo(checksum);
    assertThat(CHECKSUM.of(5, 4096, DIGITS, 0, 8)).isNotEqualTo(checksum);
  }

  @Test
  void readsAnyBufferAndLeavesItsPosition() {
    ByteBuffer direct = ByteBuffer.allocateDirect(20).order(ByteOrder.LITTLE_ENDIAN);
    direct.position(7).put(DIGITS.duplicate());
    assertThat(CHECKSUM.of(5, 4096, direct, 7, 9)).isEqualTo(CHECKSUM.of(5, 4096, DIGITS, 0, 9));
    assertThat(CHECKSUM.of(5, 4096, direct.asReadOnlyBuffer(), 7, 9))
        .isEqualTo(CHECKSUM.of(5, 4096, DIGITS, 0, 9));
    assertThat(direct.position()).isEqualTo(16);
    assertThatThrownBy(() -> CHECKSUM.of(5, 4096, direct.limit(10), 7, 9))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }
}
