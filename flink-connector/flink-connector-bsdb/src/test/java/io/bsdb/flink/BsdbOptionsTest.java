package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.flink.catalog.SnapshotCatalogFactory;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
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
  /** Options that belong to a plan: which rows a query finds and how, and all about writing. */
  private static final Set<ConfigOption<?>> NOT_FORWARDED =
      Set.of(
          BsdbOptions.LOOKUP_ASYNC,
          BsdbOptions.LOOKUP_WAIT_FOR_SOURCE_TIME,
          BsdbOptions.LOOKUP_BEFORE_HORIZON,
          BsdbOptions.SCAN_FOLLOW,
          BsdbOptions.SNAPSHOT_VERSION,
          BsdbOptions.HISTORY_RETENTION,
          BsdbOptions.SINK_PARALLELISM,
          BsdbOptions.SINK_PARTITIONS,
          BsdbOptions.SINK_STREAM,
          BsdbOptions.SINK_COMPACTION,
          BsdbOptions.SINK_LAYOUT,
          BsdbOptions.SINK_ORDER,
          BsdbOptions.SINK_IP_COLUMNS,
          BsdbOptions.SINK_KEYS,
          BsdbOptions.SINK_PERFECT_HASH,
          BsdbOptions.SINK_SIGNATURE_BITS,
          BsdbOptions.SINK_BLOCK_SIZE,
          BsdbOptions.SINK_FRAME_SIZE,
          BsdbOptions.SINK_ZSTD_LEVEL,
          BsdbOptions.SINK_MEMORY,
          BsdbOptions.SINK_DUPLICATES,
          BsdbOptions.SINK_MIN_ROWS,
          BsdbOptions.SINK_MAX_SHRINKAGE,
          BsdbOptions.SINK_RETAIN_VERSIONS,
          BsdbOptions.SINK_STAGING_RETENTION,
          BsdbOptions.SINK_SOURCE_POSITIONS,
          BsdbOptions.SINK_KEEP_CHANGES_AFTER,
          BsdbOptions.SINK_PUBLISH,
          BsdbOptions.SINK_PARTIAL_UPDATE,
          BsdbOptions.SINK_PROPERTIES);

  /** Options of the writer that the description of a build in a manifest does not hold. */
  private static final Set<ConfigOption<?>> NOT_DESCRIBED =
      Set.of(
          BsdbOptions.SINK_ORDER, // a member of the manifest itself
          BsdbOptions.SINK_MEMORY,
          BsdbOptions.SINK_DUPLICATES,
          BsdbOptions.SINK_MIN_ROWS,
          BsdbOptions.SINK_MAX_SHRINKAGE);

  /** Options of the library that tables in Flink have not, or not by that name. */
  private static final Set<String> NOT_IN_FLINK =
      Set.of(
          "dictionary-size",
          "history", // history.retention
          "point-index",
          "temp",
          "threads");

  private static Set<ConfigOption<?>> options() {
    SnapshotTableFactory factory = new SnapshotTableFactory();
    Set<ConfigOption<?>> options = new HashSet<>(factory.requiredOptions());
    options.addAll(factory.optionalOptions());
    SnapshotCatalogFactory catalog = new SnapshotCatalogFactory();
    options.addAll(catalog.requiredOptions());
    options.addAll(catalog.optionalOptions());
    return options;
  }

  private static List<ConfigOption<?>> declared() throws IllegalAccessException {
    List<ConfigOption<?>> declared = new ArrayList<>();
    for (Field field : BsdbOptions.class.getFields()) {
      declared.add((ConfigOption<?>) field.get(null));
    }
    return declared;
  }

  @Test
  void everyOptionIsForwardedToRestoredPlansOrNamedHere() throws Exception {
    Set<ConfigOption<?>> decided = new HashSet<>(new SnapshotTableFactory().forwardOptions());
    assertThat(decided).doesNotContainAnyElementsOf(NOT_FORWARDED);
    decided.addAll(NOT_FORWARDED);

    assertThat(declared())
        .as("options in SnapshotTableFactory.forwardOptions or NOT_FORWARDED")
        .hasSameElementsAs(decided);
  }

  @Test
  void everyOptionOfTheLibraryIsOneOfTheSinkOrNamedHere() {
    WriterOptions all =
        WriterOptions.builder().temporaryDirectory(Path.of("spill")).history(null).build();
    Set<String> decided = new HashSet<>(NOT_IN_FLINK);
    for (ConfigOption<?> option : options()) {
      decided.add(option.key().replaceFirst("^sink\\.", ""));
    }

    assertThat(decided).as("options, or NOT_IN_FLINK").containsAll(all.toMap().keySet());
    assertThat(options())
        .extracting(ConfigOption::key)
        .doesNotContainAnyElementsOf(NOT_IN_FLINK.stream().map("sink."::concat).toList());
  }

  /** A catalog shows tables without a declaration with the options of their last build. */
  @Test
  void everyOptionOfTheWriterIsFoundInManifestsOrNamedHere() {
    WriterOptions compressed = WriterOptions.builder().layout(Layout.COMPRESSED).build();
    Set<String> decided =
        WriterOptions.described(compressed.description()).keySet().stream()
            .filter(name -> !NOT_IN_FLINK.contains(name))
            .map("sink."::concat)
            .collect(Collectors.toCollection(HashSet::new));
    List<String> named = NOT_DESCRIBED.stream().map(ConfigOption::key).toList();
    assertThat(decided).doesNotContainAnyElementsOf(named);
    decided.addAll(named);

    assertThat(BsdbOptions.WRITER)
        .as("options in WriterOptions.description or NOT_DESCRIBED")
        .extracting(ConfigOption::key)
        .hasSameElementsAs(decided);
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
    for (ConfigOption<?> option : declared()) {
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
