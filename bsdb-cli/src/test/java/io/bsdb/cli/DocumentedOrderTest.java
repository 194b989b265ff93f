package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of docs/ordered.md and docs/history.md, pasted one after the other. */
class DocumentedOrderTest {
  private static final Path REPOSITORY = Path.of("..");
  private static final Pattern BLOCK = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);
  private static final Pattern FILE =
      Pattern.compile("cat > (\\S+) <<'END'\n(.*?)END\n", Pattern.DOTALL);
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

  @TempDir private Path directory;

  @Test
  void findWhatIsNearAKey() throws IOException {
    assertThat(answers("ordered.md"))
        .containsSubsequence(
            "TEST-NET-1",
            "documentation",
            "3.50",
            "2026-07-01",
            "4144\tZurich",
            "\"population\"",
            "4179\tmobile");
  }

  @Test
  void findWhatWasValid() throws IOException {
    assertThat(answers("history.md"))
        .containsSubsequence(
            "puts=1 deletes=0 ended=1", "bread\t{", "\"price\": 3.20", "milk\t{", "1.40");
  }

  /** Runs the commands of a page, all of which succeed, and returns what they print. */
  private String answers(String name) throws IOException {
    String page = Files.readString(REPOSITORY.resolve("docs").resolve(name));
    List<String> answers = new ArrayList<>();
    for (MatchResult block : BLOCK.matcher(page).results().toList()) {
      Matcher files = FILE.matcher(block.group(1));
      for (MatchResult file : files.results().toList()) {
        Files.writeString(directory.resolve(file.group(1)), file.group(2));
      }
      for (String line : files.replaceAll("").lines().toList()) {
        if (line.startsWith("curl ")) {
          continue; // no service runs here
        }
        CommandRun run = CommandRun.of(arguments(line));
        assertThat(run.status()).as("%s: %s", line, run.err()).isEqualTo(ExitStatus.OK);
        answers.add(run.out());
      }
    }
    return String.join("", answers);
  }

  private Object[] arguments(String line) {
    assertThat(line).startsWith("bsdb ");
    List<Object> arguments = new ArrayList<>();
    String before = "";
    for (MatchResult word : WORD.matcher(line.substring("bsdb ".length())).results().toList()) {
      String text = word.group(1) == null ? word.group(2) : word.group(1);
      arguments.add(before.equals("--table") || before.equals("--input") ? file(text) : text);
      before = text;
    }
    return arguments.toArray();
  }

  private Path file(String name) {
    Path inRepository = REPOSITORY.resolve(name);
    return Files.isRegularFile(inRepository) ? inRepository : directory.resolve(name);
  }
}
