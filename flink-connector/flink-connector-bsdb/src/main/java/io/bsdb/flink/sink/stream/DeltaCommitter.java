package io.bsdb.flink.sink.stream;

import io.bsdb.compact.Workplace;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.sink.TableUpkeep;
import io.bsdb.reload.LaterChanges;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.Schema;
import io.bsdb.row.text.RowJsonWriter;
import io.bsdb.table.AsOf;
import io.bsdb.table.Build;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.StreamRule;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SegmentFiles;
import io.bsdb.writer.SnapshotPublisher;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.api.ValidationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends deltas to what is in service, each once, and tidies up the table now and then. A delta
 * that does not continue what the table has of its stream fails the job for good.
 */
public final class DeltaCommitter implements Committer<Delta> {
  private static final Logger LOG = LoggerFactory.getLogger(DeltaCommitter.class);

  private static final long TIDY_UP_NANOS = Duration.ofMinutes(1).toNanos();

  /** Segments that do not wait for the minute to end; a version can have four times as many. */
  private static final int MANY_SEGMENTS = Changes.MAX_SEGMENTS / 4;

  private final DeclaredTable declared;
  private final BuildSettings settings;
  private final @Nullable Build build;
  private final @Nullable AsOf read;
  private final Table table;
  private final Schema schema;
  private final Counter deltas;
  private final boolean tidiesUp;
  private final TableUpkeep upkeep;
  private @Nullable Long tidiedUp;

  /** When this committer last put changes in service; when it was opened, before it did. */
  private volatile long lastPublication = System.currentTimeMillis();

  private DeltaCommitter(
      DeclaredTable declared,
      BuildSettings settings,
      @Nullable Build build,
      @Nullable AsOf read,
      MetricGroup ofTask,
      boolean tidiesUp) {
    MetricGroup metrics = ofTask.addGroup("bsdb").addGroup("table", declared.name());
    this.deltas = metrics.counter("deltas");
    if (tidiesUp) { // the others hardly ever publish, and would seem to lag
      metrics.gauge("lastPublication", () -> lastPublication);
      metrics.gauge("lagSeconds", () -> (System.currentTimeMillis() - lastPublication) / 1000);
    }
    this.declared = declared;
    this.settings = settings;
    this.build = build;
    this.read = read;
    this.table = declared.table();
    this.schema = declared.schema();
    this.tidiesUp = tidiesUp;
    this.upkeep = new TableUpkeep(declared, table, settings, metrics);
  }

  /**
   * Opens a table to be changed. One that has never had a version gets an empty one, from the task
   * that tidies up.
   *
   * @param stream the one that is written; null for a batch job
   * @param build what a batch job publishes, which it may have done before, and with other files if
   *     writers ran again; null for a stream
   * @param read the version that its changed rows were read from; null if none were
   * @param metrics of the task
   * @param tidiesUp whether it does; the others of a job commit only what a restored state has, and
   *     where there are no locks must not publish later
   */
  public static DeltaCommitter open(
      DeclaredTable declared,
      BuildSettings settings,
      @Nullable String stream,
      @Nullable Build build,
      @Nullable AsOf read,
      MetricGroup metrics,
      boolean tidiesUp)
      throws IOException {
    DeltaCommitter committer =
        new DeltaCommitter(declared, settings, build, read, metrics, tidiesUp);
    Table table = committer.table;
    if (!tidiesUp && table.currentVersion() == null) {
      return committer; // two tasks that start at once would build an empty version each
    }
    try {
      Manifest inService =
          SnapshotPublisher.publishEmpty(
              table, settings.partitions(), settings.writerOptions(declared));
      requireMatch(declared, inService);
      boolean mayChange = tidiesUp && mayChange(table, inService, stream);
      if (mayChange && !declared.hasRetentionOf(inService)) {
        table.edit(declared::withRetention);
      }
      if (mayChange && inService.changes().segments().size() > MANY_SEGMENTS) {
        // Merges have failed, and a version could not have those that are to be committed, too.
        committer.upkeep.tidyUp(settings.retainVersions());
      }
    } catch (IllegalArgumentException | ValidationException e) {
      throw new SuppressRestartsException(e);
    }
    return committer;
  }

  /**
   * Returns whether the table may be changed before anything is committed. Where there are no
   * locks, only the job of the stream that is recorded may: others are refused when they commit.
   */
  private static boolean mayChange(Table table, Manifest inService, @Nullable String stream) {
    return table.storage().hasLocks()
        || inService.changes().streams().keySet().stream().allMatch(other -> other.equals(stream));
  }

