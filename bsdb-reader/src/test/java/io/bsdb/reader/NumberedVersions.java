package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.table.manifest.Manifest;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** A table in whose versions every value is the version's number, from 1 on, and the key's. */
final class NumberedVersions {
  static final int KEYS = 40;

  private final Path table;
  private int published;

  NumberedVersions(Path table) {
    this.table = table;
  }

  static byte[] key(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }

  /** Publishes the next version, by turns in one of two layouts and numbers of partitions. */
  Manifest publishNext() throws IOException {
    published++;
    WriterOptions options =
        WriterOptions.builder()
            .layout(published % 2 == 0 ? Layout.COMPACT : Layout.COMPRESSED)
            .partitions(1 + published % 2)
            .build();
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      for (int i = 0; i < KEYS; i++) {
        writer.add(key(i), ByteBuffer.allocate(8).putInt(published).putInt(i).array());
      }
      return writer.publish();
    }
  }

  /** How many versions have been published. */
  int published() {
    return published;
  }

  /** The number of the version that a key's value is from. */
  static int versionOf(byte[] value, int key) {
    ByteBuffer buffer = ByteBuffer.wrap(value);
    int version = buffer.getInt();
    assertThat(buffer.getInt()).isEqualTo(key);
    return version;
  }

  /** Changes a byte, so that a version cannot be opened. */
  void damage(Manifest manifest) throws IOException {
    Path file =
        table
            .resolve("snapshots")
            .resolve(manifest.version())
            .resolve(manifest.partitions().get(0).name());
    byte[] bytes = Files.readAllBytes(file);
    bytes[20] ^= 1;
    Files.write(file, bytes);
  }
}
