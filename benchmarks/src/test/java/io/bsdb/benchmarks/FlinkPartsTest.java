package io.bsdb.benchmarks;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Those of {@link PartsTest} with jobs in Flink: a class of their own, so that both run at once.
 */
class FlinkPartsTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "flink --records 1000 --events 2000 --only hashmap,bsdb-async",
        "joins --records 3000 --events 3000 --only compressed",
        "reload-jobs --records 1000",
        "history --records 100 --events 600"
      })
  void measuresAll(String parts) throws Exception {
    PartsTest.measures(parts, directory);
  }
}
