package io.bsdb.reload;

import io.bsdb.table.manifest.Manifest;
import org.jspecify.annotations.Nullable;

/**
 * Outcome of a reload.
 *
 * @param manifest of the version in service; null after a dry run
 * @param read records of the input
 * @param difference from the version that was in service; null if all rows were published without
 *     comparing them
 */
public record ReloadReport(
    @Nullable Manifest manifest, long read, @Nullable Difference difference) {

  /**
   * Counts of keys. A key that came more than once counts by its first record.
   *
   * @param version that the input was compared with
   * @param same keys whose value did not change
   * @param added keys that the version did not have
   * @param changed keys whose value changed
   * @param deleted keys that the input did not have
   * @param bytes of keys and values that were put, and of keys that were deleted
   */
  public record Difference(
      String version, long same, long added, long changed, long deleted, long bytes) {
    /**
     * Returns the sum of the differences of two shares.
     *
     * @throws IllegalArgumentException if they were compared with different versions
     */
    public Difference plus(Difference other) {
      if (!version.equals(other.version)) {
        throw new IllegalArgumentException(
            "compared with different versions: %s and %s".formatted(version, other.version));
      }
      return new Difference(
          version,
          same + other.same,
          added + other.added,
          changed + other.changed,
          deleted + other.deleted,
          bytes + other.bytes);
    }

    /** Returns the number of rows of the input. */
    public long rows() {
      return same + added + changed;
    }

    /** Returns the number of rows that differ. */
    public long differing() {
      return added + changed + deleted;
    }
  }
}
