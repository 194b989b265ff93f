package io.bsdb.table;

import io.bsdb.format.Internal;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.table.manifest.Manifest;
import java.io.Serializable;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot in the making, begun by {@link Table#begin}. Names alone: the files are the writers'
 * affair, and several processes may write files of one build.
 *
 * @param id becomes the snapshot id
 * @param version the directory name under {@code snapshots}
 * @param parent the version in service when the build began; null if there was none
 * @param asOf up to where it has the changes of the table, so that later ones are kept; null if it
 *     replaces all of them
 * @hidden
 */
@Internal
public record Build(UUID id, String version, @Nullable String parent, @Nullable AsOf asOf)
    implements Serializable {

  /** Creates a build that replaces all changes. */
  public Build(UUID id, String version, @Nullable String parent) {
    this(id, version, parent, null);
  }

  /** Returns where the snapshot's files go, relative to the table directory. */
  public String directory() {
    return SnapshotFormat.SNAPSHOTS_DIRECTORY + "/" + version;
  }

  /**
   * Returns where temporary files may go, relative to the table directory. Who writes there deletes
   * it; so do {@link Table#abort} and, of dead builds, {@link Table#sweep}.
   */
  public String stagingDirectory() {
    return SnapshotFormat.STAGING_DIRECTORY + "/" + id;
  }

  /** Returns the identity of the version, published now. */
  public Manifest.Identity identity() {
    return new Manifest.Identity(id, version, parent, Instant.now().truncatedTo(ChronoUnit.MILLIS));
  }
}
