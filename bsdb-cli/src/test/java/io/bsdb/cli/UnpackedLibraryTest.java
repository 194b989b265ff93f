package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.testkit.ChildProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands in processes that cannot unpack zstd's library. */
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

    ChildProcess.Result build =
        ChildProcess.run(
            ChildProcess.of(
                List.of(),
                List.of("-Djava.io.tmpdir=" + none),
                Bsdb.class,
                "build",
                "-t",
                directory.resolve("t").toString(),
                "-i",
                input.toString(),
                "--layout",
                layout));

    assertThat(build.status()).as("%s", build.lines()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(build.lines())
        // Java 25 says itself that the directory is none.
        .filteredOn(
            line -> !line.startsWith("SLF4J") && !line.startsWith("WARNING: java.io.tmpdir"))
        .singleElement()
        .asString()
        .startsWith("bsdb: ")
        .contains("zstd's native library", "does not load: java.io.tmpdir=" + none);
  }
}
