package io.bsdb.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.row.Schema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestTest {
  private static final String FILE = "t/snapshots/0000000002-0a1b2c3d/manifest.json";

  private static final Manifest MANIFEST =
      new Manifest(
          UUID.fromString("0a1b2c3d-1111-2222-3333-444455556666"),
          "0000000002-0a1b2c3d",
          "0000000001-12345678",
          Instant.parse("2026-01-02T03:04:05.678Z"),
          Schema.builder()
              .column("id", "BIGINT NOT NULL")
              .column("name", "STRING")
              .primaryKey("id")
              .build(),
          Map.of("layout", "blocked"),
          List.of(
              new PartitionFile(1, "part-00001.bsdb", 9000, 0x80000001, 5, 20, 100),
              new PartitionFile(0, "part-00000.bsdb", 5L << 40, -1, 7, 28, 140)),
          Map.of("owner", "Zürich \"checksum\" : \"00000000\""),
          Map.of("orders-0", "12345"));

  @Test
  void givesBackWhatWasEncoded() throws Exception {
    Manifest decoded = Manifest.decode(MANIFEST.encode(), FILE);
    assertThat(decoded).isEqualTo(MANIFEST);
    assertThat(decoded.recordCount()).isEqualTo(12);
    assertThat(decoded.length()).isEqualTo((5L << 40) + 9000);
    assertThat(decoded.partitions()).extracting(PartitionFile::partition).containsExactly(0, 1);
  }

  @Test
  void refusesEveryChangedByte() {
    byte[] sound = MANIFEST.encode();
    for (int position = 0; position < sound.length; position++) {
      for (int change : new int[] {1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0xFF}) {
        byte[] damaged = sound.clone();
        damaged[position] ^= (byte) change;
        assertRefused(damaged, "byte " + position + " changed by " + change);
      }
      byte[] damaged = sound.clone();
      damaged[position] = 0;
      assertRefused(damaged, "byte " + position + " zeroed");
    }
  }

  @Test
  void refusesEveryTruncation() {
    byte[] sound = MANIFEST.encode();
    for (int length = 0; length < sound.length; length++) {
      assertRefused(Arrays.copyOf(sound, length), "length " + length);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {" ", "\n", "{}", "\u0000", "x", "\"checksum\" : \"00000000\"\n}\n"})
  void refusesBytesBehindItsEnd(String more) {
    byte[] sound = MANIFEST.encode();
    byte[] extra = more.getBytes(StandardCharsets.UTF_8);
    byte[] longer = Arrays.copyOf(sound, sound.length + extra.length);
    System.arraycopy(extra, 0, longer, sound.length, extra.length);
    assertRefused(longer, more);
  }

  private static void assertRefused(byte[] bytes, String what) {
    assertThatThrownBy(() -> Manifest.decode(bytes, FILE))
        .as(what)
        .isInstanceOfAny(CorruptSnapshotException.class, UnsupportedVersionException.class)
        .hasMessageContaining("file=" + FILE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../part",
        "/etc/passwd",
        "a/b",
        "..",
        ".",
        "",
        ".hidden",
        "a\\\\b",
        "C:\\\\x",
        "a b",
        "part\\u0000",
        "part\\n",
        "pärt"
      })
  void refusesFileNamesThatLeaveTheDirectory(String name) {
    assertRefusedWith(edited("part-00000.bsdb", name), "manifest names an impossible file");
  }

  @Test
  void refusesOneFileForTwoPartitions() {
    assertRefusedWith(
        edited("part-00001.bsdb", "part-00000.bsdb"),
        "manifest names an impossible file: file=" + FILE + " name='part-00000.bsdb'");
  }

  @Test
  void refusesFiguresOutOfRange() {
    assertRefusedWith(edited("\"length\" : 9000", "\"length\" : -1"), "length out of range: -1");
    assertRefusedWith(edited("\"length\" : 9000", "\"length\" : \"x\""), "length out of range");
    assertRefusedWith(edited("\"length\" : 9000", "\"length\" : 1e99"), "length out of range");
    assertRefusedWith(edited("\"length\" : 9000", "\"size\" : 9000"), "'length' is missing");
    assertRefusedWith(edited("\"keyBytes\" : 20", "\"keyBytes\" : -20"), "keyBytes out of range");
    assertRefusedWith(edited("\"valueBytes\" : 100", "\"valueBytes\" : -20"), "valueBytes out of");
    assertRefusedWith(
        edited("\"recordCount\" : 5", "\"recordCount\" : 2147483648"), "recordCount out of range");
    assertRefusedWith(edited("\"recordCount\" : 12", "\"recordCount\" : 13"), "contradicts itself");
    assertRefusedWith(edited("80000001", "x0000001"), "manifest cannot be read");
    assertRefusedWith(edited("80000001", "180000001"), "manifest cannot be read");
    assertRefusedWith(edited("80000001", "-1"), "manifest cannot be read");
  }

  @Test
  void refusesMembersOfAnotherKind() {
    assertRefusedWith(edited("0a1b2c3d-1111", "1111"), "manifest cannot be read");
    assertRefusedWith(edited("2026-01-02T", "2026-13-02T"), "manifest cannot be read");
    assertRefusedWith(edited("\"options\"", "\"opinions\""), "'options' is missing");
    assertRefusedWith(edited("\"schema\" : {", "\"schema\" : 7, \"x\" : {"), "manifest cannot");
    assertRefusedWith(edited("\"schema\" : {", "\"schema\" : [], \"x\" : {"), "manifest cannot");
    assertRefusedWith(edited("\"schema\" : {", "\"schema\" : {}, \"x\" : {"), "manifest cannot");
    assertRefusedWith(
        edited("\"partitions\" : [", "\"partitions\" : 7, \"x\" : ["), "partitions=0");
    assertRefusedWith(
        edited("\"partitions\" : [", "\"partitions\" : [7], \"x\" : ["), "'file' is missing");
    assertRefusedWith(edited("BIGINT NOT NULL", "BIGINT NO NULL"), "manifest cannot be read");
    assertRefusedWith(checksummed("{"), "'formatVersion' is missing");
    assertRefusedWith(checksummed("["), "manifest cannot be read");
  }

  @Test
  void refusesAnEncodingThatIsNoUtf8() {
    assertRefusedWith(new byte[] {0, 0, (byte) 0xFF, (byte) 0xFE, 0, 0}, "manifest cannot");
    assertRefusedWith(new byte[] {(byte) 0xFF, (byte) 0xFE, 0, 0x30, 0, 0}, "manifest ");
  }

  @Test
  void refusesDeepNestingWithoutOverflowingTheStack() {
    assertRefusedWith(
        edited("\"schema\" : {", "\"deep\" : " + "[".repeat(100_000)), "manifest cannot be read");
  }

  @Test
  void namesTheVersionThatItCannotRead() {
    assertThatThrownBy(
            () -> Manifest.decode(edited("\"formatVersion\" : 1", "\"formatVersion\" : 2"), FILE))
        .isInstanceOf(UnsupportedVersionException.class)
        .hasMessage(
            "snapshot has format version 2, this bsdb reads version 1: file="
                + FILE
                + "; upgrade bsdb, or rebuild the table with this one");
  }

  private static void assertRefusedWith(byte[] bytes, String message) {
    assertThatThrownBy(() -> Manifest.decode(bytes, FILE))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("file=" + FILE)
        .hasMessageContaining(message);
  }

  @Test
  void readsMembersThatALaterWriterAdds() throws IOException {
    byte[] later = edited("\"options\" : {", "\"novelty\" : {\"a\" : [1]}, \"options\" : {");
    assertThat(Manifest.decode(later, FILE)).isEqualTo(MANIFEST);
  }

  /** The manifest with its text changed and its checksum right again. */
  private static byte[] edited(String old, String replacement) {
    String text = new String(MANIFEST.encode(), StandardCharsets.UTF_8);
    assertThat(text).contains(old);
    int at = text.indexOf(old);
    String changed = text.substring(0, at) + replacement + text.substring(at + old.length());
    return checksummed(changed.substring(0, changed.lastIndexOf("\"checksum\"")));
  }

  private static byte[] checksummed(String covered) {
    CRC32C crc = new CRC32C();
    crc.update(covered.getBytes(StandardCharsets.UTF_8));
    return (covered + "\"checksum\" : \"" + SnapshotFormat.hex((int) crc.getValue()) + "\"\n}\n")
        .getBytes(StandardCharsets.UTF_8);
  }
}
