package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.testkit.ChildProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands in processes that cannot unpack native libraries. */
@Timeout(60)
class UnpackedLibraryTest {
  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({"in.txt, compressed", "in.zst, blocked"})
  void aBuildThatNeedsTheLibrarySaysSo(String name, String layout) throws Exception {
    byte[] text = "a 1\nb 2\n".getBytes(StandardCharsets.UTF_8);
    Path input = directory.resolve(name);
    Files.write(input, name.endsWith(".zst") ? Zstd.compress(text) : text);
    Path none = Files.createFile(directory.resolve("none"));

    assertDoesNotLoad("zstd", none, "-i", input.toString(), "--layout", layout);
  }

  @Test
  void aQuerySaysSo() throws Exception {
    Path none = Files.createFile(directory.resolve("none"));
    Path temp = Files.createDirectory(directory.resolve("temp"));

    assertDoesNotLoad(
        "DuckDB", none, "--query", "SELECT 1 AS id", "--key", "id", "--temp", temp.toString());
    assertThat(temp).isEmptyDirectory();
  }

  private void assertDoesNotLoad(String library, Path none, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("build", "-t", directory.resolve("t").toString()));
    command.addAll(List.of(arguments));

    ChildProcess.Result build =
        ChildProcess.run(
            ChildProcess.of(
                List.of(),
                List.of("-Djava.io.tmpdir=" + none),
                Bsdb.class,
                command.toArray(String[]::new)));

    assertThat(build.status()).as("%s", build.lines()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(build.lines())
        // Java 25 says itself that the directory is none.
        .filteredOn(
            line -> !line.startsWith("SLF4J") && !line.startsWith("WARNING: java.io.tmpdir"))
        .singleElement()
        .asString()
        .startsWith("bsdb: ")
        .contains(library + "'s native library", "does not load: java.io.tmpdir=" + none);
  }
}
