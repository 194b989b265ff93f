package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.flink.catalog.SnapshotCatalogFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.description.HtmlFormatter;
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
}
