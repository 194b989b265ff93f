package io.bsdb.reader;

import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What lookups, ranges and scans show of a history whose rows end. */
@ExtendWith(NothingLeftOpen.class)
class EndedRowsTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(
      longs = {8_160_142_311L, 2_771_903_554L, 613_300_829_127L, 49_226_021_488L, 7_005_521L})
  void showsWhatAModelShows(long seed) throws Exception {
    EndedRowsModel model = new EndedRowsModel(directory, new Random(seed));
    System.out.println("ended rows: seed=" + seed + " " + model);
    model.run(8);
  }
}
