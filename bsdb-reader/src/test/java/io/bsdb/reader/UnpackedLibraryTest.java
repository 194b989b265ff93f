package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.testkit.ChildProcess;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that cannot unpack zstd's library: they cannot open what needs it, and say why. */
@Timeout(60)
class UnpackedLibraryTest {
  @TempDir Path directory;

  @Test
  void aTableThatNeedsTheLibraryIsNotOpened() throws Exception {
    TestData data = TestData.random(5, 2000, Lengths.VARYING, Lengths.VARYING, 100);
    data.publish(directory, WriterOptions.builder().layout(Layout.COMPRESSED).build());
    Path none = Files.createTempFile(directory, "no", "directory");
    ChildProcess.Result result =
        ChildProcess.run(
            ChildProcess.of(
                List.of(),
                List.of("-Djava.io.tmpdir=" + none),
                UnpackedLibraryTest.class,
                directory.toString()));
    assertThat(result.status()).as("%s", result.lines()).isZero();
    assertThat(result.with("zstd's native library"))
        .singleElement()
        .asString()
        .contains("java.io.tmpdir=" + none)
        .contains("allows to execute files");
  }

  /** Opens a table, and prints why it cannot. */
  public static void main(String[] arguments) {
    try (SnapshotReader reader = SnapshotReader.open(Path.of(arguments[0]))) {
      System.out.println(reader.manifest().recordCount());
    } catch (IOException e) {
      System.out.println(e.getMessage());
    }
  }
}
