package io.bsdb.testkit;

import io.bsdb.format.io.IORunnable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * Files and directories that are forced to disk through channels, as Java's flight recorder sees
 * it: without a power failure, nothing else shows that one was left out.
 */
public final class ForcedFiles {
  private ForcedFiles() {}

  /** Returns what an action forces to disk in a directory, itself included, in order. */
  public static List<Path> in(Path directory, IORunnable action) throws IOException {
    Path events = Files.createTempFile("forced", ".jfr");
    try (Recording recording = new Recording()) {
      recording.enable("jdk.FileForce").withoutThreshold();
      recording.start();
      action.run();
      recording.stop();
      recording.dump(events);
      List<Path> forced = new ArrayList<>();
      for (RecordedEvent event : RecordingFile.readAllEvents(events)) {
        Path path = Path.of(event.getString("path"));
        if (path.startsWith(directory)) {
          forced.add(path);
        }
      }
      return forced;
    } finally {
      Files.delete(events);
    }
  }
}
