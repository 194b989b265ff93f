package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Builds on a disk of 8 MiB, which needs a system where anybody may mount in a namespace. */
@Timeout(120)
class FullDiskTest {
  private static final int RECORDS = 30_000;

  @TempDir static Path directory;

  @BeforeAll
  static void needsAMount() throws Exception {
    assumeTrue(
        inNamespace("true").contains("mounted"), "no mount in a user namespace: test is left out");
    Files.writeString(directory.resolve("small.txt"), "k old\n");
    StringBuilder large = new StringBuilder();
    for (int i = 0; i < RECORDS; i++) {
      large.append("key").append(i).append(' ').append("v".repeat(900)).append('\n');
    }
    Files.writeString(directory.resolve("large.txt"), large);
  }

  /** Runs commands with an empty disk at $1, with the inputs in $2 and bsdb as a command. */
  private static String inNamespace(String commands) throws IOException, InterruptedException {
    Path disk = Files.createDirectories(directory.resolve("disk"));
    String bsdb =
        "bsdb() { '%s' -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp '%s' %s \"$@\"; echo \"status=$?\"; }"
            .formatted(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                System.getProperty("java.class.path"),
                Bsdb.class.getName());
    String script =
        String.join("\n", "mount -t tmpfs -o size=8m tmpfs \"$1\" && echo mounted", bsdb, commands);
    Process process;
    try {
      process =
          new ProcessBuilder(
                  "unshare", "-rm", "sh", "-c", script, "sh", disk.toString(), directory.toString())
              .redirectErrorStream(true)
              .start();
    } catch (IOException noSuchProgram) {
      return "";
    }
    process.getOutputStream().close();
    byte[] output = process.getInputStream().readAllBytes();
    process.waitFor();
    return new String(output, StandardCharsets.UTF_8);
  }

  private static String build(String options) throws Exception {
    return inNamespace(
        """
        bsdb build -t "$1/t" -i "$2/small.txt"
        bsdb build -t "$1/t" -i "$2/large.txt" %s
        bsdb get -t "$1/t" -- k
        bsdb verify -t "$1/t"
        echo versions=$(ls "$1/t/snapshots" | wc -l) staging=$(ls -A "$1/t/staging" 2> /dev/null)
        """
            .formatted(options));
  }

  private static void assertOldVersionServes(String output) {
    assertThat(output)
        .contains("status=0\n")
        .contains("No space left on device")
        .contains("status=3\n")
        .contains("k\told\nstatus=0\n")
        .contains(" is sound: 1 record in ")
        .endsWith("versions=1 staging=\n")
        .doesNotContain("\tat ");
  }

  @Test
  void noRoomForTemporaryFiles() throws Exception {
    String output = build("--memory 64m");
    assertOldVersionServes(output);
    assertThat(output)
        .containsPattern(
            "bsdb: temporary file cannot be written: directory=.*/disk/t/staging/.*: No space left"
                + " on device; a build needs as much room there as its input takes, plain: make room, or"
                + " choose another temporary directory \\(--temp\\)\n");
  }

  @Test
  void noRoomForTheSnapshot() throws Exception {
    String output = build("--temp \"$2/spill\"");
    assertOldVersionServes(output);
    assertThat(output)
        .containsPattern(
            "bsdb: file cannot be written: file=.*/disk/t/snapshots/0000000002-.*bsdb: No space"
                + " left on device");
    assertThat(directory.resolve("spill")).isEmptyDirectory();
  }

  @Test
  void tooFewFilesForTemporaryFiles() throws Exception {
    String output =
        inNamespace(
            """
            ulimit -n 100
            bsdb build -t "$1/t" -i "$2/large.txt" --memory 64m
            echo left=$(find "$1/t/staging" "$1/t/snapshots" -type f)
            """);
    assertThat(output)
        .containsPattern(
            "bsdb: temporary file cannot be created: file=.*/disk/t/staging/.*[.]spill: Too many"
                + " open files; a build has up to 256 of them open at once: raise the limit on open"
                + " files \\(ulimit -n, LimitNOFILE of systemd\\)\nstatus=3\n")
        .endsWith("left=\n");
  }
}
