package io.bsdb.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The Java code of these pages is, line by line, code of these examples, which run; and the README
 * has the same code in each language.
 */
class DocumentedCodeTest {
  private static final List<String> PAGES =
      List.of("java.md", "live.md", "ordered.md", "history.md");
  private static final Path EXAMPLES = Path.of("src", "main", "java", "io", "bsdb", "examples");
  private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  private static final Pattern ANY_BLOCK =
      Pattern.compile("^```(\\w*)\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
  private static final Map<String, String> COMMENT = Map.of("sh", "#", "sql", "--", "java", "//");

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
    List<String> blocks = new ArrayList<>();
    for (String page : PAGES) {
      String text = Files.readString(Path.of("..", "docs", page));
      List<String> found = BLOCK.matcher(text).results().map(MatchResult::group).toList();
      assertThat(found).as(page).isNotEmpty();
      blocks.addAll(found);
    }
    return blocks.stream()
        .map(block -> block.substring("```java\n".length(), block.length() - "```".length()))
        .map(
            block ->
                DynamicTest.dynamicTest(
                    block.lines().findFirst().orElse(""),
                    () -> assertThat(sources).contains(withoutIndentation(block))));
  }

  /** Blocks of code without what a translation changes: comments. */
  private static List<String> code(String page) throws IOException {
    return ANY_BLOCK
        .matcher(Files.readString(Path.of("..", page)))
        .results()
        .map(
            block -> {
              String comment = "\\s+" + COMMENT.getOrDefault(block.group(1), "#") + " .*";
              return block
                  .group(2)
                  .lines()
                  .map(line -> line.replaceAll(comment, ""))
                  .collect(Collectors.joining("\n"));
            })
        .toList();
  }

  @Test
  void readmeHasTheSameCodeInBothLanguages() throws IOException {
    assertThat(code("README.zh.md")).isNotEmpty().isEqualTo(code("README.md"));
    assertThat(Files.readString(Path.of("..", "README.md"))).contains("(README.zh.md)");
    assertThat(Files.readString(Path.of("..", "README.zh.md"))).contains("(README.md)");
  }
}
