package io.bsdb.table.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.row.Schema;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;

/** A manifest, and its text after edits, whose checksum is right again. */
final class EditedManifests {
  static final String FILE = "t/snapshots/0000000002-0a1b2c3d/manifest.json";

  static final Manifest MANIFEST =
      new Manifest(
          new Manifest.Identity(
              UUID.fromString("0a1b2c3d-1111-2222-3333-444455556666"),
              "0000000002-0a1b2c3d",
              "0000000001-12345678",
              Instant.parse("2026-01-02T03:04:05.678Z")),
          Schema.builder()
              .column("id", "BIGINT NOT NULL")
              .column("name", "STRING")
              .primaryKey("id")
              .build(),
          Map.of("layout", "blocked"),
          List.of(
              new PartitionFile(
                  "part-00001.bsdb",
                  new UUID(1, 1),
                  9000,
                  0x80000001,
                  5,
                  20,
                  100,
                  new PartitionFile.Place(1)),
              new PartitionFile(
                  "part-00000.bsdb",
                  new UUID(0, 0x2f),
                  5L << 40,
                  -1,
                  7,
                  28,
                  140,
                  new PartitionFile.Place(0))),
          Map.of("team", "ops", "owner", "Zürich \"checksum\" : \"00000000\""),
          Map.of("orders-0", "12345"));

  private EditedManifests() {}

  static void assertRefusedWith(byte[] bytes, String message) {
    assertThatThrownBy(() -> Manifest.decode(bytes, FILE))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("file=" + FILE)
        .hasMessageContaining(message);
  }

  /** The manifest with its text changed and its checksum right again. */
  static byte[] edited(String old, String replacement) {
    return edited(MANIFEST, old, replacement);
  }

  static byte[] edited(Manifest manifest, String old, String replacement) {
    String text = new String(manifest.encode(), StandardCharsets.UTF_8);
    assertThat(text).contains(old);
    int at = text.indexOf(old);
    String changed = text.substring(0, at) + replacement + text.substring(at + old.length());
    return checksummed(changed.substring(0, changed.lastIndexOf("\"checksum\"")));
  }

  static byte[] checksummed(String covered) {
    return withRightChecksum(
        (covered + "\"checksum\" : \"00000000\"\n}\n").getBytes(StandardCharsets.UTF_8));
  }

  static byte[] withRightChecksum(byte[] bytes) {
    int covered = bytes.length - "\"checksum\" : \"00000000\"\n}\n".length();
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, covered);
    byte[] checksum = SnapshotFormat.hex((int) crc.getValue()).getBytes(StandardCharsets.US_ASCII);
    byte[] right = bytes.clone();
    System.arraycopy(checksum, 0, right, bytes.length - 12, checksum.length);
    return right;
  }
}
