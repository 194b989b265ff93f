package io.bsdb.cli.build;

import io.bsdb.cli.output.Age;
import io.bsdb.cli.output.ByteSize;
import io.bsdb.cli.output.CommandFailure;
import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.Validity;
import io.bsdb.writer.options.Duplicates;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options of a build; those not given are left to the writer's defaults. */
final class WriterArguments {
  private static final String PREFIX = "--";

  /** Options with the names that {@link WriterOptions.Builder#set} takes. */
  @Mixin
  private final CommandSpec named =
      all(
          choice("layout", "LAYOUT", Stream.of(Layout.values()).map(Layout::label))
              .description(
                  "How records are laid into blocks: ${COMPLETION-CANDIDATES}. Default: blocked, one page per lookup."),
          argument("order", "ORDER", RecordOrder.class)
              .description(
                  "Order of the records: hash, for lookups of single keys; or key, for floors, ranges and prefixes too. Default: hash."),
          argument("signature-bits", "BITS", Integer.class)
              .description(
                  "Bits per record that reject absent keys without a read: 0 to 32. Default: 8."),
          choice("perfect-hash", "KIND", Stream.of(PerfectHashConstruction.values()))
              .description(
                  "Perfect hash: pilot, the fastest; pilot-dense, a tenth smaller; or sux4j, the smallest. Default: pilot."),
          argument("block-size", "SIZE", ByteSize.class)
              .description(
                  "Unit of reading: 512 to 65536 bytes, from 4096 on where blocks are whole pages"
                      + " (blocked, compressed-pages, symbols). Default: 4K."),
          argument("frame-size", "SIZE", ByteSize.class)
              .description("Unit of compression, before it: 128 to 65536 bytes. Default: 256."),
          argument("zstd-level", "LEVEL", Integer.class).description("1 to 19. Default: 3."),
          argument("dictionary-size", "SIZE", ByteSize.class)
              .description(
                  "Longest dictionary that frames are compressed with, up to 1M; 0 for none. Default: 64K."),
          argument("partitions", "COUNT", Integer.class)
              .description("Number of partition files. Default: chosen by the amount of data."),
          argument("threads", "COUNT", Integer.class)
              .description(
                  "Threads that build partitions, and that run a --query. Default: one per processor."),
          argument("memory", "SIZE", ByteSize.class)
              .description(
                  "Memory that the build aims to use, heap and other together, from 64M on; one partition per thread is always in memory as a whole. Default: 1G."),
          argument("temp", "DIR", Path.class)
              .description(
                  "For temporary files, about as large as the input. Default: in the table."),
          argument("duplicates", "POLICY", Duplicates.class)
              .description(
                  "Treatment of a key that comes twice: fail, or keep the first or the last. Default: fail."),
          argument("min-rows", "COUNT", Long.class)
              .description(
                  "Minimum number of rows that may be put in service; with fewer the build is refused. 0 allows an empty table. Default: 1."),
          argument("max-shrinkage", "PERCENT", Double.class)
              .converters(new Percentage())
              .description(
                  "Largest part of the rows of the version in service that may be missing, such as 10%%. Default: 100%%, no limit."));

  @Option(
      names = "--approximate",
      description =
          "Store no keys. An absent key then gets some other record's value with probability"
              + " 2^-(signature bits).")
  private boolean approximate;

  @Option(
      names = "--history",
      paramLabel = "AGE",
      arity = "0..1",
      fallbackValue = "forever",
      converter = History.class,
      description =
          "Build a table with a history, in key order: the last column of the key is the time from"
              + " which a row is valid. AGE, such as 30d, is how long a row is kept after the next"
              + " one has replaced it; without it, forever.")
  private @Nullable Validity history;

  @Option(
      names = "--no-point-index",
      description =
          "In key order, store no perfect hash: less memory, but lookups of single keys take two to"
              + " three times as long.")
  private boolean noPointIndex;

