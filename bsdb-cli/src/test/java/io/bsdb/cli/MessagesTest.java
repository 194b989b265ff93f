package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.ExitStatus;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What reaches standard error, and so perhaps a terminal. */
@Timeout(120)
class MessagesTest {
  private static final String EVIL = "\u001b[31mred\u0007\u009b1m\u007f";
  private static final String HARMLESS = "\\u001b[31mred\\u0007\\u009b1m\\u007f";

  @TempDir private Path directory;

  @Test
  void controlCharactersAreEscaped() throws IOException {
    Path table = directory.resolve("t");
    Path input = Files.writeString(directory.resolve("in.txt"), "k v\n");
    assertThat(CommandRun.of("build", "-t", table, "-i", input).status()).isZero();
    Files.writeString(directory.resolve(EVIL), EVIL);
    Path evil = directory.resolve(EVIL + ".csv");
    Files.writeString(evil, "id," + EVIL + "\n1\n");

    assertHarmless(CommandRun.of("get", "-t", table, "--", EVIL));
    assertHarmless(CommandRun.of("get", "-t", table.resolve(EVIL), "--", "k"));
    assertHarmless(CommandRun.of("versions", "-t", table, EVIL));
    assertHarmless(CommandRun.of("--stacktrace", "get", "-t", table.resolve(EVIL), "--", "k"));
    assertHarmless(CommandRun.of(EVIL));
    assertHarmless(CommandRun.of("get", "-t", table, "--encoding", EVIL, "--", "k"));
    assertHarmless(CommandRun.of("build", "-t", table, "-i", directory.resolve(EVIL)));
    assertHarmless(CommandRun.of("build", "-t", table, "-i", directory.resolve(EVIL + "x")));
    assertHarmless(
        CommandRun.of("build", "-t", table, "-i", evil, "--format", "csv", "--key", "id"));
    assertHarmless(CommandRun.of("rollback", "-t", table, EVIL));
    Files.writeString(table.resolve("CURRENT"), EVIL + "\n");
    for (String command : List.of("versions", "verify", "scan", "inspect", "rollback")) {
      CommandRun run = CommandRun.of(command, "-t", table);
      assertThat(run.status()).as(command).isEqualTo(ExitStatus.UNREADABLE);
      assertHarmless(run);
    }
  }

  @Test
  void longMessagesAreCutInTheMiddle() throws IOException {
    String columns =
        IntStream.range(0, 17_000).mapToObj(i -> "c" + i).collect(Collectors.joining(","));
    Path input = Files.writeString(directory.resolve("in.csv"), columns + "\n");

    CommandRun run =
        CommandRun.line(
            "build -t %s -i %s --format csv --key c1 --no-header", directory.resolve("t"), input);

    assertThat(run.err())
        .startsWith("bsdb: schema has 17000 columns, more than 16384; --key names columns of [`c1`")
        .contains(" characters) … ")
        .endsWith("`c17000` STRING]" + System.lineSeparator())
        .hasSizeLessThan(5_000);
  }

  @Test
  void filesOfOptionsThatAreNotUtf8AreNamed() throws IOException {
    Path file = directory.resolve("latin1");
    Files.write(file, "k=\u00fc".getBytes(StandardCharsets.ISO_8859_1));
    Path table = directory.resolve("t");
    Object[][] commands = {
      {"serve", "--table", "t=" + table, "--token-file", file},
      {"build", "-t", table, "--key", "k", "--engine", "flink", "--sql", file},
      {
        "build",
        "-t",
        table,
        "--key",
        "k",
        "--query",
        "SELECT 1 AS k",
        "--jdbc",
        "jdbc:duckdb:",
        "--jdbc-properties",
        file
      },
    };
    for (Object[] command : commands) {
      CommandRun run = CommandRun.of(command);
      assertThat(run.status()).isEqualTo(ExitStatus.UNREADABLE);
      assertThat(run.err()).isEqualTo("bsdb: not UTF-8: " + file + "\n");
    }
  }

  private static void assertHarmless(CommandRun run) {
    assertThat(run.err()).contains(HARMLESS);
    assertThat(run.err().codePoints().filter(point -> point != '\n' && point != '\t'))
        .noneMatch(Character::isISOControl);
  }

  @Test
  void resultsStayAsTheyAre() throws IOException {
    Path table = directory.resolve("t");
    Path input = Files.writeString(directory.resolve("in.txt"), "k " + EVIL + "\n");
    assertThat(CommandRun.of("build", "-t", table, "-i", input).status()).isZero();

    assertThat(CommandRun.of("get", "-t", table, "--", "k").out()).isEqualTo("k\t" + EVIL + "\n");
  }

  @Test
  void librariesAreNotHeard() throws Exception {
    StringBuilder records = new StringBuilder();
    for (int i = 0; i < 5000; i++) {
      records.append(i).append(" v\n");
    }
    Path messages = directory.resolve("messages");
    Process build =
        ChildCommand.start(
            messages,
            System.getProperty("bsdb.slf4j-simple")
                + File.pathSeparator
                + System.getProperty("java.class.path"),
            List.of("build", "-t", directory.resolve("t"), "-i", "-", "--perfect-hash", "sux4j"));
    build.getOutputStream().write(records.toString().getBytes(StandardCharsets.UTF_8));
    build.getOutputStream().close();

    assertThat(build.waitFor()).isZero();
    assertThat(Files.readAllLines(messages))
        .filteredOn(line -> !line.startsWith("SLF4J: ")) // two bindings on the tests' class path
        .singleElement()
        .asString()
        .contains(" is in service: 5,000 records in ");
  }

  @Test
  void refusesArgumentsThatAreNotUtf8() throws Exception {
    Path table = directory.resolve("t");
    Path input = Files.writeString(directory.resolve("in.txt"), "\ufffd v\n");
    assertThat(CommandRun.of("build", "-t", table, "-i", input).status()).isZero();
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String get =
        "LC_ALL=C.UTF-8 'JAVA' -XX:TieredStopAtLevel=1 -cp 'CLASSES' io.bsdb.cli.Bsdb get -t 'TABLE' -- \"$(printf '%%b' '%s')\""
            .replace("JAVA", java)
            .replace("CLASSES", System.getProperty("java.class.path"))
            .replace("TABLE", table.toString());

    assertThat(shell(get.formatted("\\0357\\0277\\0275"))).isEqualTo("\ufffd\tv\n0\n");
    assertThat(shell(get.formatted("\\0377")))
        .startsWith("bsdb: an argument is not UTF-8: '\ufffd'; give keys of other bytes with ")
        .endsWith("\n" + ExitStatus.USAGE + "\n");
  }

  private static String shell(String command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder("sh", "-c", command + "; echo $?").redirectErrorStream(true).start();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .replaceAll("(?m)^SLF4J: .*\n|^WARNING.*\n", "");
    process.waitFor();
    return output;
  }
}
