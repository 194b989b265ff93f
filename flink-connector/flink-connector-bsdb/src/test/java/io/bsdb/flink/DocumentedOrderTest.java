package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.flink.lookup.OpenReaders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The statements of docs/ordered.md and docs/history.md, pasted one after the other into a batch
 * session.
 */
@ExtendWith(SharedCluster.class)
class DocumentedOrderTest {
  private static final Pattern BLOCK = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL);

  private static final Pattern END = Pattern.compile(";\\s+");

  @TempDir private Path directory;

  /** Runs the statements of a page; returns what each SELECT gives. */
  private List<List<String>> answers(String page) throws Exception {
    Sql session = Sql.batch(2);
    List<List<String>> answers = new ArrayList<>();
    for (MatchResult block :
        BLOCK.matcher(Files.readString(Path.of("..", "..", "docs", page))).results().toList()) {
      for (String statement : END.splitAsStream(block.group(1)).toList()) {
        String local = statement.replace("/data/", directory + "/").strip();
        if (local.startsWith("SELECT")) {
          answers.add(session.texts(local));
        } else {
          session.run(local);
        }
      }
    }
    assertThat(OpenReaders.count()).isZero();
    return answers;
  }

  @Test
  void statementsOnOrderWork() throws Exception {
    assertThat(answers("ordered.md"))
        .containsExactly(
            List.of("+I[bread, 3.50]", "+I[milk, null]"),
            List.of(
                "+I[bread, 2026-01-01T00:00, 3.20]",
                "+I[bread, 2026-04-01T00:00, 3.50]",
                "+I[milk, 2026-01-01T00:00, 1.40]"),
            List.of(
                "+I[33140000000, null]", "+I[41446681234, Zurich]", "+I[41791234567, Switzerland]"),
            List.of("+I[33140000000, null]", "+I[41446681234, Zurich]", "+I[41791234567, mobile]"));
  }

  @Test
  void statementsOnHistoriesWork() throws Exception {
    assertThat(answers("history.md"))
        .containsExactly(
            List.of("+I[bread, 3.20]", "+I[bread, 3.50]", "+I[bread, null]", "+I[milk, null]"));
  }
}
