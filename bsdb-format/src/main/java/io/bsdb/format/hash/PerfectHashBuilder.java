package io.bsdb.format.hash;

import io.bsdb.format.PerfectHashConstruction;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Builds the section of a perfect hash. The bytes depend on the keys, their order and the options
 * that say so, never on threads or chance.
 *
 * <p>Beside the two input arrays, a build takes 8 bytes per key, some 3 MB, and the section itself.
 * Works on the calling thread; Sux4J starts others, at most four, as its system property {@code
 * it.unimi.dsi.sux4j.mph.threads} says. Safe for use by many threads.
 */
public final class PerfectHashBuilder {

  /** The most keys that one perfect hash takes: 2<sup>27</sup>. */
  public static final int MAX_SIZE = 1 << 27;

  private PerfectHashBuilder() {}

  /**
   * Builds the section of the first {@code size} keys of two arrays, which are not changed.
   *
   * @param temporaryDirectory an existing directory for the temporary files of {@link
   *     PerfectHashConstruction#SUX4J}, 24 bytes per key in 256 files, which are deleted however a
   *     build ends; they are open at once, with 4 MiB of direct buffers, in each thread that
   *     builds. May be null for the others
   * @return the section, little-endian; open it with {@link PerfectHash#open}
   * @throws DuplicateHashException if two keys have the same 128-bit hash
   * @throws IllegalArgumentException if {@code size} is out of range, or the hashes are so far from
   *     uniform that no bounded number of seeds helps
   * @throws java.io.InterruptedIOException if the calling thread is interrupted; it stays marked so
   * @throws IOException if a temporary file cannot be written
   */
  public static byte[] build(
      PerfectHashConstruction construction,
      @Nullable Path temporaryDirectory,
      long[] high,
      long[] low,
      int size)
      throws DuplicateHashException, IOException {
    if (size < 0 || size > MAX_SIZE) {
      throw new IllegalArgumentException(
          "size out of range: expected=0.." + MAX_SIZE + " actual=" + size);
    }
    Objects.checkFromIndexSize(0, size, Math.min(high.length, low.length));
    if (size == 0) {
      return PerfectHashSection.create(kind(construction), 0, PerfectHashSection.HEAD_BYTES);
    }
    return switch (construction) {
      case SUX4J -> {
        if (temporaryDirectory == null) {
          throw new IllegalStateException("sux4j needs a temporary directory");
        }
        yield new Sux4jBuilder(temporaryDirectory).build(high, low, size);
      }
      case PILOT -> new PilotBuilder(PilotBuilder.KEYS_PER_BUCKET).build(high, low, size);
      case PILOT_DENSE ->
          new PilotBuilder(PilotBuilder.DENSE_KEYS_PER_BUCKET).build(high, low, size);
    };
  }

  /** Returns the kind of the sections that a construction writes. */
  static PerfectHashKind kind(PerfectHashConstruction construction) {
    return switch (construction) {
      case SUX4J -> PerfectHashKind.SUX4J;
      case PILOT, PILOT_DENSE -> PerfectHashKind.PILOT;
    };
  }
}
