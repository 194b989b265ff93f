package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.testkit.ChildProcess;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A mapped file that somebody shortens: an error may come, but the process stays. */
@Timeout(120)
class ShortenedFileTest {
  private static final String SHORTENED = "mapped file was shortened while open: file=";

  @TempDir Path directory;

  private ChildProcess.Result run(String what) throws Exception {
    ShortenedReads.data()
        .publish(directory, WriterOptions.builder().layout(Layout.BLOCKED).partitions(1).build());
    return ChildProcess.run(
        ChildProcess.of(
            List.of(),
            List.of(
                "-XX:TieredStopAtLevel=4",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=" + directory.resolve("crash")),
            ShortenedReads.class,
            directory.toString(),
            what));
  }

  @ParameterizedTest
  @ValueSource(strings = {"scan", "warm up"})
  void failsWhatReadsBlocksInTheirOrder(String what) throws Exception {
    ChildProcess.Result result = run(what);
    assertThat(result.status()).as("%s", result.lines()).isZero();
    assertThat(result.with(SHORTENED)).hasSize(1).allMatch(line -> line.contains("part-00000"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"get", "get all", "lend"})
  void endsNoProcessThatLooksUp(String what) throws Exception {
    ChildProcess.Result result = run(what);
    assertThat(result.status()).as("%s", result.lines()).isZero();
    assertThat(result.lines()).contains("alive", "wrong values: 0", "refused: true");
  }
}
