package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.Console;
import io.bsdb.cli.output.ExitStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What helps to find a command and its options. */
class HelpTest {
  @TempDir private Path directory;

  @Test
  void helpIsACommandToo() {
    CommandRun all = CommandRun.of("help");
    assertThat(all.status()).isZero();
    assertThat(all.out())
        .isEqualTo(CommandRun.of("--help").out())
        .contains("compact", "rollback", "completion", "Exit status:");
    CommandRun one = CommandRun.of("help", "get");
    assertThat(one.status()).isZero();
    assertThat(one.out())
        .isEqualTo(CommandRun.of("get", "--help").out())
        .contains("--longest-prefix");
  }

  @Test
  void everyCommandIsOnThePage() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "cli.md"));
    String table = page.substring(page.indexOf("## Commands"), page.indexOf("## Keys"));
    for (String command : Bsdb.withAllCommands(Console.ofProcess()).getSubcommands().keySet()) {
      assertThat(table).contains("`" + command + "`");
    }
  }

  /** Else examples are broken in the middle of an argument. */
  @Test
  void footersFitTheWidthOfATerminal() {
    CommandLine bsdb = Bsdb.withAllCommands(Console.ofProcess());
    Stream.concat(Stream.of(bsdb), bsdb.getSubcommands().values().stream())
        .flatMap(each -> Stream.of(each.getCommandSpec().usageMessage().footer()))
        .forEach(line -> assertThat(line).hasSizeLessThan(80));
  }

  @Test
  void suggestsTheCommandThatIsMeant() {
    CommandRun run = CommandRun.of("biuld", "--table", "t");
    assertThat(run.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .startsWith("bsdb: unknown command 'biuld'\nDid you mean: bsdb build")
        .endsWith("'bsdb help' shows the commands.\n");
    assertThat(CommandRun.of("help", "help").out()).startsWith("Usage: bsdb ");
    assertThat(CommandRun.of("help", "gett").err()).contains("Did you mean: bsdb get");
    assertThat(CommandRun.of("get", "--tabel", "t").err()).contains("--table");
    assertThat(CommandRun.of("--tabel").err()).contains("Unknown option: '--tabel'");
    assertThat(CommandRun.of("get", "--tabel", "x", "--", "k").err())
        .startsWith("bsdb: Unknown option: '--tabel'");
    assertThat(CommandRun.of("build", "-t", "t", "--inptu", "rows.txt").err())
        .isEqualTo("bsdb: Unknown option: '--inptu'\nPossible solutions: --input\n");
    assertThat(CommandRun.of("build", "-t", "t", "--format", "txt").err())
        .contains("'--format': expected one of [text, csv, jsonl, parquet], actual 'txt'\n");
  }

  @Test
  void completesCommandsAndOptionsInAShell() throws Exception {
    CommandRun run = CommandRun.of("completion");
    assertThat(run.status()).isZero();
    Path script = Files.writeString(directory.resolve("completion"), run.out());

    assertThat(completed(script, "bsdb", "rol")).isEqualTo("rollback");
    assertThat(completed(script, "bsdb", "get", "--longest")).isEqualTo("--longest-prefix");
    assertThat(completed(script, "bsdb", "build", "--layout", "symb")).isEqualTo("symbols");
    assertThat(completed(script, "bsdb", "scan", "--format", "pa")).isEqualTo("parquet");
    assertThat(completed(script, "bsdb", "build", "--on-bad-line", "s")).isEqualTo("skip");
    assertThat(completed(script, "bsdb", "build", "--duplicates", "l")).isEqualTo("last");
    assertThat(completed(script, "bsdb", "quickstart", "k")).isEqualTo("kafka-streams");
  }

  private static String completed(Path script, String... words)
      throws IOException, InterruptedException {
    String shell =
        "source '%s'; COMP_WORDS=(%s); COMP_CWORD=%d; _complete_bsdb; echo ${COMPREPLY[@]}"
            .formatted(script, String.join(" ", words), words.length - 1);
    Process process = new ProcessBuilder("bash", "-c", shell).start(); // bash complains
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output.strip();
  }
}
