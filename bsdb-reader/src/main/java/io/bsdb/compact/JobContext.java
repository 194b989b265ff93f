package io.bsdb.compact;

import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The table that jobs work on, and how they do.
 *
 * @param author for whom they publish
 * @param keepHistory how long segments are kept for builds after they were written
 * @param throttle of the keys and values that they write
 */
record JobContext(Table table, Author author, Duration keepHistory, Throttle throttle) {
  /**
   * Returns since when segments are kept for builds. If none are kept, that does not depend on the
   * clock: after it was set back, segments seem to have been written later than now.
   */
  Instant keptSince() {
    return keepHistory.isZero() ? Instant.MAX : Table.ago(keepHistory);
  }

  /** Edits the version in service, where the author may. */
  Manifest edit(Manifest planned, Table.Edit edit) throws IOException {
    return table.edit(
        inService -> {
          requireMine(planned, inService);
          return edit.apply(inService);
        });
  }

  /**
   * Refuses what only another one may do where there are no locks.
   *
   * @param planned the version for which the work was begun
   */
  private void requireMine(Manifest planned, Manifest inService) throws PublishConflictException {
    if (author == Author.ANYONE) {
      table.requireSolePublisher(inService);
    } else if (!table.storage().hasLocks() && !jobs(inService).equals(jobs(planned))) {
      throw new PublishConflictException(
          "another job goes on with the stream: table=%s compacted=%s in service=%s; nothing was replaced, that job will fold"
              .formatted(table.storage(), planned.version(), inService.version()));
    }
  }

  private static Set<UUID> jobs(Manifest manifest) {
    return manifest.changes().streams().values().stream()
        .map(progress -> progress.last().incarnation())
        .collect(Collectors.toSet());
  }

  PublishConflictException conflict(Manifest planned, Manifest inService) {
    return new PublishConflictException(
        "the table was rebuilt or compacted meanwhile: table=%s compacted=%s in service=%s; nothing was replaced, run the compaction again"
            .formatted(table.storage(), planned.version(), inService.version()));
  }
}
