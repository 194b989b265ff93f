package io.bsdb.compact;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.format.io.IOFunction;
import io.bsdb.reader.NothingLeftOpen;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.testkit.InMemory;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A table whose changes take too much space, though most of them are superseded. */
@ExtendWith(NothingLeftOpen.class)
class SupersededChangesTest {
  private static final int CHANGES = 100;

  @TempDir(factory = InMemory.class)
  private Path directory;

  private final List<Compactor.Result> steps = new ArrayList<>();
  private Table table;
  private boolean fits = true;

  @BeforeEach
  void build() throws IOException {
    Records.of(Map.of("counter", "0", "other", "1"))
        .publish(directory, WriterOptions.builder().partitions(2).build());
    table = Table.at(directory);
    count();
    count();
  }

  private void count() throws IOException {
    Records.numbered(CHANGES, i -> "counter", i -> "" + (i + 1)).change(table);
  }

  /** Opens changes to be merged as the other one does, or else finds them too large. */
  private record Place(Workplace place, BooleanSupplier fits) implements Workplace {
    @Override
    public Manifest inService() throws IOException {
      return place.inService();
    }

    @Override
    public <T> T open(Manifest manifest, Set<UUID> partitions, IOFunction<SnapshotReader, T> work)
        throws IOException {
      return place.open(manifest, partitions, work);
    }

    @Override
    public SnapshotReader open(Manifest manifest, IntPredicate partitions) throws IOException {
      if (!fits.getAsBoolean()) {
        throw new MergeJob.TooLargeException("too large");
      }
      return place.open(manifest, partitions);
    }

    @Override
    public Path directory() throws IOException {
      return place.directory();
    }
  }

  private Upkeep upkeep() {
    double hardlyAny = Math.nextUp(1.5);
    return new Upkeep(
        "upkeep",
        table,
        Author.ANYONE,
        new UpkeepSettings(
            hardlyAny, Double.POSITIVE_INFINITY, 1_000_000, 64, Duration.ZERO, 1 << 30, 8),
        () -> new Place(Workplace.in(directory, table), () -> fits),
        steps::add,
        Duration.ofDays(1));
  }

  private void run(Upkeep upkeep) throws IOException {
    steps.clear();
    upkeep.run();
    try (SnapshotReader reader = SnapshotReader.open(directory, ReaderOptions.defaults())) {
      assertThat(reader.get(bytes("counter"))).isEqualTo(bytes("" + CHANGES));
      assertThat(reader.get(bytes("other"))).isEqualTo(bytes("1"));
      assertThat(reader.manifest().changes().segments()).isEmpty();
    }
  }

  @Test
  void areMerged() throws IOException {
    try (Upkeep upkeep = upkeep()) {
      run(upkeep);
    }
    assertThat(steps.get(0).mergedSegments()).isEqualTo(2);
  }

  @Test
  void areFoldedIfWhatIsLeftDoesNotFitOneSegmentAndMergedAgainOnceTheyAreGone() throws IOException {
    try (Upkeep upkeep = upkeep()) {
      fits = false;
      run(upkeep);
      assertThat(steps).hasSize(1);
      assertThat(steps.get(0).foldedPartitions()).isEqualTo(1);
      fits = true;
      count();
      count();
      run(upkeep);
      assertThat(steps.get(0).mergedSegments()).isEqualTo(2);
    }
  }
}
