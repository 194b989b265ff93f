package io.bsdb.writer.options;

import io.bsdb.format.Internal;
import io.bsdb.format.KeyStorage;
import io.bsdb.format.PartitionProperties.Codec;
import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.Validity;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Options of builds. Immutable.
 *
 * @param layout of blocks
 * @param keyStorage {@code OMITTED} makes the snapshot approximate: an absent key may get some
 *     other record's value with probability 2^−signatureBits
 * @param order of the records: by hash, or by key, which answers floors and ranges too
 * @param pointIndex in key order, whether there is a perfect hash for lookups of single keys; else
 *     these search, which takes two to three times as long, and there are no signatures
 * @param perfectHash how the perfect hash is constructed
 * @param signatureBits per record, 0 to 32
 * @param blockSize unit of reading in bytes, 512 to 65,536
 * @param frameSize unit of compression in bytes before compression, 128 to 65,536
 * @param zstdLevel 1 to 19
 * @param dictionaryBytes longest zstd dictionary, 0 for none
 * @param partitions number of partition files; 0 lets the writer choose by the amount of data and
 *     the memory
 * @param threads that build partitions, at most; 0 for as many as there are processors
 * @param memoryBytes that the build aims to use of the heap and of the page cache together, from 64
 *     MiB on. A partition is always mapped as a whole. Not counted are what a thread needs for long
 *     values, up to four times the longest while it is written, and its buffers, up to an eighth of
 *     the memory, while it splits a part of the input into more than one partition. All builds of a
 *     process together keep to half of its heap
 * @param temporaryDirectory for spill files; null for the table's staging directory
 * @param duplicates treatment of a key that comes twice
 * @param minRows fewest rows that may be published: 1 unless set, so that an empty table, which a
 *     failed job before this one may leave, does not replace one with rows
 * @param maxShrinkage largest part of the rows of the version before that may be missing, 0 to 1; 1
 *     sets no limit
 * @param schema of the rows; null for plain bytes
 * @param validity of rows in time, if the table has a history; else null
 * @param properties for the manifest
 * @param sourcePositions for the manifest
 */
