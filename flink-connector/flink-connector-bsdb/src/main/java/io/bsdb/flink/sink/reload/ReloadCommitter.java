package io.bsdb.flink.sink.reload;

import io.bsdb.compact.Workplace;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.sink.TableUpkeep;
import io.bsdb.flink.sink.build.SnapshotCommitter;
import io.bsdb.flink.sink.stream.DeltaCommitter;
import io.bsdb.format.io.Closing;
import io.bsdb.reload.LaterChanges;
import io.bsdb.reload.ReloadReport.Difference;
import io.bsdb.table.Build;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SegmentFiles;
import io.bsdb.writer.SnapshotPublisher;
import io.bsdb.writer.TooFewRowsException;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.api.ValidationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes a reload, and then tidies up the table. To be asked again changes nothing, unless the
 * table was rolled back to the version before.
 */
final class ReloadCommitter implements Committer<Reload> {
  private static final Logger LOG = LoggerFactory.getLogger(ReloadCommitter.class);

  private final DeclaredTable declared;
  private final BuildSettings settings;
  private final WriterOptions options;
  private final Build build;
  private final ComparedVersion version;
  private final Table table;
  private final MetricGroup metrics;

  ReloadCommitter(
      DeclaredTable declared,
      BuildSettings settings,
      Build build,
      ComparedVersion version,
      MetricGroup ofTask) {
    this.declared = declared;
    this.settings = settings;
    this.options = settings.writerOptions(declared);
    this.build = build;
    this.version = version;
    this.table = declared.table();
    this.metrics = ofTask.addGroup("bsdb").addGroup("table", declared.name());
  }

  @Override
  public void commit(Collection<CommitRequest<Reload>> requests) throws IOException {
    for (CommitRequest<Reload> request : requests) {
      Reload reload = request.getCommittable();
      if (table.wasPublished(build)) {
        request.signalAlreadyCommitted();
        LOG.info("Table {}: what differed was put in service before.", declared.name());
        discard(reload);
      } else {
        report(reload, publish(reload));
      }
    }
    try (TableUpkeep upkeep =
        new TableUpkeep(declared, table, settings, new UnregisteredMetricsGroup())) {
      upkeep.tidyUp(settings.retainVersions());
    }
  }

  /** Deletes what writers wrote that ran again after the publication. */
  private void discard(Reload reload) throws IOException {
    SegmentFiles.deleteUnpublished(table, reload.changes());
    SnapshotPublisher.clear(table, build);
  }

  private Manifest publish(Reload reload) throws IOException {
    List<SegmentFile> written = new ArrayList<>(reload.changes());
    try {
      Difference difference = reload.difference();
      if (difference != null) {
        SnapshotPublisher.requireEnoughRows(
            table,
            options.maxShrinkage() < 1 ? table.manifest(version.name()) : null,
            difference.rows(),
            options);
        return table.edit(build, inService -> append(inService, written));
      }
      return SnapshotPublisher.publish(
          table, build, version.partitioning().count(), reload.base(), options);
    } catch (TooFewRowsException
        | PublishConflictException
        | IllegalArgumentException
        | ValidationException
        | NoSuchFileException e) {
      // Trying again cannot help: neither what was published nor what is gone will come back.
      SuppressRestartsException refused =
          e instanceof TooFewRowsException few
              ? SnapshotCommitter.refused(declared, few)
              : new SuppressRestartsException(e);
      Closing.after(refused, () -> SegmentFiles.deleteUnpublished(table, written));
      throw refused;
    }
  }

  /**
   * Returns the version with the changes.
   *
   * @param written the segments; those that are written here are added
   */
  private Manifest append(Manifest inService, List<SegmentFile> written) throws IOException {
    DeltaCommitter.requireMatch(declared, inService);
    table.requireSolePublisher(inService);
    if (build.asOf() == null) {
      DeltaWriter.requireVersion(version.name(), inService, table);
    } else if (!inService.version().equals(version.name())) {
      written.addAll(repeated(inService, List.copyOf(written)));
    }
    Map<String, String> positions = new HashMap<>(inService.sourcePositions());
    positions.putAll(options.sourcePositions());
    return inService.with(inService.partitions(), positions, inService.changes().append(written));
  }

  /** Writes the changes again that were made meanwhile to keys that the reload changes as well. */
  private List<SegmentFile> repeated(Manifest inService, List<SegmentFile> written)
      throws IOException {
    try (Workplace workplace = TableUpkeep.workplace(declared, table, settings);
        LaterChanges since = LaterChanges.open(version.point(), inService, table, workplace);
        SegmentFiles files = new SegmentFiles(table.storage())) {
      since.repeat(written, files);
      return files.finish();
    }
  }

  private void report(Reload reload, Manifest inService) {
    Difference difference = reload.difference();
    metrics.counter("rowsRead").inc(reload.read());
    if (difference == null) {
      LOG.info(
          "Table {}: version {} is in service, with all rows, because much of a sample differed from version {}: read={}.",
          declared.name(),
          inService.version(),
          version.name(),
          reload.read());
      return;
    }
    metrics.counter("rowsSame").inc(difference.same());
    metrics.counter("rowsNew").inc(difference.added());
    metrics.counter("rowsChanged").inc(difference.changed());
    metrics.counter("rowsDeleted").inc(difference.deleted());
    metrics.counter("bytesChanged").inc(difference.bytes());
    LOG.info(
        "Table {}: version {} is in service, with what differs: read={} same={} new={} changed={} deleted={} bytes={} compared with version {}.",
        declared.name(),
        inService.version(),
        reload.read(),
        difference.same(),
        difference.added(),
        difference.changed(),
        difference.deleted(),
        difference.bytes(),
        difference.version());
  }

  @Override
  public void close() {}
}
