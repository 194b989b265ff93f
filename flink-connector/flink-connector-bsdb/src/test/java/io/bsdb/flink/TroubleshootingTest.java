package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page tells users to look for a part of a message, so there must be one that says it. */
class TroubleshootingTest {
  private static final Set<String> OF_FLINK =
      Set.of(
          "Could not find a file system implementation for scheme",
          "Direct buffer memory",
          "All predicates should be accepted here",
          "Async function call has timed out",
          "Mismatch of function's argument data type",
          "Temporal Table Join requires primary key in versioned table",
          "implicit type conversion between",
          "getSubject is not supported",
          StatementsTest.FIELD_OF_A_ROW);

  private static List<String> quoted() throws IOException {
    String page = Files.readString(Path.of("../../docs/flink.md"));
    String section = page.substring(page.indexOf("## Troubleshooting"));
    return section
        .lines()
        .takeWhile(line -> line.isBlank() || line.matches("[#|].*"))
        .filter(line -> line.startsWith("| `"))
        .map(line -> line.substring(3, line.indexOf('`', 3)))
        .toList();
  }

  private static String sources() throws IOException {
    List<String> sources = new ArrayList<>();
    for (String module : List.of("src", "../../bsdb-format/src", "../../bsdb-reader/src")) {
      try (Stream<Path> files = Files.walk(Path.of(module, "main", "java"))) {
        for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
          sources.add(Files.readString(file));
        }
      }
    }
    return String.join("\n", sources);
  }

  @Test
  void quotesMessagesThatThereAre() throws Exception {
    String sources = sources();

    assertThat(quoted())
        .hasSizeGreaterThan(15)
        .filteredOn(message -> !OF_FLINK.contains(message))
        .filteredOn(message -> !FirstStepsTest.MESSAGES.contains(message))
        .filteredOn(message -> !sources.contains(message))
        .isEmpty();
    assertThat(quoted()).containsAll(FirstStepsTest.MESSAGES);
  }
}
