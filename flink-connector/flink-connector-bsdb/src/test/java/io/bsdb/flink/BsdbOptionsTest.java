package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.flink.catalog.SnapshotCatalogFactory;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.description.HtmlFormatter;
import org.apache.flink.util.TimeUtils;
import org.junit.jupiter.api.Test;

class BsdbOptionsTest {
  private static Set<ConfigOption<?>> options() {
    SnapshotTableFactory factory = new SnapshotTableFactory();
    Set<ConfigOption<?>> options = new HashSet<>(factory.requiredOptions());
    options.addAll(factory.optionalOptions());
    SnapshotCatalogFactory catalog = new SnapshotCatalogFactory();
    options.addAll(catalog.requiredOptions());
    options.addAll(catalog.optionalOptions());
    return options;
  }

  @Test
  void everyOptionIsDescribed() {
    assertThat(options())
        .allSatisfy(
            option ->
                assertThat(new HtmlFormatter().format(option.description()))
                    .as(option.key())
                    .isNotBlank());
  }

  @Test
  void documentationListsExactlyTheOptions() throws Exception {
    Set<String> documented =
        Files.readAllLines(Path.of("../../docs/flink.md")).stream()
            .filter(line -> line.matches("\\| `[a-z.-]+` \\|.*"))
            .map(line -> line.substring(3, line.indexOf('`', 3)))
            .collect(Collectors.toSet());

    assertThat(documented)
        .isEqualTo(options().stream().map(ConfigOption::key).collect(Collectors.toSet()));
  }

  /** When an option changes, the page gets the table that this leaves in {@code target}. */
  @Test
  void documentationHasTheTableThatTheOptionsMake() throws Exception {
    StringBuilder table = new StringBuilder("| Option | Default | Meaning |\n|---|---|---|\n");
    for (Field field : BsdbOptions.class.getFields()) {
      ConfigOption<?> option = (ConfigOption<?>) field.get(null);
      table.append(
          "| `%s` | %s | %s |\n".formatted(option.key(), defaultOf(option), meaning(option)));
    }
    Files.writeString(Path.of("target/options.md"), table);

    assertThat(Files.readString(Path.of("../../docs/flink.md"))).contains(table);
  }

  private String defaultOf(ConfigOption<?> option) {
    if (!option.hasDefaultValue()) {
      return new SnapshotTableFactory().requiredOptions().contains(option) ? "required" : "none";
    }
    Object value = option.defaultValue();
    if (value.equals(Map.of())) {
      return "none";
    }
    if (value.equals(MemorySize.MAX_VALUE)) {
      return "no limit";
    }
    return value instanceof Duration duration
        ? TimeUtils.formatWithHighestUnit(duration)
        : "`%s`".formatted(value.toString().toLowerCase(Locale.ROOT));
  }

  /** The description, with what stands in quotes as code. */
  private static String meaning(ConfigOption<?> option) {
    return new HtmlFormatter()
        .format(option.description())
        .replaceAll("(?<![A-Za-z])'([^']+)'", "`$1`");
  }
}
