package io.bsdb.cli;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Manifest;
import io.bsdb.reader.ReaderOptions;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.Verification;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Reads everything. */
@Command(
    name = "verify",
    sortOptions = false,
    abbreviateSynopsis = true,
    header = "Reads the whole snapshot in service and says whether it is sound.",
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
final class VerifyCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private TableArgument table;

  VerifyCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    Manifest manifest = verify(table.directory(), console);
    console.say(
        "%s is sound: %,d records in %s",
        manifest.version(), manifest.recordCount(), ByteSize.format(manifest.length()));
    return ExitStatus.OK;
  }

  /**
   * Verifies a snapshot.
   *
   * @param path of a table or of one snapshot
   * @throws CorruptSnapshotException if it is damaged
   */
  static Manifest verify(Path path, Console console) throws IOException {
    ReaderOptions everyByte = ReaderOptions.builder().verification(Verification.FULL).build();
    try (SnapshotReader reader = SnapshotReader.open(path)) {
      Manifest manifest = reader.manifest();
      scan(reader, console);
      // After the blocks, whose checksums say better where the damage is.
      SnapshotReader.open(path, everyByte).close();
      return manifest;
    }
  }

  private static void scan(SnapshotReader reader, Console console) throws IOException {
    Manifest manifest = reader.manifest();
    RecordCheck check = RecordCheck.of(manifest);
    try (Progress progress =
        Progress.start(
            console, "verifying", reader.partitionCount(), Progress.Unit.PARTITIONS)) {
      for (int partition = 0; partition < reader.partitionCount(); partition++) {
        long records = 0;
        try (RecordCursor cursor = reader.scan(partition)) {
          while (cursor.next()) {
            check.record(cursor);
            records++;
            progress.records().lazySet(progress.records().getPlain() + 1);
          }
        }
        long expected = manifest.partitions().get(partition).recordCount();
        if (records != expected) {
          throw new CorruptSnapshotException(
              "record count mismatch: file=%s expected=%d actual=%d"
                  .formatted(manifest.partitions().get(partition).name(), expected, records));
        }
        progress.position().incrementAndGet();
      }
    }
  }
}
