package io.bsdb.writer.options;

import io.bsdb.format.KeyStorage;
import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.Validity;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An option of builds as text.
 *
 * @param get returns its value; null if it is not set
 * @param set parses a value
 */
record OptionText(
    String name,
    Function<WriterOptions, @Nullable Object> get,
    BiFunction<WriterOptions.Builder, String, WriterOptions.Builder> set) {
  /** All options but those that are maps, and the schema. */
  static final List<OptionText> ALL =
      List.of(
          option(
              "layout",
              WriterOptions::layout,
              oneOf(Layout.values()),
              WriterOptions.Builder::layout),
          option(
              "keys",
              WriterOptions::keyStorage,
              oneOf(KeyStorage.values()),
              WriterOptions.Builder::keyStorage),
          option(
              "order",
              WriterOptions::order,
              oneOf(RecordOrder.values()),
              WriterOptions.Builder::order),
          option(
              "point-index",
              WriterOptions::pointIndex,
              OptionText::bool,
              WriterOptions.Builder::pointIndex),
          option(
              "perfect-hash",
              WriterOptions::perfectHash,
              oneOf(PerfectHashConstruction.values()),
              WriterOptions.Builder::perfectHash),
          number(
              "signature-bits", WriterOptions::signatureBits, WriterOptions.Builder::signatureBits),
          number("block-size", WriterOptions::blockSize, WriterOptions.Builder::blockSize),
          number("frame-size", WriterOptions::frameSize, WriterOptions.Builder::frameSize),
          number("zstd-level", WriterOptions::zstdLevel, WriterOptions.Builder::zstdLevel),
          number(
              "dictionary-size",
              WriterOptions::dictionaryBytes,
              WriterOptions.Builder::dictionaryBytes),
          number("partitions", WriterOptions::partitions, WriterOptions.Builder::partitions),
          number("threads", WriterOptions::threads, WriterOptions.Builder::threads),
          number("memory", WriterOptions::memoryBytes, WriterOptions.Builder::memoryBytes),
          option(
              "temp",
              WriterOptions::temporaryDirectory,
              text -> Path.of(text),
              WriterOptions.Builder::temporaryDirectory),
          option(
              "duplicates",
              WriterOptions::duplicates,
              oneOf(Duplicates.values()),
              WriterOptions.Builder::duplicates),
          number("min-rows", WriterOptions::minRows, WriterOptions.Builder::minRows),
          option(
              "max-shrinkage",
              WriterOptions::maxShrinkage,
              Double::parseDouble,
              WriterOptions.Builder::maxShrinkage),
          option(
              "history",
              WriterOptions::validity,
              Validity::parse,
              (to, validity) -> to.order(RecordOrder.KEY).validity(validity)));

  private static <T> OptionText option(
      String name,
      Function<WriterOptions, @Nullable Object> get,
      Function<String, T> parse,
      BiFunction<WriterOptions.Builder, T, WriterOptions.Builder> set) {
    return new OptionText(name, get, (to, text) -> set.apply(to, parse.apply(text)));
  }

  private static OptionText number(
      String name,
      Function<WriterOptions, @Nullable Object> get,
      BiFunction<WriterOptions.Builder, Long, WriterOptions.Builder> set) {
    return option(name, get, Long::parseLong, set);
  }

  /** Returns the value as text; null if it is not set. */
  @Nullable String of(WriterOptions options) {
    Object value = get.apply(options);
    return value == null ? null : text(value);
  }

  private static String text(Object value) {
    return value instanceof Layout layout
        ? layout.label()
        : value instanceof Enum<?> ? value.toString().toLowerCase(Locale.ROOT) : value.toString();
  }

  private static boolean bool(String text) {
    if (!text.equals("true") && !text.equals("false")) {
      throw new IllegalArgumentException("expected true or false");
    }
    return text.equals("true");
  }

  private static <T> Function<String, T> oneOf(T[] values) {
    return text ->
        Stream.of(values)
            .filter(value -> text(value).equals(text))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        Stream.of(values)
                            .map(OptionText::text)
                            .collect(Collectors.joining(", ", "expected one of ", ""))));
  }
}
