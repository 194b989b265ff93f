package io.bsdb.table;

import io.bsdb.format.Internal;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.StreamProgress;
import io.bsdb.table.manifest.StreamProgress.Checkpoint;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One publication of a stream, and the rule that applies each of them exactly once: it must follow
 * the one that the table recorded last, or be among those that it has. Immutable.
 *
 * @param stream the name under which the table records it
 * @param checkpoint of this publication
 * @param previous the publication that this one follows, or the {@linkplain Checkpoint#begin begin}
 *     of an incarnation if there is none; null if whoever publishes has no state
 * @param sourceTime see {@link StreamProgress}
 * @hidden
 */
@Internal
public record StreamRule(
    String stream,
    Checkpoint checkpoint,
    @Nullable Checkpoint previous,
    @Nullable Instant sourceTime) {
  /** Creates a publication whose source time is not known. */
  public StreamRule(String stream, Checkpoint checkpoint, @Nullable Checkpoint previous) {
    this(stream, checkpoint, previous, null);
  }

  /** Returns whether a version has this publication already. */
  public boolean isApplied(Manifest inService) {
    StreamProgress progress = inService.changes().streams().get(stream);
    return progress != null && progress.contains(checkpoint);
  }

  /**
   * Returns the changes of a version, which does not have this publication, with its progress; its
   * segments are to be appended.
   *
   * @throws PublishConflictException if what the version has of the stream is not what this
   *     publication follows, or if the stream is new, and the table is another stream's
   */
  public Changes follow(Table table, Manifest inService) throws PublishConflictException {
    StreamProgress progress = inService.changes().streams().get(stream);
    String conflict = conflict(progress, table.storage().hasLocks());
    if (conflict != null) {
      throw new PublishConflictException(
          "table %s: checkpoint %s of stream '%s', which follows %s, cannot be applied: %s"
              .formatted(
                  table.storage(),
                  checkpoint,
                  stream,
                  previous == null ? "nothing" : previous,
                  conflict));
    }
    if (progress == null) {
      table.requireSolePublisher(inService);
    }
    return inService.changes().with(stream, next(progress).at(sourceTime));
  }

  private StreamProgress next(@Nullable StreamProgress progress) {
    if (progress != null) {
      return progress.after(checkpoint);
    }
    return previous == null
        ? new StreamProgress(checkpoint)
        : new StreamProgress(previous).after(checkpoint);
  }

  private boolean isFirst() {
    return previous == null || previous.isBegin();
  }

  private @Nullable String conflict(@Nullable StreamProgress progress, boolean hasLocks) {
    if (progress == null) {
      return isFirst()
          ? null
          : "the table does not record the stream: it was ended, the table was rolled back or replaced, or 'sink.stream' has changed. Start the job without state, so that it reads its sources from their start";
    }
    if (previous == null || (isFirst() && !progress.contains(previous))) {
      return "another job wrote the stream, up to %s, and this one does not have its state. Start this one from a checkpoint or savepoint of that one; or, if it reads its sources from their start and that one has stopped, %send the stream by CALL sys.end_stream('database.table', '%s')"
          .formatted(progress.last(), hasLocks ? "choose another 'sink.stream', or " : "", stream);
    }
    if (progress.isSuperseded(checkpoint.incarnation())) {
      return "this job was superseded by another one that started from its state and wrote the stream up to %s. Let only one of them run. If only this one does, start it from a checkpoint or savepoint that the other one made, which may have been this job after a failure"
          .formatted(progress.last());
    }
    return progress.contains(previous)
        ? null
        : "what comes between is missing: the stream was written up to %s; perhaps the table was rolled back. Start the job from a checkpoint or savepoint that is not newer, or roll back to the version that was in service"
            .formatted(progress.last());
  }
}
