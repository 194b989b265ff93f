package io.bsdb.live.log;

import io.bsdb.compact.Background;
import io.bsdb.live.Durability;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Regularly records in the log how far it is durable, in a separate thread. With {@link
 * Durability#OS} it first forces the log to disk, and also does so whenever much has been written.
 * The thread waits for the disk only: while a group is written it leaves the mark out, since the
 * frame of the next group records the same.
 */
public final class DurabilityMark implements Closeable {
  private static final Logger LOGGER = LoggerFactory.getLogger(DurabilityMark.class);

  private final Log log;
  private final GroupCommit commit;
  private final Durability durability;
  private final Background background;

  public DurabilityMark(Log log, GroupCommit commit, Durability durability, Duration interval) {
    this.log = log;
    this.commit = commit;
    this.durability = durability;
    this.background = new Background("bsdb-mark", this::mark, interval, () -> {});
  }

  public void start() {
    background.start();
    log.ifUnsynced(background::wake);
  }

  private void mark() {
    try {
      if (durability == Durability.OS) {
        log.syncWritten();
      }
      commit.tryExclusively(log::mark);
    } catch (IOException | RuntimeException | Error e) {
      // The log takes no more changes: the next write, sync or close fails by the same cause.
      LOGGER.warn("the log could not be made durable", e);
    }
  }

  @Override
  public void close() {
    background.close();
  }
}
