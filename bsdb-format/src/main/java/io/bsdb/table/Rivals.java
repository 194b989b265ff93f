package io.bsdb.table;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds versions that are published at the same moment where there are no locks.
 *
 * <p>Each publication writes its manifest, then looks for manifests of rivals, then compares {@code
 * CURRENT}, then replaces it. Of two that write their manifests at the same moment, the one that
 * looks last finds the other and gives up; if both look last, both do. Only a publication that
 * stalls between its comparison and the swap, for longer than another one takes in all, can still
 * be replaced or replace; afterwards it looks whether it is in service.
 */
final class Rivals {
  private final Table table;
  private final Build build;

  Rivals(Table table, Build build) {
    this.table = table;
    this.build = build;
  }

  /**
   * Refuses the swap if another version is about to be put in service, or has just been.
   *
   * @throws IOException if so; the caller may try again
   */
  void requireNone() throws IOException {
    for (String version : table.storage().list(SnapshotFormat.SNAPSHOTS_DIRECTORY)) {
      if (isRival(version)) {
        throw new IOException(
            "another version is being published at the same moment: table=%s this version=%s other version=%s; nothing was replaced, try again"
                .formatted(table.storage(), build.version(), version));
      }
    }
    String current = table.currentVersion();
    boolean first = build.version().equals(current); // CURRENT names it before it is complete
    if (!first && !Objects.equals(current, build.parent())) {
      throw changed("nothing was replaced", current);
    }
  }

  /** A version that was complete when this one began has a smaller number, and does not count. */
  private boolean isRival(String version) throws IOException {
    return Manifest.isVersion(version)
        && !version.equals(build.version())
        && Table.sequence(version) >= Table.sequence(build.version())
        && table.isComplete(version)
        && Objects.equals(table.manifest(version).parent(), build.parent());
  }

  /**
   * Requires that the swap was not undone by another one in the same moment.
   *
   * @throws IOException if it was; the caller may try again
   */
  void requireInService() throws IOException {
    if (!table.wasPublished(build)) {
      throw changed("what this one has is not in service", table.currentVersion());
    }
  }

  private IOException changed(String effect, @Nullable String current) {
    return new IOException(
        "another version was put in service at the same moment: table=%s this version=%s follows=%s in service now=%s; %s, try again"
            .formatted(
                table.storage(),
                build.version(),
                build.parent() == null ? "none" : build.parent(),
                current == null ? "none" : current,
                effect));
  }
}
