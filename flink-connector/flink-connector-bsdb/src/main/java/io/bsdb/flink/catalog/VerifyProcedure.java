package io.bsdb.flink.catalog;

import io.bsdb.flink.storage.TableLocation;
import io.bsdb.format.Internal;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.reader.SnapshotVerifier;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.ProcedureHint;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.procedure.ProcedureContext;
import org.apache.flink.table.procedures.Procedure;
import org.apache.flink.types.Row;
import org.jspecify.annotations.Nullable;

/**
 * {@code verify(table, version)} reads every byte of a version; by default of the one in service.
 *
 * @hidden
 */
@Internal
@ProcedureHint(
    arguments = {
      @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
      @ArgumentHint(name = "version", type = @DataTypeHint("STRING"), isOptional = true)
    },
    output = @DataTypeHint("ROW<version STRING, records BIGINT, size_in_bytes BIGINT>"))
public final class VerifyProcedure implements Procedure {
  private final TableDirectories tables;

  VerifyProcedure(TableDirectories tables) {
    this.tables = tables;
  }

  /**
   * Answers what is sound. Runs on the client.
   *
   * @throws io.bsdb.format.CorruptSnapshotException if something is not
   */
  public Row[] call(ProcedureContext context, String table, @Nullable String version)
      throws IOException {
    ObjectPath path = tables.require(table);
    Table stored = tables.table(path);
    String chosen =
        version == null ? stored.requireCurrentVersion() : Versions.resolve(stored, version);
    Manifest manifest = verify(tables.location(path), stored, chosen);
    return new Row[] {Row.of(chosen, manifest.recordCount(), manifest.length())};
  }

  /** Reads a local version in place, and any other in a copy that is deleted afterwards. */
  private static Manifest verify(TableLocation location, Table table, String version)
      throws IOException {
    String snapshot = SnapshotFormat.SNAPSHOTS_DIRECTORY + "/" + version;
    if (location.isLocal()) {
      return SnapshotVerifier.verify(location.directory().resolve(snapshot));
    }
    Path copy = Files.createTempDirectory("bsdb-verify-");
    try {
      Set<String> files = new LinkedHashSet<>(table.manifest(version).files());
      files.add(snapshot + "/" + SnapshotFormat.MANIFEST_FILE);
      for (String file : files) {
        Path target = copy.resolve(file);
        Files.createDirectories(Objects.requireNonNull(target.getParent()));
        try (InputStream in = table.storage().open(file)) {
          Files.copy(in, target);
        }
      }
      return SnapshotVerifier.verify(copy.resolve(snapshot));
    } finally {
      Table.at(copy).storage().delete("");
    }
  }
}
