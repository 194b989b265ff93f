package io.bsdb.cli.read;

import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.cli.output.Progress;
import io.bsdb.cli.table.SnapshotDirectory;
import io.bsdb.cli.table.TableCommand;
import io.bsdb.cli.table.VersionText;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.SnapshotVerifier;
import io.bsdb.reader.overlay.ChangeCursor;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.row.RowCodec;
import io.bsdb.row.RowLayout;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Objects;
import picocli.CommandLine.Command;

/** Reads everything. */
@Command(
    name = "verify",
    header = "Reads the whole snapshot in service and checks that it is sound.",
    description = {
      "",
      "Every byte is compared with its checksums. DIR may also be the directory of one snapshot.",
      "",
      "Exit status: 0 the snapshot is sound, 3 it is not; the message names file and offset.",
      ""
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  bsdb verify --table places",
      "  bsdb verify --table places/snapshots/0000000002-1f0c9a37"
    })
public final class VerifyCommand extends TableCommand {
  public VerifyCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() throws IOException {
    Manifest manifest = verify(table.directory(), console);
    console.say("%s is sound: %s", manifest.version(), VersionText.of(manifest));
    return ExitStatus.OK;
  }

  /**
   * Verifies a snapshot.
   *
   * @param path of a table or of one snapshot
   * @throws CorruptSnapshotException if it is damaged
   */
  public static Manifest verify(Path path, Console console) throws IOException {
    return SnapshotDirectory.read(path, snapshot -> verifySnapshot(snapshot, console));
  }

  /** Opens all files before it reads any: the version may be deleted meanwhile. */
  private static Manifest verifySnapshot(Path snapshot, Console console) throws IOException {
    try (SnapshotVerifier verifier = SnapshotVerifier.open(snapshot);
        SnapshotReader reader =
            hasRows(verifier.manifest()) ? SnapshotReader.open(snapshot) : null) {
      try (Progress progress = Progress.start(console, "verifying", 0, Progress.Unit.PARTITIONS)) {
        verifier.verify();
      }
      if (reader != null) {
        verifyRows(reader, snapshot, console);
      }
      return verifier.manifest();
    }
  }

  private static boolean hasRows(Manifest manifest) {
    return manifest.schema() != null && !manifest.hasKeysOmitted();
  }

  /** Verifies a row of a table. */
  private interface Rows {
    void verify(byte[] key, byte[] value) throws CorruptSnapshotException;
  }

  /** Returns what verifies the rows of a version, of a history also those that are ended. */
  private static Rows rows(Manifest manifest) {
    RowCodec codec = RowCodec.of(Objects.requireNonNull(manifest.schema()));
    return manifest.validity() == null
        ? codec::verify
        : (key, value) -> {
          if (RowLayout.isEnded(value)) {
            codec.verifyKey(key);
          } else {
            codec.verify(key, value);
          }
        };
  }

  /** Decodes all rows: sound bytes may yet be rows of another schema. */
  private static void verifyRows(SnapshotReader reader, Path snapshot, Console console)
      throws IOException {
    Rows rows = rows(reader.manifest());
    try (Progress progress =
        Progress.start(
            console, "verifying rows", reader.partitionCount(), Progress.Unit.PARTITIONS)) {
      verifyChanges(reader, rows);
      for (int partition = 0; partition < reader.partitionCount(); partition++) {
        try (RecordCursor cursor = reader.allVersions().scan(partition)) {
          while (cursor.next()) {
            rows.verify(cursor.key(), cursor.value());
            progress.records().lazySet(progress.records().getPlain() + 1);
          }
        } catch (CorruptSnapshotException e) {
          Path file =
              SnapshotDirectory.file(snapshot, reader.manifest().partitions().get(partition));
          throw new CorruptSnapshotException(
              "row does not fit the schema: file=%s record=%d: %s"
                  .formatted(file, progress.records().get(), e.getMessage()),
              e);
        }
        progress.position().incrementAndGet();
      }
    }
  }

  /**
   * Verifies the rows that segments put, so that what is wrong afterwards is in partition files.
   */
  private static void verifyChanges(SnapshotReader reader, Rows rows) throws IOException {
    Overlay changes = reader.changes();
    if (changes == null) {
      return;
    }
    ChangeCursor cursor = changes.changes();
    while (cursor.next()) {
      if (!cursor.isDeleted()) {
        try {
          rows.verify(cursor.key(), cursor.value());
        } catch (CorruptSnapshotException e) {
          throw new CorruptSnapshotException(
              "changed row does not fit the schema: version=%s key=%s in one of %d segments: %s"
                  .formatted(
                      reader.manifest().version(),
                      HexFormat.of().formatHex(cursor.key()),
                      reader.manifest().changes().segments().size(),
                      e.getMessage()),
              e);
        }
      }
    }
  }
}
