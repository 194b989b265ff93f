package io.bsdb.flink.sink.build;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.table.Build;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.writer.SnapshotPublisher;
import io.bsdb.writer.TooFewRowsException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.api.ValidationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes a build, and then tidies up the table. To be asked again changes nothing, unless the
 * table was rolled back to the version before the build: then the build is put in service again.
 */
public final class SnapshotCommitter implements Committer<Publication> {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotCommitter.class);

  private final DeclaredTable declared;
  private final BuildSettings settings;
  private final Build build;
  private final Table table;

  public SnapshotCommitter(DeclaredTable declared, BuildSettings settings, Build build) {
    this.declared = declared;
    this.settings = settings;
    this.build = build;
    this.table = declared.table();
  }

  @Override
  public void commit(Collection<CommitRequest<Publication>> requests) throws IOException {
    for (CommitRequest<Publication> request : requests) {
      if (table.wasPublished(build)) {
        request.signalAlreadyCommitted();
        LOG.info(
            "Table {}: version {} was put in service before.", declared.name(), build.version());
      } else {
        publish(request.getCommittable());
      }
    }
    tidyUp();
  }

  /** Publishes a build that was not published yet. */
  public void publish(Publication publication) throws IOException {
    List<BuiltFile> built = publication.files();
    try {
      for (BuiltFile file : built) {
        BuiltFile.requireSame(built.get(0).splitters(), file.splitters());
      }
    } catch (SuppressRestartsException mixed) {
      table.abort(build);
      throw mixed;
    }
    try {
      Manifest manifest =
          SnapshotPublisher.publish(
              table,
              build,
              settings.partitions(),
              built.stream().map(BuiltFile::file).toList(),
              settings.writerOptions(declared));
      LOG.info(
          "Table {}: version {} with {} records is in service.",
          declared.name(),
          manifest.version(),
          manifest.recordCount());
    } catch (TooFewRowsException e) {
      throw refused(declared, e);
    } catch (PublishConflictException | IllegalArgumentException | NoSuchFileException e) {
      // Trying again cannot help: neither the parent nor files that were swept will come back, nor
      // will the manifest get shorter.
      throw new SuppressRestartsException(e);
    }
  }

  public static SuppressRestartsException refused(DeclaredTable declared, TooFewRowsException e) {
    return new SuppressRestartsException(
        new ValidationException(
            "table %s: %s; if that is right, %s"
                .formatted(
                    declared.name(),
                    e.getMessage(),
                    switch (e.limit()) {
                      case MIN_ROWS -> "lower 'sink.min-rows', to 0 for an empty table";
                      case MAX_SHRINKAGE -> "raise 'sink.max-shrinkage'";
                    }),
            e));
  }

  /**
   * Deletes old versions. The build is in service whatever happens here, and the next one tidies up
   * as well.
   */
  public void tidyUp() {
    try {
      List<String> pruned = table.prune(settings.retainVersions());
      List<String> swept = table.sweep(settings.stagingRetention());
      SnapshotPublisher.clear(table, build);
      LOG.info("Table {}: deleted versions {}, leftovers {}.", declared.name(), pruned, swept);
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "Table {}: version {} is in service, but old versions could not be deleted.",
          declared.name(),
          build.version(),
          e);
    }
  }

  @Override
  public void close() {}
}
