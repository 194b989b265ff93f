package io.bsdb.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The Java code in docs/java.md is, line by line, code of these examples, which run. */
class DocumentedCodeTest {
  private static final Path PAGE = Path.of("..", "docs", "java.md");
  private static final Path EXAMPLES = Path.of("src", "main", "java", "io", "bsdb", "examples");
  private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  private static String withoutIndentation(String code) {
    return code.lines().map(String::strip).collect(Collectors.joining("\n", "", "\n"));
  }

  @TestFactory
  Stream<DynamicTest> everyBlockIsInARunnableClass() throws IOException {
    String sources;
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      List<Path> all = files.filter(file -> file.toString().endsWith(".java")).toList();
      StringBuilder joined = new StringBuilder();
      for (Path file : all) {
        joined.append(withoutIndentation(Files.readString(file)));
      }
      sources = joined.toString();
    }
    List<String> blocks =
        BLOCK.matcher(Files.readString(PAGE)).results().map(MatchResult::group).toList();
    assertThat(blocks).isNotEmpty();
    return blocks.stream()
        .map(block -> block.substring("```java\n".length(), block.length() - "```".length()))
        .map(
            block ->
                DynamicTest.dynamicTest(
                    block.lines().findFirst().orElse(""),
                    () -> assertThat(sources).contains(withoutIndentation(block))));
  }
}
