package io.bsdb.reload;

import io.bsdb.format.Internal;
import io.bsdb.format.segment.SegmentWriter;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reload.TableComparison.Outcome;
import io.bsdb.table.AsOf;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.writer.BuildListener;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Replaces all rows of a table by those of a source, and publishes what differs: rows that the
 * source does not have are deleted. For sources that are read as a whole, and in which little has
 * changed.
 *
 * <pre>{@code
 * try (var reload = TableReload.begin(Path.of("places"), WriterOptions.defaults(), Publish.AUTO)) {
 *   reload.add(key, value); // all of them, in any order
 *   ReloadReport report = reload.publish();
 * }
 * }</pre>
 *
 * <p>Each record costs a lookup in the version in service, which is read from memory (mapped files)
 * and best fits there; memory needed besides is two bits per row, and 32 bytes per key that is new
 * or has changed since the partition files were built. Closing without {@link #publish}, like a
 * crash, leaves the table as it was. Used by one thread.
 */
public final class TableReload implements Closeable {
  private static final int BASE_SHARE = 4;

  private final Table table;
  private final @Nullable SnapshotWriter all;
  private final @Nullable TableComparison comparison;
  private final @Nullable AsOf asOf;
  private final long maxDiffering;
  private Mode mode;
  private long read;
  private boolean ended;

  /** What happens to the records. */
  private enum Mode {
    /** They are compared, and counted. */
    COUNT,
    /** They are compared, and those that differ are written. */
    COMPARE,
    /** They are all written. */
    BUILD
  }

  private TableReload(
      Table table,
      @Nullable SnapshotWriter all,
      @Nullable TableComparison comparison,
      @Nullable AsOf asOf,
      long maxDiffering,
      Mode mode) {
    this.table = table;
    this.all = all;
    this.comparison = comparison;
    this.asOf = asOf;
    this.maxDiffering = maxDiffering;
    this.mode = mode;
  }

  /**
   * Begins a reload. A table without a version is built, whatever is to be published.
   *
   * @throws IllegalArgumentException if changes are to be published and the table was built
   *     otherwise than the options say
   */
  public static TableReload begin(Path directory, WriterOptions options, Publish publish)
      throws IOException {
    return begin(null, directory, options, publish);
  }

  /**
   * Begins a reload whose records are at least as new as a version of the table: changes published
   * after that version are kept. If all rows are published, these changes apply over them; if only
   * differences are published, keys that changed after that version stay as they are.
   *
   * @throws java.nio.file.NoSuchFileException if there is no such complete version
   * @throws io.bsdb.table.PublishConflictException if those changes cannot be identified
   * @throws IllegalArgumentException as {@link #begin}
   */
  public static TableReload beginAsOf(
      String version, Path directory, WriterOptions options, Publish publish) throws IOException {
    return begin(version, directory, options, publish);
  }

  private static TableReload begin(
      @Nullable String version, Path directory, WriterOptions options, Publish publish)
      throws IOException {
    Table table = Table.at(directory);
    if (publish == Publish.ALL || (version == null && table.currentVersion() == null)) {
      return new TableReload(table, build(version, directory, options), null, null, 0, Mode.BUILD);
    }
    AsOf asOf = version == null ? null : AsOf.of(table.manifest(version));
    SnapshotReader reader = SnapshotReader.open(directory);
    Manifest manifest = reader.manifest();
    String obstacle = obstacle(manifest, options);
    if (publish == Publish.CHANGES) {
      TableComparison comparison =
          compare(directory, reader, obstacle, asOf, options, Outcome.WRITTEN);
      return new TableReload(table, null, comparison, asOf, Long.MAX_VALUE, Mode.COMPARE);
    }
    WriterOptions all =
        options.properties().isEmpty()
            ? options.toBuilder().properties(manifest.properties()).build()
            : options;
    if (obstacle != null) {
      reader.close();
      return new TableReload(table, build(version, directory, all), null, null, 0, Mode.BUILD);
    }
    TableComparison comparison =
        TableComparison.begin(directory, reader, asOf, options, Outcome.WRITTEN);
    try {
      return new TableReload(
          table,
          build(version, directory, all),
          comparison,
          asOf,
          maxDiffering(manifest),
          Mode.COMPARE);
    } catch (IOException | RuntimeException | Error e) {
      comparison.close();
      throw e;
    }
  }

  /**
   * Returns how many rows may differ from those of a version before all are published.
   *
   * @hidden
   */
  @Internal
  public static long maxDiffering(Manifest manifest) {
    return manifest.recordCount() / BASE_SHARE;
  }

  private static SnapshotWriter build(
      @Nullable String version, Path directory, WriterOptions options) throws IOException {
    return version == null
        ? SnapshotWriter.create(directory, options)
        : SnapshotWriter.createAsOf(version, directory, options);
  }

  /**
   * Begins a reload that publishes nothing: it only reports how the source differs.
   *
   * @throws java.nio.file.NoSuchFileException if the table has no version
   * @throws IllegalArgumentException if the table was built otherwise than the options say
   */
  public static TableReload dryRun(Path directory, WriterOptions options) throws IOException {
    return dryRun(null, directory, options);
  }

  /**
   * Begins a reload that publishes nothing, of records as {@link #beginAsOf} takes them.
   *
   * @throws io.bsdb.table.PublishConflictException as {@link #beginAsOf}
   */
  public static TableReload dryRunAsOf(String version, Path directory, WriterOptions options)
      throws IOException {
    return dryRun(version, directory, options);
  }

  private static TableReload dryRun(@Nullable String version, Path directory, WriterOptions options)
      throws IOException {
    Table table = Table.at(directory);
    AsOf asOf = version == null ? null : AsOf.of(table.manifest(version));
    SnapshotReader reader = SnapshotReader.open(directory);
    TableComparison comparison =
        compare(
            directory,
            reader,
            obstacle(reader.manifest(), options),
            asOf,
            options,
            Outcome.COUNTED);
    return new TableReload(table, null, comparison, asOf, Long.MAX_VALUE, Mode.COUNT);
  }

  private static TableComparison compare(
      Path directory,
      SnapshotReader reader,
      @Nullable String obstacle,
      @Nullable AsOf asOf,
      WriterOptions options,
      Outcome outcome)
      throws IOException {
    try {
      require(obstacle, Table.at(directory));
    } catch (IllegalArgumentException e) {
      reader.close();
      throw e;
    }
    return TableComparison.begin(directory, reader, asOf, options, outcome);
  }

  /**
   * Refuses an input that cannot be compared with a version.
   *
   * @param obstacle see {@link #obstacle}
   * @throws IllegalArgumentException if there is one
   * @hidden
   */
  @Internal
  public static void require(@Nullable String obstacle, Table table) {
    if (obstacle != null) {
      throw new IllegalArgumentException(
          "the input cannot be compared with the version in service: table=%s %s; publish all rows"
              .formatted(table.storage(), obstacle));
    }
  }

  /**
   * Returns why the rows of an input cannot be compared with those of a version: in what it differs
   * from what the options would build; null for nothing.
   *
   * @hidden
   */
  @Internal
  public static @Nullable String obstacle(Manifest manifest, WriterOptions options) {
    WriterOptions built;
    try {
      built = WriterOptions.like(manifest);
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
    if (manifest.validity() != null || options.validity() != null) {
      return "history: rows that have been dropped from it would count as new";
    }
    Map<String, String> properties = options.properties();
    String found = differing("order", built.order(), options.order());
    found = found != null ? found : differing("schema", manifest.schema(), options.schema());
    found = found != null ? found : differing("layout", built.layout(), options.layout());
    found = found != null ? found : differing("keys", built.keyStorage(), options.keyStorage());
    if (found == null && manifest.hasKeysOmitted()) {
      found = "keys: the version does not store them";
    }
    return found == null && !properties.isEmpty()
        ? differing("properties", manifest.properties(), properties)
        : found;
  }

  private static @Nullable String differing(
      String what, @Nullable Object built, @Nullable Object wanted) {
    return Objects.equals(built, wanted)
        ? null
        : "%s in service=%s input=%s, which must be the same"
            .formatted(
                what,
                Objects.requireNonNullElse(built, "none"),
                Objects.requireNonNullElse(wanted, "none"));
  }

  /** Sets the progress listener of a build of all rows. */
  public void listener(BuildListener value) {
    if (all != null) {
      all.listener(value);
    }
  }

  /** Adds a record: see {@link #add(byte[], int, int, byte[], int, int)}. */
  public void add(byte[] key, byte[] value) throws IOException {
    add(key, 0, key.length, value, 0, value.length);
  }

  /**
   * Adds a record; copies what it needs.
   *
   * @param keyLength 1 to {@link io.bsdb.format.SnapshotFormat#MAX_KEY_LENGTH}
   * @param valueLength 0 to {@link io.bsdb.format.SnapshotFormat#MAX_VALUE_LENGTH}
   * @throws IllegalArgumentException if a length is out of range, or the value is an ended row; any
   *     other failure ends the reload
   * @throws io.bsdb.writer.DuplicateKeyException if a key came twice and the options say to fail; a
   *     build of all rows finds that when it is published
   */
  public void add(
      byte[] key, int keyOffset, int keyLength, byte[] value, int valueOffset, int valueLength)
      throws IOException {
    requireOpen();
    TableComparison compared = comparison;
    if (mode == Mode.BUILD || compared == null) {
      Objects.requireNonNull(all).add(key, keyOffset, keyLength, value, valueOffset, valueLength);
      read++;
      return;
    }
    SegmentWriter.requireKeyLength(keyLength);
    SegmentWriter.requireValueLength(valueLength);
    compared.requireLive(value, valueOffset, valueLength);
    read++;
    byte[] keyCopy = Arrays.copyOfRange(key, keyOffset, keyOffset + keyLength);
    byte[] valueCopy = Arrays.copyOfRange(value, valueOffset, valueOffset + valueLength);
    ended = true; // stays so after a failure: a part of the rows must not be published
    compared.add(keyCopy, valueCopy);
    if (compared.differing() > maxDiffering) {
      buildInstead(compared);
    }
    ended = false;
  }

  /** Goes over to a build of all rows; those that came so far are in the version or its changes. */
  private void buildInstead(TableComparison compared) throws IOException {
    SnapshotWriter writer = Objects.requireNonNull(all);
    mode = Mode.BUILD;
    if (asOf == null) {
      // The build began after the comparison, and replaces what it found in service.
      DeltaWriter.requireVersion(
          compared.version(), table.manifest(table.requireCurrentVersion()), table);
    }
    compared.handOver(writer::add);
    compared.close();
  }

  private void requireOpen() {
    if (ended) {
      throw new IllegalStateException("the reload has been published or closed, or has failed");
    }
  }

  /**
   * Publishes the rows, all or those that differ; nothing if none does.
   *
   * @throws io.bsdb.writer.DuplicateKeyException if a key came twice and the options say to fail
   * @throws io.bsdb.writer.TooFewRowsException if the options demand more rows
   * @throws io.bsdb.table.PublishConflictException if the table was changed since the reload began
   */
  public ReloadReport publish() throws IOException {
    requireOpen();
    ended = true;
    TableComparison compared = comparison;
    if (compared == null || mode == Mode.BUILD) {
      return new ReloadReport(Objects.requireNonNull(all).publish(), read, null);
    }
    ReloadReport.Difference found = compared.finish();
    if (mode == Mode.COUNT) {
      return new ReloadReport(null, read, found);
    }
    if (found.differing() > maxDiffering) {
      buildInstead(compared);
      return new ReloadReport(Objects.requireNonNull(all).publish(), read, found);
    }
    return new ReloadReport(compared.publish(found), read, found);
  }

  /** Deletes temporary files and, if nothing was published, all that was written. */
  @Override
  public void close() throws IOException {
    ended = true;
    try {
      if (comparison != null) {
        comparison.close();
      }
    } finally {
      if (all != null) {
        all.close();
      }
    }
  }
}
