package io.bsdb.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** Computes CRC-32C, the checksum of all formats. */
public final class Crc {
  private Crc() {}

  /** Returns the checksum of bytes. */
  public static int of(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  /** Returns the checksum of a file. */
  public static int of(Path file) throws IOException {
    return of(Files.readAllBytes(file));
  }
}