  @Option(
      names = "--property",
      paramLabel = "NAME=VALUE",
      description =
          "Property of the snapshot; readers and 'bsdb inspect' show it. May be repeated.")
  private Map<String, String> properties = Map.of();

  @Option(
      names = "--source-position",
      paramLabel = "SOURCE=POSITION",
      description =
          "How far a source was read, such as 'orders-0=4711'; kept in the manifest, apart from"
              + " properties. May be repeated.")
  private Map<String, String> sourcePositions = Map.of();

  private static CommandSpec all(OptionSpec.Builder... arguments) {
    CommandSpec all = CommandSpec.create();
    for (OptionSpec.Builder argument : arguments) {
      all.addOption(argument.build());
    }
    return all;
  }

  private static OptionSpec.Builder argument(String name, String label, Class<?> type) {
    OptionSpec.Builder argument =
        OptionSpec.builder(PREFIX + name).arity("1").paramLabel(label).type(type);
    return type == ByteSize.class ? argument.converters(new ByteSize.Converter()) : argument;
  }

  private static OptionSpec.Builder choice(String name, String label, Stream<?> choices) {
    List<String> texts = choices.map(Object::toString).toList();
    return argument(name, label, String.class)
        .completionCandidates(texts)
        .converters(
            text -> {
              if (!texts.contains(text)) {
                throw new TypeConversionException(
                    "expected one of %s, actual '%s'".formatted(texts, text));
              }
              return text;
            });
  }

  private static String text(Object value) {
    return value instanceof ByteSize size
        ? Long.toString(size.bytes())
        : value instanceof Enum<?> ? value.toString().toLowerCase(Locale.ROOT) : value.toString();
  }

  /** Returns whether rows of the inputs may be dropped. */
  boolean hasRetention() {
    return history != null && history.retention() != null;
  }

  /**
   * Returns the options.
   *
   * @throws CommandFailure naming one that is out of range
   */
  WriterOptions.Builder toOptions() {
    WriterOptions.Builder options = WriterOptions.builder().pointIndex(!noPointIndex);
    if (approximate) {
      options.approximate();
    }
    if (history != null) {
      options.history(history.retention());
    }
    for (OptionSpec argument : named.options()) {
      Object value = argument.getValue();
      if (value != null) {
        set(argument.longestName(), text(value), options);
      }
    }
    return options.properties(properties).sourcePositions(sourcePositions);
  }

  private static void set(String argument, String value, WriterOptions.Builder options) {
    if (value.isEmpty()) { // a directory, such as the value of an unset variable
      throw CommandFailure.usage(argument + " is empty; give '.' for the current directory");
    }
    try {
      options.set(argument.substring(PREFIX.length()), value);
    } catch (IllegalArgumentException e) {
      Throwable reason = Objects.requireNonNullElse(e.getCause(), e); // without the option's name
      throw CommandFailure.usage("%s: %s".formatted(argument, reason.getMessage()));
    }
  }

  /** A part of something, such as {@code 2.5%}; with the sign, so that 0.1 is not 10%. */
  static final class Percentage implements ITypeConverter<Double> {
    private static final Pattern FORM =
        Pattern.compile("(\\d{1,2}(?:\\.\\d{1,9})?|100(?:\\.0{1,9})?)%");

    @Override
    public Double convert(String text) {
      Matcher matcher = FORM.matcher(text);
      if (!matcher.matches()) {
        throw new TypeConversionException(
            "expected 0% to 100%, such as 10%, actual '" + text + "'");
      }
      return new BigDecimal(matcher.group(1)).movePointLeft(2).doubleValue();
    }
  }

  /** How long replaced rows are kept. */
  static final class History implements ITypeConverter<Validity> {
    @Override
    public Validity convert(String text) {
      if (text.equals(Validity.FOREVER.toString())) {
        return Validity.FOREVER;
      }
      try {
        return new Validity(new Age().convert(text), null);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
