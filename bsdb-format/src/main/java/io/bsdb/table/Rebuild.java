package io.bsdb.table;

import io.bsdb.format.Excerpt;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.SegmentFile;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Replaces the partition files of a table by those of a build, under the changes that the build may
 * not have. They get new numbers, so that none of them counts as folded into the new files.
 */
final class Rebuild {
  private final Table table;
  private final Publication publication;
  private final Build build;
  private final Manifest built;
  private final AsOf asOf;

  Rebuild(Table table, Publication publication, Build build, Manifest built) {
    this.table = table;
    this.publication = publication;
    this.build = build;
    this.built = built;
    this.asOf = Objects.requireNonNull(build.asOf(), "asOf");
  }

  /** Puts the build in service; under the lock. */
  Manifest publish() throws IOException {
    Manifest inService = table.manifest(table.requireCurrentVersion());
    publication.requireSolePublisher(inService);
    Changes changes = inService.changes();
    List<SegmentFile> kept = changesAfter(asOf, inService, table);
    if (!kept.isEmpty() && !Objects.equals(built.schema(), inService.schema())) {
      throw refused(
          asOf,
          inService,
          table,
          "the changes have another schema, %s, than the build, %s"
              .formatted(
                  Excerpt.of(String.valueOf(inService.schema())),
                  Excerpt.of(String.valueOf(built.schema()))));
    }
    if (!kept.isEmpty() && (built.validity() == null) != (inService.validity() == null)) {
      throw refused(
          asOf,
          inService,
          table,
          "only one of the two has a history, the build or the version in service");
    }
    if (!kept.isEmpty() && built.hasKeysOmitted()) {
      throw refused(
          asOf, inService, table, "the build does not store keys, so it cannot be changed");
    }
    Map<String, String> positions = new HashMap<>(built.sourcePositions());
    positions.putAll(inService.sourcePositions());
    Build next = publication.begin(build.id());
    table.storage().syncDirectory(build.directory()); // the files stay there
    return publication.putInService(
        next,
        built.with(
            next.version().equals(build.version())
                ? built.partitions()
                : built.partitions().stream().map(file -> file.in(build.version())).toList(),
            positions,
            changes.folded().append(kept)));
  }

  /**
   * Returns the segments with the changes that a version has beyond those of some data.
   *
   * @throws PublishConflictException if these changes cannot be identified, or if some are gone
   */
  static List<SegmentFile> changesAfter(AsOf asOf, Manifest inService, Table table)
      throws PublishConflictException {
    Changes changes = inService.changes();
    if (!inService.line().equals(asOf.line()) || changes.lastSegment() < asOf.segment()) {
      throw refused(
          asOf,
          inService,
          table,
          "the table was rebuilt or rolled back, or a publication was killed, meanwhile");
    }
    if (changes.history().after() > asOf.segment()) {
      throw refused(
          asOf,
          inService,
          table,
          "changes that were folded are kept only from segment %d on, and what was read has those up to segment %d"
              .formatted(changes.history().after() + 1, asOf.segment()));
    }
    return changes.after(asOf.segment());
  }

  private static PublishConflictException refused(
      AsOf asOf, Manifest inService, Table table, String why) {
    return new PublishConflictException(
        "the changes after version %s cannot be identified: %s: table=%s in service=%s; nothing was replaced, read the data again and run this again"
            .formatted(asOf.version(), why, table.storage(), inService.version()));
  }
}
