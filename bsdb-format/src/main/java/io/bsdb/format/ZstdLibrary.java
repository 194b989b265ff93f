package io.bsdb.format;

import com.github.luben.zstd.Zstd;
import java.io.IOException;

/**
 * The native library of zstd, which is unpacked when it is first used.
 *
 * @hidden
 */
@Internal
public final class ZstdLibrary {
  private ZstdLibrary() {}

  /**
   * Loads the library: else the first use of it would end with an error.
   *
   * @param user what needs it, such as a file
   * @throws IOException if it does not load
   */
  public static void require(String user) throws IOException {
    try {
      var unused = Zstd.defaultCompressionLevel();
    } catch (LinkageError e) {
      throw new IOException(
          "zstd's native library, which %s needs, does not load: java.io.tmpdir=%s: %s; it is unpacked there, so take a directory that may be written to and allows to execute files (-Djava.io.tmpdir)"
              .formatted(user, System.getProperty("java.io.tmpdir"), e.getMessage()),
          e);
    }
  }
}
