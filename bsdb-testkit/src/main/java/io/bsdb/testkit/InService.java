package io.bsdb.testkit;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The manifest of the version in service. */
public final class InService {
  private InService() {}

  public static Manifest of(Table table) throws IOException {
    return table.manifest(table.requireCurrentVersion());
  }

  public static Manifest of(Path table) throws IOException {
    return of(Table.at(table));
  }

  /** Changes when it was published. */
  public static void publishedAt(Path table, Instant time) throws IOException {
    Manifest manifest = of(table);
    Manifest changed =
        new Manifest(
            new Manifest.Identity(
                manifest.snapshotId(),
                manifest.version(),
                manifest.parent(),
                time.truncatedTo(ChronoUnit.MILLIS)),
            manifest.schema(),
            manifest.options(),
            manifest.partitions(),
            manifest.properties(),
            manifest.sourcePositions(),
            manifest.changes(),
            manifest.validity());
    Files.write(
        table
            .resolve(SnapshotFormat.SNAPSHOTS_DIRECTORY)
            .resolve(manifest.version())
            .resolve(SnapshotFormat.MANIFEST_FILE),
        changed.encode());
  }
}
