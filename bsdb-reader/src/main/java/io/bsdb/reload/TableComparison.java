package io.bsdb.reload;

import io.bsdb.compact.Workplace;
import io.bsdb.format.io.Closing;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.format.segment.Segment;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.io.FileMemory;
import io.bsdb.reader.snapshot.RecordComparison;
import io.bsdb.row.RowLayout;
import io.bsdb.table.AsOf;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SegmentFiles;
import io.bsdb.writer.SnapshotPublisher;
import io.bsdb.writer.options.WriterOptions;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares all rows of an input with the version in service, and writes those that differ into
 * segments. The version may be pruned meanwhile: its files stay open.
 */
final class TableComparison implements Closeable {
  private final Path directory;
  private final Table table;
  private final WriterOptions options;
  private final SnapshotReader reader;
  private final SegmentFiles files;
  private final @Nullable LaterChanges later;
  private final DifferenceWriter difference;
  private List<SegmentFile> unpublished = List.of();
  private boolean closed;

  private TableComparison(
      Path directory,
      WriterOptions options,
      SnapshotReader reader,
      @Nullable LaterChanges later,
      Outcome outcome) {
    this.directory = directory;
    this.table = Table.at(directory);
    this.options = options;
    this.reader = reader;
    this.files = new SegmentFiles(table.storage());
    this.later = later;
    this.difference =
        new DifferenceWriter(
            reader,
            partition -> true,
            options.duplicates(),
            key -> later != null && later.contains(key),
            outcome == Outcome.WRITTEN ? files : null);
  }

  /** What becomes of the differences. */
  enum Outcome {
    WRITTEN,
    COUNTED
  }

  /**
   * Begins a comparison with a version.
   *
   * @param reader of the version; taken over
   * @param asOf changes that the input has; null if it has all
   */
  static TableComparison begin(
      Path directory,
      SnapshotReader reader,
      @Nullable AsOf asOf,
      WriterOptions options,
      Outcome outcome)
      throws IOException {
    LaterChanges later = null;
    try {
      later = asOf == null ? null : later(asOf, reader.manifest(), directory);
      return new TableComparison(directory, options, reader, later, outcome);
    } catch (IOException | RuntimeException | Error e) {
      try (reader) {
        if (later != null) {
          later.close();
        }
        throw e;
      }
    }
  }

  private static LaterChanges later(AsOf asOf, Manifest inService, Path directory)
      throws IOException {
    Table table = Table.at(directory);
    return LaterChanges.open(asOf, inService, table, Workplace.in(directory, table));
  }

  /** Returns the version that the input is compared with. */
  String version() {
    return reader.manifest().version();
  }

  /** Refuses an ended row, as a build does: tables with a history are not compared. */
  void requireLive(byte[] value, int offset, int length) {
    if (reader.manifest().schema() != null) {
      RowLayout.requireLive(value, offset, length);
    }
  }

  void add(byte[] key, byte[] value) throws IOException {
    difference.add(key, value);
  }

  long differing() {
    return difference.differing();
  }

  ReloadReport.Difference finish() throws IOException {
    return difference.finish();
  }

  /**
   * Hands out all rows that the input had so far. A key that was added more than once may be handed
   * out more than once, its last row last, but only if the last row counts.
   */
  void handOver(RecordComparison.RecordSink rows) throws IOException {
    difference.present(rows);
    unpublished = files.finish();
    for (SegmentFile file : unpublished) {
      Path path = directory.resolve(file.path());
      try (FileMemory memory = FileMemory.map(path)) {
        Segment segment = new Segment(memory.chunk(0), file.fileId(), path.toString());
        segment.replay(
            (kind, record) -> {
              if (kind == ChangeKind.PUT) {
                rows.take(segment.copy(segment.key(record)), segment.copy(segment.value(record)));
              }
            });
      }
    }
  }

  /**
   * Puts the difference in service.
   *
   * @throws io.bsdb.writer.TooFewRowsException if the options demand more rows
   * @throws io.bsdb.table.PublishConflictException if the table was changed meanwhile
   */
  Manifest publish(ReloadReport.Difference found) throws IOException {
    SnapshotPublisher.requireEnoughRows(table, reader.manifest(), found.rows(), options);
    List<SegmentFile> written = files.finish();
    unpublished = written;
    try (DeltaWriter writer = DeltaWriter.create(table)) {
      written.forEach(writer::segment);
      unpublished = List.of(); // the writer's now
      options.sourcePositions().forEach(writer::position);
      if (later == null) {
        writer.requireVersion(found.version());
      } else {
        writer.finish(inService -> repeated(inService, written));
      }
      return writer.publish();
    }
  }

  /** Writes the changes again that were made during the comparison, of keys that it changes too. */
  private List<SegmentFile> repeated(Manifest inService, List<SegmentFile> written)
      throws IOException {
    try (LaterChanges meanwhile = later(AsOf.of(reader.manifest()), inService, directory);
        SegmentFiles again = new SegmentFiles(table.storage())) {
      meanwhile.repeat(written, again);
      return again.finish();
    }
  }

  /** Deletes what was written and not published. Idempotent. */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    List<Closeable> parts = new ArrayList<>();
    unpublished.forEach(segment -> parts.add(() -> table.storage().delete(segment.path())));
    unpublished = List.of();
    parts.add(files);
    if (later != null) {
      parts.add(later);
    }
    parts.add(reader);
    Closing.all(parts);
  }
}
