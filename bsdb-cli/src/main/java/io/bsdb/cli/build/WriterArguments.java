package io.bsdb.cli.build;

import io.bsdb.cli.output.Age;
import io.bsdb.cli.output.ByteSize;
import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.row.KeyEncoding;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.Validity;
import io.bsdb.writer.options.Duplicates;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options of a build; those not given are left to the writer's defaults. */
final class WriterArguments {
  @Option(
      names = "--layout",
      paramLabel = "LAYOUT",
      converter = Layouts.class,
      completionCandidates = Layouts.class,
      description =
          "How records are laid into blocks: ${COMPLETION-CANDIDATES}. Default: blocked, one page"
              + " per lookup.")
  private @Nullable Layout layout;

  @Option(
      names = "--approximate",
      description =
          "Store no keys. An absent key then gets some other record's value with probability"
              + " 2^-(signature bits).")
  private boolean approximate;

  @Option(
      names = "--order",
      paramLabel = "ORDER",
      description =
          "Order of the records: hash, for lookups of single keys; or key, for floors, ranges and"
              + " prefixes too. Default: hash.")
  private @Nullable RecordOrder order;

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
      names = "--signature-bits",
      paramLabel = "BITS",
      description = "Bits per record that reject absent keys without a read: 0 to 32. Default: 8.")
  private @Nullable Integer signatureBits;

  @Option(
      names = "--perfect-hash",
      paramLabel = "KIND",
      converter = PerfectHashes.class,
      completionCandidates = PerfectHashes.class,
      description =
          "Perfect hash: pilot, the fastest; pilot-dense, a tenth smaller; or sux4j, the smallest."
              + " Default: pilot.")
  private @Nullable PerfectHashConstruction perfectHash;

  @Option(
      names = "--block-size",
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      description = "Unit of reading: 512 to 65536 bytes. Default: 4K.")
  private @Nullable ByteSize blockSize;

  @Option(
      names = "--frame-size",
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      description = "Unit of compression, before it: 128 to 65536 bytes. Default: 256.")
  private @Nullable ByteSize frameSize;

  @Option(names = "--zstd-level", paramLabel = "LEVEL", description = "1 to 19. Default: 3.")
  private @Nullable Integer zstdLevel;

  @Option(
      names = "--dictionary-size",
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      description =
          "Longest dictionary that frames are compressed with, up to 1M; 0 for none. Default: 64K.")
  private @Nullable ByteSize dictionarySize;

  @Option(
      names = "--partitions",
      paramLabel = "COUNT",
      description = "Number of partition files. Default: chosen by the amount of data.")
  private @Nullable Integer partitions;

  @Option(
      names = "--threads",
      paramLabel = "COUNT",
      description =
          "Threads that build partitions, and that run a --query. Default: one per processor.")
  private @Nullable Integer threads;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      description =
          "Memory that the build aims to use, heap and other together, from 64M on; one partition"
              + " per thread is always in memory as a whole. Default: 1G.")
  private @Nullable ByteSize memory;

  @Option(
      names = "--temp",
      paramLabel = "DIR",
      description = "For temporary files, about as large as the input. Default: in the table.")
  private @Nullable Path temporaryDirectory;

  @Option(
      names = "--duplicates",
      paramLabel = "POLICY",
      description =
          "Treatment of a key that comes twice: fail, or keep the first or the last."
              + " Default: fail.")
  private @Nullable Duplicates duplicates;

  @Option(
      names = "--min-rows",
      paramLabel = "COUNT",
      description =
          "Minimum number of rows that may be put in service; with fewer the build is refused. 0"
              + " allows an empty table. Default: 1.")
  private @Nullable Long minRows;

  @Option(
      names = "--max-shrinkage",
      paramLabel = "PERCENT",
      converter = Percentage.class,
      description =
          "Largest part of the rows of the version in service that may be missing, such as 10%%."
              + " Default: 100%%, no limit.")
  private @Nullable Double maxShrinkage;

  @Option(
      names = "--property",
      paramLabel = "NAME=VALUE",
      description = "Property of the snapshot; readers and 'bsdb inspect' show it.")
  private Map<String, String> properties = Map.of();

  @Option(
      names = "--source-position",
      paramLabel = "SOURCE=POSITION",
      description =
          "How far a source was read, such as 'orders-0=4711'; kept like a property, apart from"
              + " them.")
  private Map<String, String> sourcePositions = Map.of();

  /** Returns how the keys of rows are to be encoded. */
  KeyEncoding keyEncoding() {
    return order == RecordOrder.KEY || history != null ? KeyEncoding.ORDERED : KeyEncoding.PLAIN;
  }

  /** Returns whether rows of the inputs may be dropped. */
  boolean hasRetention() {
    return history != null && history.retention() != null;
  }

  /**
   * Returns the options.
   *
   * @throws IllegalArgumentException if one is out of range, or they contradict each other
   */
  WriterOptions.Builder toOptions() {
    WriterOptions.Builder options = WriterOptions.builder().pointIndex(!noPointIndex);
    if (approximate) {
      options.approximate();
    }
    set(layout, options::layout);
    set(history, value -> options.history(value.retention()));
    set(order, options::order);
    set(signatureBits, options::signatureBits);
    set(perfectHash, options::perfectHash);
    set(blockSize, size -> options.blockSize(size.toInt()));
    set(frameSize, size -> options.frameSize(size.toInt()));
    set(zstdLevel, options::zstdLevel);
    set(partitions, options::partitions);
    set(dictionarySize, size -> options.dictionaryBytes(size.toInt()));
    set(threads, options::threads);
    set(memory, size -> options.memoryBytes(size.bytes()));
    set(temporaryDirectory, options::temporaryDirectory);
    set(duplicates, options::duplicates);
    set(minRows, options::minRows);
    set(maxShrinkage, options::maxShrinkage);
    return options.properties(properties).sourcePositions(sourcePositions);
  }

  private static <T> void set(@Nullable T value, Consumer<T> setter) {
    if (value != null) {
      setter.accept(value);
    }
  }

  /** A part of something, such as {@code 2.5%}; with the sign, so that 0.1 is not 10%. */
  static final class Percentage implements ITypeConverter<Double> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,3}(?:\\.\\d{1,9})?)%");

    @Override
    public Double convert(String text) {
      Matcher matcher = FORM.matcher(text);
      if (!matcher.matches()) {
        throw new TypeConversionException("not a percentage: '" + text + "', expected like 10%");
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

  /** Perfect hashes by the names that manifests use. */
  static final class PerfectHashes extends Labels<PerfectHashConstruction> {
    PerfectHashes() {
      super(PerfectHashConstruction.values(), PerfectHashConstruction::toString);
    }
  }

  /** Layouts by the names that manifests use. */
  static final class Layouts extends Labels<Layout> {
    Layouts() {
      super(Layout.values(), Layout::label);
    }
  }
}
