package io.bsdb.cli.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.writer.options.WriterOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The command line has the options of the library, with their defaults and ranges. */
class WriterArgumentsTest {
  /** Options of the library that the command line has by another name. */
  private static final Set<String> NAMED_OTHERWISE = Set.of("keys", "point-index");

  private static final Set<String> OWN_NAMES =
      Set.of("approximate", "no-point-index", "property", "source-position");

  private static final Pattern DEFAULT = Pattern.compile("Default: (\\w+%{0,2})[,.]");
  private static final Pattern RANGE = Pattern.compile("\\b(\\d+) to (\\d+)\\b");

  private static List<OptionSpec> arguments() {
    return new CommandLine(new WriterArguments()).getCommandSpec().options();
  }

  private static WriterOptions.Builder parse(OptionSpec argument, Object value) {
    WriterArguments arguments = new WriterArguments();
    new CommandLine(arguments)
        .setCaseInsensitiveEnumValuesAllowed(true) // as Bsdb does
        .parseArgs(argument.longestName() + "=" + value);
    return arguments.toOptions();
  }

  private static String description(OptionSpec argument) {
    return String.join(" ", argument.description());
  }

  @Test
  void areThoseOfTheLibrary() {
    WriterOptions all =
        WriterOptions.builder().temporaryDirectory(Path.of("spill")).history(null).build();
    Set<String> expected = new TreeSet<>(all.toMap().keySet());
    expected.removeAll(NAMED_OTHERWISE);
    expected.addAll(OWN_NAMES);

    assertThat(arguments())
        .as("options of WriterArguments, and what else is named here")
        .extracting(argument -> argument.longestName().substring(2))
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void nameTheDefaultsOfTheLibrary() {
    List<OptionSpec> withDefault =
        arguments().stream().filter(each -> DEFAULT.matcher(description(each)).find()).toList();

    assertThat(withDefault)
        .hasSize(12)
        .allSatisfy(
            argument -> {
              Matcher found = DEFAULT.matcher(description(argument));
              assertThat(found.find()).isTrue();
              assertThat(parse(argument, found.group(1).replace("%%", "%")).build())
                  .as(argument.longestName())
                  .isEqualTo(WriterOptions.defaults());
            });
  }

  @Test
  void nameTheRangesOfTheLibrary() {
    List<OptionSpec> withRange =
        arguments().stream().filter(each -> RANGE.matcher(description(each)).find()).toList();

    assertThat(withRange)
        .hasSize(4)
        .allSatisfy(
            argument -> {
              Matcher found = RANGE.matcher(description(argument));
              assertThat(found.find()).isTrue();
              int least = Integer.parseInt(found.group(1));
              int most = Integer.parseInt(found.group(2));
              String range = "out of range: expected %d to %d".formatted(least, most);
              assertThatThrownBy(() -> parse(argument, most + 1)).hasMessageContaining(range);
            });
  }
}
