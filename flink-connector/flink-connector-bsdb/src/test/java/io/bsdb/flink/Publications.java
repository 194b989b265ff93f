package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;

/** Waits for publications of jobs without polling, which would take a processor from them. */
public final class Publications {
  private Publications() {}

  /** A condition that a publication can meet. */
  public interface Condition {
    boolean isMet() throws Exception;
  }

  /**
   * Waits until a condition is met, which is looked at whenever a version of a table comes into
   * service. Fails if the job ends before.
   */
  public static void await(Path table, JobClient job, Condition condition) throws Exception {
    Files.createDirectories(table);
    try (WatchService changes = table.getFileSystem().newWatchService()) {
      table.register(changes, StandardWatchEventKinds.ENTRY_CREATE);
      while (!condition.isMet()) {
        assertThat(job.getJobStatus().get().isGloballyTerminalState()).isFalse();
        WatchKey changed = changes.poll(1, TimeUnit.SECONDS); // the job may have ended
        if (changed != null) {
          changed.pollEvents();
          changed.reset();
        }
      }
    }
  }
}
