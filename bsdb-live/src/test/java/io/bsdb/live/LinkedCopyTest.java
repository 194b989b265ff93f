package io.bsdb.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.live.log.LogDirectory;
import io.bsdb.testkit.ArabicDigits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A copy of hard links, as {@code cp -al} makes of a table that is closed. */
@ExtendWith(ArabicDigits.class)
class LinkedCopyTest {
  private static final int ROUNDS = 3;

  @TempDir Path root;

  private static Path copy(Path table, Path target) throws IOException {
    try (Stream<Path> files = Files.walk(table)) {
      for (Path file : files.toList()) {
        Path copy = target.resolve(table.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.createLink(copy, file);
        }
      }
    }
    return target;
  }

  private static WritableTable open(Path table, boolean publishes) throws IOException {
    int publishedSegments = publishes ? LiveTable.PUBLISHED_SEGMENTS : LiveTable.Place.WHEN_ASKED;
    return LiveTable.open(
        table,
        WritableOptions.defaults().withDurability(Durability.OS),
        Places.onDisk(1 << 16, publishedSegments));
  }

  private static void put(WritableTable table, Map<String, String> content, String key, int length)
      throws IOException {
    String value = key + "x".repeat(length);
    table.put(key.getBytes(UTF_8), value.getBytes(UTF_8));
    content.put(key, value);
  }

  /**
   * @param killed whether the table was killed before it was copied
   * @param publishes whether changes are published at each close
   * @param length of values: with the longer ones, the log goes on in another file
   */
  @ParameterizedTest
  @CsvSource({
    "false, false, 10", "false, false, 20000",
    "false, true, 10", "false, true, 20000",
    "true, false, 10", "true, false, 20000",
    "true, true, 10", "true, true, 20000"
  })
  void tablesDoNotChangeEachOther(boolean killed, boolean publishes, int length)
      throws IOException {
    Map<String, String> content = new HashMap<>();
    Path table = root.resolve("table");
    try (WritableTable open = open(table, publishes)) {
      for (int i = 0; i < 5; i++) {
        put(open, content, "before" + i, length);
      }
      if (killed) {
        Path image = root.resolve("killed");
        ModelFiles.copy(table, image);
        table = image;
      }
    }
    Path copy = copy(table, root.resolve("copy"));
    List<Path> tables = List.of(copy, table);
    List<Map<String, String>> contents = List.of(new HashMap<>(content), content);
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < tables.size(); i++) {
        try (WritableTable open = open(tables.get(i), publishes)) {
          assertThat(Contents.of(open.cursor()).keySet())
              .as("%s in round %d", tables.get(i).getFileName(), round)
              .isEqualTo(contents.get(i).keySet());
          for (int change = 0; change < 3; change++) {
            put(open, contents.get(i), "round" + round + "-" + i + "-" + change, length);
          }
        }
      }
    }
    for (int i = 0; i < tables.size(); i++) {
      assertThat(Contents.of(tables.get(i))).isEqualTo(contents.get(i));
    }
  }

  /** As two tables do whose process was killed while it made a file. */
  @Test
  void filesThatWereBegunAreMadeAfresh() throws IOException {
    Path begun = Files.writeString(root.resolve("begun"), "of another");
    Path log = Files.createDirectory(root.resolve("log"));
    Files.createLink(log.resolve("begun"), begun);

    new LogDirectory(log).open("begun", true).close();

    assertThat(log.resolve("begun")).isEmptyFile();
    assertThat(begun).hasContent("of another");
  }
}
