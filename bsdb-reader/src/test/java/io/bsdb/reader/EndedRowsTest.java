package io.bsdb.reader;

import io.bsdb.testkit.InMemory;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What lookups, ranges and scans show of a history whose rows end. */
@ExtendWith(NothingLeftOpen.class)
class EndedRowsTest {
  @TempDir(factory = InMemory.class)
  private Path directory;

  @ParameterizedTest
  @ValueSource(
      longs = {
        956_497_375_906L,
        395_027_974_809L,
        924_542_545_135L,
        282_848_216_645L,
        176_668_030_011L
      })
  void showsWhatAModelShows(long seed) throws Exception {
    EndedRowsModel model = new EndedRowsModel(directory, new Random(seed));
    System.out.println("ended rows: seed=" + seed + " " + model);
    model.run(8);
  }
}
