package io.bsdb.table;

import io.bsdb.format.Internal;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.SegmentFile;
import java.io.Serializable;
import java.util.List;
import java.util.UUID;

/**
 * The point up to which the data of a build includes the changes of a table.
 *
 * @param version that the data is at least as new as
 * @param line of versions to which it belongs
 * @param segment the last one that it has
 * @hidden
 */
@Internal
public record AsOf(String version, UUID line, long segment) implements Serializable {
  /** Returns the point up to which a version includes the changes of its table. */
  public static AsOf of(Manifest manifest) {
    return new AsOf(manifest.version(), manifest.line(), manifest.changes().lastSegment());
  }

  /**
   * Returns the segments with the changes that a version has beyond this point, in the order in
   * which they apply.
   *
   * @throws PublishConflictException if these changes cannot be identified, or if some are gone
   */
  public List<SegmentFile> changesIn(Manifest inService, Table table)
      throws PublishConflictException {
    Changes changes = inService.changes();
    if (!inService.line().equals(line) || changes.lastSegment() < segment) {
      throw refused(
          inService,
          table,
          "the table was rebuilt or rolled back, or a publication was killed, meanwhile");
    }
    if (changes.history().after() > segment) {
      throw refused(
          inService,
          table,
          "changes that were folded are kept only from segment %d on, and what was read has those up to segment %d"
              .formatted(changes.history().after() + 1, segment));
    }
    return changes.after(segment);
  }

  /**
   * Returns the exception for changes after this point that cannot be kept.
   *
   * @param why they cannot be identified
   */
  PublishConflictException refused(Manifest inService, Table table, String why) {
    return new PublishConflictException(
        "the changes after version %s cannot be identified: %s: table=%s in service=%s; nothing was replaced, read the data again and run this again"
            .formatted(version, why, table.storage(), inService.version()));
  }
}