  /** Rows must be stored as they are declared. */
  public static void requireMatch(DeclaredTable declared, Manifest inService) {
    Schema schema = declared.schema();
    DeltaWriter.requireKeys(inService, declared.table());
    if ((declared.validity() == null) != (inService.validity() == null)) {
      throw new ValidationException(
          "table %s cannot be changed: it %s, version=%s; %s 'history.retention', or rebuild it by INSERT OVERWRITE"
              .formatted(
                  declared.name(),
                  inService.validity() == null
                      ? "was built without a history"
                      : "keeps a history, which the declaration does not say",
                  inService.version(),
                  inService.validity() == null ? "declare it without" : "declare it with"));
    }
    Schema built = inService.schema();
    if (built != null
        && schema.keyEncoding() != built.keyEncoding()
        && schema.equals(built.withKeyEncoding(schema.keyEncoding()))) {
      boolean inKeyOrder = built.keyEncoding() == KeyEncoding.ORDERED;
      throw new ValidationException(
          "table %s cannot be changed: it was built in %s order, version=%s; declare it %s 'sink.order' = 'key', or rebuild it by INSERT OVERWRITE"
              .formatted(
                  declared.name(),
                  inKeyOrder ? "key" : "hash",
                  inService.version(),
                  inKeyOrder ? "with" : "without"));
    }
    if (!schema.equals(built)) {
      throw new ValidationException(
          "table %s cannot be changed, because it was built with other columns: version=%s declared=%s built=%s; declare it as it was built, or rebuild it by INSERT OVERWRITE"
              .formatted(
                  declared.name(),
                  inService.version(),
                  schema.toJson(),
                  built == null ? "plain bytes" : built.toJson()));
    }
  }

  @Override
  public void commit(Collection<CommitRequest<Delta>> requests) throws IOException {
    int segments = 0;
    boolean isStream = false;
    for (CommitRequest<Delta> request : requests) {
      Delta delta = request.getCommittable();
      isStream |= delta.stream() != null;
      AtomicBoolean appended = new AtomicBoolean();
      try {
        Table.Edit append =
            inService -> {
              Manifest next = append(inService, delta);
              appended.set(!next.equals(inService));
              return next;
            };
        Manifest manifest = build == null ? table.edit(append) : table.edit(build, append);
        segments = manifest.changes().segments().size();
        if (appended.get()) {
          deltas.inc();
          lastPublication = System.currentTimeMillis();
        } else {
          request.signalAlreadyCommitted();
          if (build != null) { // its writers may have run again, and written other files
            SegmentFiles.deleteUnpublished(table, delta.files());
          }
        }
        LOG.info(
            "Table {}: version {} has {} segments of {}.",
            declared.name(),
            manifest.version(),
            delta.files().size(),
            delta.stream() == null ? "a batch job" : delta.stream());
      } catch (PublishConflictException
          | IllegalArgumentException
          | ValidationException
          | NoSuchFileException e) {
        // Trying again cannot help: neither what was published nor what is gone will come back.
        throw new SuppressRestartsException(explained(e, delta));
      }
    }
    if (tidiesUp
        && (tidiedUp == null
            || System.nanoTime() - tidiedUp > TIDY_UP_NANOS
            || segments > MANY_SEGMENTS)) {
      upkeep.tidyUp(settings.retainVersions());
      tidiedUp = System.nanoTime();
      if (isStream && settings.foldsStreams()) {
        upkeep.wake();
      }
    }
  }

  /** Returns a failure with its remedy, if what is gone is in the state of a job alone. */
  private Exception explained(Exception failure, Delta delta) {
    StreamRule rule = delta.stream();
    if (rule == null || !(failure instanceof NoSuchFileException missing)) {
      return failure;
    }
    boolean isUnpublished =
        delta.files().stream()
            .anyMatch(file -> (table.storage() + "/" + file.path()).equals(missing.getFile()));
    return !isUnpublished
        ? failure
        : new IOException(
            "table %s: a segment of checkpoint %s of stream '%s' is gone, probably swept because it was never published: file=%s; nothing was published. Start the job from an older checkpoint or savepoint, so that it reads its sources again from there"
                .formatted(declared.name(), rule.checkpoint(), rule.stream(), missing.getFile()),
            missing);
  }

  private Manifest append(Manifest inService, Delta delta) throws IOException {
    requireMatch(declared, inService);
    StreamRule rule = delta.stream();
    if (rule == null ? wasAppended(inService, delta) : rule.isApplied(inService)) {
      return inService;
    }
    Changes changes;
    if (rule == null) {
      table.requireSolePublisher(inService);
      requireUnchanged(inService, delta);
      changes = inService.changes();
    } else {
      changes = rule.follow(table, inService);
    }
    return inService.with(
        inService.partitions(), inService.sourcePositions(), changes.append(delta.files()));
  }

  /** Refuses a delta that would undo what has changed since its rows were read. */
  private void requireUnchanged(Manifest inService, Delta delta) throws IOException {
    if (read == null || inService.version().equals(read.version())) {
      return;
    }
    try (Workplace workplace = TableUpkeep.workplace(declared, table, settings);
        LaterChanges changed = LaterChanges.open(read, inService, table, workplace)) {
      byte[] key = changed.findAny(delta.files());
      if (key != null) {
        throw new PublishConflictException(
            "table %s: the row of key %s was changed after this statement read it: version read=%s version in service=%s; nothing was changed, run the statement again"
                .formatted(
                    declared.name(),
                    RowJsonWriter.of(schema).key(key),
                    read.version(),
                    inService.version()));
      }
    }
  }

  /**
   * Returns whether a version has segments of a delta, though the one that it was published in be
   * deleted.
   */
  private static boolean wasAppended(Manifest inService, Delta delta) {
    Set<String> files = inService.filesToKeep();
    return delta.files().stream().anyMatch(file -> files.contains(file.path()));
  }

  @Override
  public void close() {
    upkeep.close();
  }
}