public record WriterOptions(
    Layout layout,
    KeyStorage keyStorage,
    RecordOrder order,
    boolean pointIndex,
    PerfectHashConstruction perfectHash,
    int signatureBits,
    int blockSize,
    int frameSize,
    int zstdLevel,
    int dictionaryBytes,
    int partitions,
    int threads,
    long memoryBytes,
    @Nullable Path temporaryDirectory,
    Duplicates duplicates,
    long minRows,
    double maxShrinkage,
    @Nullable Schema schema,
    @Nullable Validity validity,
    Map<String, String> properties,
    Map<String, String> sourcePositions) {

  /** The least {@link #memoryBytes}. */
  public static final long MIN_MEMORY_BYTES = 64L << 20;

  /** Options that manifests describe: what they are called there, and by {@link Builder#set}. */
  private static final Map<String, String> DESCRIBED =
      Map.of(
          "layout", "layout",
          "keys", "keys",
          "pointIndex", "point-index",
          "perfectHash", "perfect-hash",
          "signatureBits", "signature-bits",
          "blockSize", "block-size",
          "frameSize", "frame-size",
          "zstdLevel", "zstd-level",
          "dictionarySize", "dictionary-size");

  private static final String PROPERTY = "property.";
  private static final String SOURCE_POSITION = "source-position.";

  /** Returns the defaults. */
  public static WriterOptions defaults() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder that begins with these options. */
  public Builder toBuilder() {
    Builder builder = builder();
    toMap().forEach(builder::set);
    builder.temporaryDirectory = temporaryDirectory; // text has no file system
    builder.schema = schema;
    return builder;
  }

  /**
   * Returns all options but the schema, which is the table's, as text, by the names that {@link
   * Builder#set} takes.
   */
  public Map<String, String> toMap() {
    Map<String, String> map = new LinkedHashMap<>();
    for (OptionText option : OptionText.ALL) {
      String text = option.of(this);
      if (text != null) {
        map.put(option.name(), text);
      }
    }
    properties.forEach((name, value) -> map.put(PROPERTY + name, value));
    sourcePositions.forEach((name, value) -> map.put(SOURCE_POSITION + name, value));
    return map;
  }

  /**
   * Reads what {@link #toMap} writes; what is left out has its default.
   *
   * @throws IllegalArgumentException naming the option that is unknown or has a wrong value, or if
   *     options contradict each other
   */
  public static WriterOptions parse(Map<String, String> options) {
    Builder builder = builder();
    options.forEach(builder::set);
    return builder.build();
  }

  /**
   * Returns the options of a build that begins at a time: those of a history with a horizon, before
   * which replaced rows are left out.
   */
  public WriterOptions begunAt(Instant now) {
    return validity == null ? this : toBuilder().validity(validity.at(now)).build();
  }

  /** Returns the description of the options that the manifest holds for people. */
  public Map<String, String> description() {
    Map<String, String> description = new LinkedHashMap<>();
    description.put("layout", layout.label());
    description.put("keys", keyStorage == KeyStorage.STORED ? "stored" : "omitted");
    if (!pointIndex) {
      description.put("pointIndex", "false");
    }
    description.put("perfectHash", perfectHash.toString());
    description.put("signatureBits", Integer.toString(signatureBits));
    description.put("blockSize", Integer.toString(blockSize));
    if (layout.codec() == Codec.ZSTD) {
      description.put("frameSize", Integer.toString(frameSize));
      description.put("zstdLevel", Integer.toString(zstdLevel));
      description.put("dictionarySize", Integer.toString(dictionaryBytes));
    }
    return description;
  }

  /**
   * Returns the options that a {@link #description} holds, by the names that {@link Builder#set}
   * takes.
   *
   * @hidden
   */
  @Internal
  public static Map<String, String> described(Map<String, String> description) {
    Map<String, String> options = new LinkedHashMap<>();
    description.forEach(
        (name, value) -> {
          String option = DESCRIBED.get(name);
          if (option != null) {
            options.put(option, value);
          }
        });
    return options;
  }

  /**
   * Returns options with which files are built like those of a version.
   *
   * @throws IllegalArgumentException if its manifest names an option that is unknown here
   */
  public static WriterOptions like(Manifest manifest) {
    Builder builder = builder().order(manifest.order()).validity(manifest.validity());
    described(manifest.options()).forEach(builder::set);
    Schema schema = manifest.schema();
    return (schema == null ? builder : builder.schema(schema)).build();
  }

  /** Collects options; each setter checks its argument. Not safe for several threads. */
  public static final class Builder {
    private Layout layout = Layout.BLOCKED;
    private KeyStorage keyStorage = KeyStorage.STORED;
    private RecordOrder order = RecordOrder.HASH;
    private boolean pointIndex = true;
    private PerfectHashConstruction perfectHash = PerfectHashConstruction.PILOT;
    private int signatureBits = 8;
    private int blockSize = SnapshotFormat.PAGE;
    private int frameSize = 256;
    private int zstdLevel = 3;
    private int dictionaryBytes = 64 << 10;
    private int partitions;
    private int threads;
    private long memoryBytes = 1L << 30;
    private @Nullable Path temporaryDirectory;
    private Duplicates duplicates = Duplicates.FAIL;
    private long minRows = 1;
    private double maxShrinkage = 1;
    private @Nullable Schema schema;
    private @Nullable Validity validity;
    private Map<String, String> properties = new HashMap<>();
    private Map<String, String> sourcePositions = new HashMap<>();

    Builder() {}

    private static long inRange(String what, long value, long least, long most) {
      if (value < least || value > most) {
        throw new IllegalArgumentException(
            "%s out of range: expected %d to %d, actual %d".formatted(what, least, most, value));
      }
      return value;
    }

    public Builder layout(Layout value) {
      layout = value;
      return this;
    }

    /** Leaves the keys out; see {@link WriterOptions#keyStorage}. */
    public Builder approximate() {
      return keyStorage(KeyStorage.OMITTED);
    }

    /** Sets whether records hold their keys. */
    public Builder keyStorage(KeyStorage value) {
      keyStorage = value;
      return this;
    }

    /** Sets the order of the records; by hash by default. */
    public Builder order(RecordOrder value) {
      order = value;
      return this;
    }

    /** Sets whether a table in key order has a perfect hash for single keys; it has by default. */
    public Builder pointIndex(boolean value) {
      pointIndex = value;
      return this;
    }

    public Builder perfectHash(PerfectHashConstruction value) {
      perfectHash = value;
      return this;
    }

    public Builder signatureBits(long value) {
      signatureBits = (int) inRange("signature bits", value, 0, 32);
      return this;
    }

    public Builder blockSize(long bytes) {
      blockSize = (int) inRange("block size", bytes, 512, 65_536);
      return this;
    }

    public Builder frameSize(long bytes) {
      frameSize = (int) inRange("frame size", bytes, 128, 65_536);
      return this;
    }

    public Builder zstdLevel(long value) {
      zstdLevel = (int) inRange("zstd level", value, 1, 19);
      return this;
    }

    public Builder dictionaryBytes(long value) {
      dictionaryBytes = (int) inRange("dictionary bytes", value, 0, 1 << 20);
      return this;
    }

    /** Sets the number of partition files; 0 lets the writer choose. */
    public Builder partitions(long value) {
      partitions = (int) inRange("partitions", value, 0, SnapshotFormat.MAX_PARTITIONS);
      return this;
    }

    /** Threads that build partitions, at most; 0 for as many as there are processors. */
    public Builder threads(long value) {
      threads = (int) inRange("threads", value, 0, 1024);
      return this;
    }

    public Builder memoryBytes(long value) {
      memoryBytes = inRange("memory bytes", value, MIN_MEMORY_BYTES, 1L << 44);
      return this;
    }

    public Builder temporaryDirectory(Path value) {
      temporaryDirectory = value;
      return this;
    }

    public Builder duplicates(Duplicates value) {
      duplicates = value;
      return this;
    }

    /** Sets the minimum number of rows that may be published; 0 allows an empty table. */
    public Builder minRows(long value) {
      minRows = inRange("minimum rows", value, 0, Long.MAX_VALUE);
      return this;
    }

    /**
     * Sets the largest share of the rows of the version before that may be missing, such as 0.1.
     */
    public Builder maxShrinkage(double value) {
      if (!(value >= 0 && value <= 1)) {
        throw new IllegalArgumentException(
            "maximum shrinkage out of range: expected 0 to 1, actual " + value);
      }
      maxShrinkage = value;
      return this;
    }

    public Builder schema(Schema value) {
      schema = value;
      return this;
    }

    /**
     * Makes the table one with a history, in key order; see {@link Validity}.
     *
     * @param retention how long a row is kept after the next one has replaced it; null: forever
     */
    public Builder history(@Nullable Duration retention) {
      return order(RecordOrder.KEY).validity(new Validity(retention, null));
    }

    Builder validity(@Nullable Validity value) {
      validity = value;
      return this;
    }

    public Builder properties(Map<String, String> value) {
      properties = new HashMap<>(value);
      return this;
    }

    public Builder sourcePositions(Map<String, String> value) {
      sourcePositions = new HashMap<>(value);
      return this;
    }

    /**
     * Sets an option by its name; {@code property.NAME} and {@code source-position.NAME} add one.
     * Sizes are in bytes.
     *
     * @throws IllegalArgumentException naming the option, if it is unknown or the value is wrong
     */
    public Builder set(String name, String value) {
      try {
        if (name.startsWith(PROPERTY)) {
          properties.put(name.substring(PROPERTY.length()), value);
          return this;
        }
        if (name.startsWith(SOURCE_POSITION)) {
          sourcePositions.put(name.substring(SOURCE_POSITION.length()), value);
          return this;
        }
        for (OptionText option : OptionText.ALL) {
          if (option.name().equals(name)) {
            return option.set().apply(this, value);
          }
        }
        throw new IllegalArgumentException(
            "there is no such option; there are temp, history, %sNAME, %sNAME, %s"
                .formatted(
                    PROPERTY, SOURCE_POSITION, String.join(", ", defaults().toMap().keySet())));
      } catch (IllegalArgumentException e) {
        String problem = e instanceof NumberFormatException ? "expected a number" : e.getMessage();
        throw new IllegalArgumentException(
            "option of a build '%s'='%s': %s".formatted(name, value, problem), e);
      }
    }

    /**
     * Returns the options.
     *
     * @throws IllegalArgumentException if they contradict each other
     */
    public WriterOptions build() {
      WriterOptions options =
          new WriterOptions(
              layout,
              keyStorage,
              order,
              pointIndex,
              perfectHash,
              pointIndex ? signatureBits : 0,
              blockSize,
              frameSize,
              zstdLevel,
              dictionaryBytes,
              partitions,
              threads,
              memoryBytes,
              temporaryDirectory,
              duplicates,
              minRows,
              maxShrinkage,
              schema,
              validity,
              Map.copyOf(properties),
              Map.copyOf(sourcePositions));
      Contradictions.requireNone(options);
      return options;
    }
  }
}
