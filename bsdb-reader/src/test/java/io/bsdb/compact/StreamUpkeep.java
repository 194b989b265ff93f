package io.bsdb.compact;

import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** Upkeep as the committer of a stream has it, through copies, and what it has done. */
public final class StreamUpkeep {
  private final Upkeep upkeep;
  private int folded;
  private int merged;

  public StreamUpkeep(Table table, Path temporary) {
    this(table, temporary, Compactor.MAX_SEGMENTS);
  }

  public StreamUpkeep(Table table, Path temporary, int maxSegments) {
    UpkeepSettings stream = UpkeepSettings.ofStream(Duration.ZERO);
    this.upkeep =
        new Upkeep(
            "upkeep",
            table,
            Author.STREAM,
            new UpkeepSettings(
                stream.maxSpace(),
                stream.changedFraction(),
                stream.maxChangedKeys(),
                maxSegments,
                stream.keepHistory(),
                stream.bytesPerSecond(),
                stream.steps()),
            () -> Workplace.copies(table, temporary, () -> {}),
            step -> {
              folded += step.foldedPartitions();
              merged += step.mergedSegments();
            },
            Duration.ofDays(1));
  }

  /** Returns how many partitions were folded. */
  public int fold() throws IOException {
    folded = 0;
    upkeep.run();
    return folded;
  }

  void foldAll() throws IOException {
    upkeep.foldAll();
  }

  /** Returns how many segments became one. */
  public int merge() throws IOException {
    merged = 0;
    upkeep.merge();
    return merged;
  }

  void stop() {
    upkeep.stop();
  }
}
