package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.testkit.ChildProcess;
import io.bsdb.testkit.OpenFiles;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A table with more files than a process may have open. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class OpenFileLimitTest {
  private static final List<String> LIMITED =
      List.of("sh", "-c", "ulimit -n 256 && exec \"$@\"", "sh");

  @TempDir Path small;
  @TempDir Path large;

  @Test
  void theLimitIsNamedAndNothingStaysOpen() throws Exception {
    TestData data = TestData.random(8, 400, Lengths.VARYING, Lengths.VARYING, 100);
    data.publish(small, WriterOptions.defaults());
    data.publish(large, WriterOptions.builder().partitions(512).build());
    ChildProcess.Result result =
        ChildProcess.run(
            ChildProcess.of(LIMITED, List.of(), Opening.class, small.toString(), large.toString()));
    assertThat(result.lines())
        .filteredOn(line -> line.startsWith("failed: "))
        .hasSize(2)
        .allMatch(line -> line.contains("part-") && line.contains("Too many open files"))
        .allMatch(line -> line.contains("; each partition file stays open: raise the limit"))
        .allMatch(line -> line.endsWith(", now 256"));
    assertThat(result.lines()).contains("open: 0");
  }

  /** Tries to open the second of two tables, once the code that closes tables is loaded. */
  static final class Opening {
    private Opening() {}

    public static void main(String[] tables) throws IOException {
      for (Access access : List.of(Access.MAPPED, Access.DIRECT)) {
        ReaderOptions options = ReaderOptions.builder().access(access).build();
        SnapshotReader.open(Path.of(tables[0]), options).close();
        try {
          SnapshotReader.open(Path.of(tables[1]), options).close();
        } catch (IOException e) {
          System.out.println("failed: " + e.getMessage());
        }
      }
      System.out.println(
          "open: "
              + OpenFiles.descriptors().stream().filter(file -> file.contains("part-")).count());
    }
  }
}
