package io.bsdb.cli.table;

import io.bsdb.format.Figures;
import io.bsdb.table.VersionFacts;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.Validity;
import java.time.Duration;
import java.time.Instant;

/** Contents of a version in figures, for people. */
public final class VersionText {
  private VersionText() {}

  /** Returns records, bytes and changes. */
  public static String of(Manifest manifest) {
    String records = Figures.count(manifest.recordCount(), "record");
    String bytes = Figures.size(manifest.length());
    return manifest.hasChanges()
        ? "%s in partition files of %s, changed by %s".formatted(records, bytes, changes(manifest))
        : records + " in " + bytes;
  }

  /** Returns the changes over the partition files. */
  public static String changes(Manifest manifest) {
    VersionFacts facts = new VersionFacts(manifest);
    return "%s and %s in %s of %s"
        .formatted(
            Figures.count(facts.puts(), "put"),
            Figures.count(facts.deletes(), "delete"),
            Figures.count(facts.segments(), "segment"),
            Figures.size(facts.segmentBytes()));
  }

  /** Returns how much of a history there is. */
  public static String history(Validity validity, Changes changes) {
    Duration retention = validity.retention();
    Instant sourceTime = changes.sourceTime();
    return "with a history, replaced rows kept "
        + (retention == null ? "forever" : "for " + Validity.text(retention))
        + (validity.horizon() == null ? "" : ", complete from " + validity.horizon() + " on")
        + (sourceTime == null ? "" : ", with all changes up to " + sourceTime);
  }
}
