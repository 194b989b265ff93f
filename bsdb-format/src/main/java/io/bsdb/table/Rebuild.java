package io.bsdb.table;

import io.bsdb.format.Excerpt;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.SegmentFile;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the partition files of a table by those of a build, under the changes that the build may
 * not have. They get new numbers, so that none of them counts as folded into the new files.
 */
final class Rebuild {
  private Rebuild() {}

  /** Puts a build in service; under the lock. */
  static Manifest publish(Table table, Publication publication, Build build, Manifest built)
      throws IOException {
    AsOf asOf = Objects.requireNonNull(build.asOf(), "asOf");
    Manifest inService = table.manifest(table.requireCurrentVersion());
    publication.requireSolePublisher(inService);
    List<SegmentFile> kept = asOf.changesIn(inService, table);
    String obstacle = kept.isEmpty() ? null : obstacle(built, inService);
    if (obstacle != null) {
      throw asOf.refused(inService, table, obstacle);
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
            inService.changes().folded().append(kept)));
  }

  /** Returns why the changes of a version do not apply to a build; null for nothing. */
  private static @Nullable String obstacle(Manifest built, Manifest inService) {
    if (!Objects.equals(built.schema(), inService.schema())) {
      return "the changes have another schema, %s, than the build, %s"
          .formatted(
              Excerpt.of(String.valueOf(inService.schema())),
              Excerpt.of(String.valueOf(built.schema())));
    }
    if ((built.validity() == null) != (inService.validity() == null)) {
      return "only one of the two has a history, the build or the version in service";
    }
    return built.hasKeysOmitted() ? "the build does not store keys, so it cannot be changed" : null;
  }
}
