package io.bsdb.flink.sink.reload;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.sink.build.BuiltFile;
import io.bsdb.flink.sink.build.SnapshotSinkWriter;
import io.bsdb.flink.sink.change.Change;
import io.bsdb.format.io.Closing;
import io.bsdb.reload.DifferenceWriter;
import io.bsdb.table.Build;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.writer.DuplicateKeyException;
import io.bsdb.writer.SegmentFiles;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.function.IntPredicate;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.jspecify.annotations.Nullable;

/**
 * Compares the rows that come to this task with its share of a version, and writes what differs; or
 * builds them all, if that is what comes first.
 */
final class ReloadSinkWriter implements CommittingSinkWriter<Change, Reload> {
  /** Precedes rows that are all to be built. No key is empty. */
  static final Change BUILD = Change.delete(new byte[0]);

  private final DeclaredTable table;
  private final BuildSettings settings;
  private final Build build;
  private final ComparedVersion version;
  private final WriterInitContext context;
  private long read;
  private boolean ended;
  private @Nullable Comparison comparison;
  private @Nullable SnapshotSinkWriter all;

  ReloadSinkWriter(
      DeclaredTable table,
      BuildSettings settings,
      Build build,
      ComparedVersion version,
      WriterInitContext context) {
    this.table = table;
    this.settings = settings;
    this.build = build;
    this.version = version;
    this.context = context;
  }

  /** A share of the version, and what differs from it. */
  private record Comparison(
      ComparedVersion.Share share, SegmentFiles files, DifferenceWriter differences)
      implements Closeable {
    @Override
    public void close() throws IOException {
      Closing.all(List.of(files, share));
    }
  }

  private Comparison comparison() throws IOException {
    Comparison begun = comparison;
    if (begun == null) {
      begun = compare();
      comparison = begun;
    }
    return begun;
  }

  private Comparison compare() throws IOException {
    IntPredicate partitions = version.share(context.getTaskInfo());
    ComparedVersion.Share share = version.open(table, settings, partitions, build.asOf());
    try {
      SegmentFiles files = new SegmentFiles(table.table().storage());
      return new Comparison(
          share,
          files,
          new DifferenceWriter(
              share.reader(),
              partitions,
              settings.writerOptions(table).duplicates(),
              share::keeps,
              files));
    } catch (RuntimeException | Error e) {
      try (share) {
        throw e;
      }
    }
  }

  @Override
  public void write(Change change, Context unused) throws IOException {
    if (change.value() == null && change.key().length == 0) {
      all =
          SnapshotSinkWriter.create(
              table, settings, build, version.partitioning().count(), context);
      return;
    }
    read++;
    SnapshotSinkWriter builder = all;
    if (builder != null) {
      builder.write(placed(change), unused);
      return;
    }
    try {
      comparison().differences.add(change.key(), change.requireValue());
    } catch (DuplicateKeyException e) {
      throw SnapshotSinkWriter.refused(table, e);
    }
  }

  /** Returns a row with its partition, if that is a range of keys. */
  private Change placed(Change change) {
    return version.partitioning().order() == RecordOrder.KEY
        ? change.in(new Change.Range(version.partitioning().partition(change.key()), 0))
        : change;
  }

  @Override
  public void flush(boolean endOfInput) {
    SnapshotSinkWriter.requireEnd(table, endOfInput);
    ended = true;
  }

  @Override
  public List<Reload> prepareCommit() throws IOException {
    if (!ended) {
      return List.of();
    }
    SnapshotSinkWriter builder = all;
    if (builder != null) {
      builder.flush(true);
      return List.of(
          Reload.ofBase(read, builder.prepareCommit().stream().map(BuiltFile::file).toList()));
    }
    try {
      Comparison compared = comparison();
      return List.of(
          Reload.ofChanges(read, compared.differences.finish(), compared.files.finish()));
    } catch (DuplicateKeyException e) {
      throw SnapshotSinkWriter.refused(table, e);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      if (all != null) {
        all.close();
      }
    } finally {
      if (comparison != null) {
        comparison.close();
      }
    }
  }
}
