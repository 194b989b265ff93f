package io.bsdb.reload;

import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Manifest;
import io.bsdb.table.Table;
import io.bsdb.writer.BuildListener;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.WriterOptions;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Replaces all rows of a table by those of a source, and publishes what differs: rows that the
 * source does not have are deleted. For sources that are read as a whole, of which little has
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
 * and best fits there; memory needed besides is a bit per row, and 32 bytes per key that is new or
 * has changed since the partition files were built. Closing without {@link #publish}, like a crash,
 * leaves the table as it was. Used by one thread.
 */
public final class TableReload implements Closeable {
  private static final int BASE_SHARE = 4;

  private final @Nullable SnapshotWriter all;
  private @Nullable DifferenceWriter difference;
  private final long maxDiffering;
  private final boolean publishes;
  private long read;
  private boolean ended;

  private TableReload(
      @Nullable SnapshotWriter all,
      @Nullable DifferenceWriter difference,
      long maxDiffering,
      boolean publishes) {
    this.all = all;
    this.difference = difference;
    this.maxDiffering = maxDiffering;
    this.publishes = publishes;
  }

  /**
   * Begins a reload. A table without a version is built, whatever is to be published.
   *
   * @throws IllegalArgumentException if changes are to be published and the table was built
   *     otherwise than the options say
   */
  public static TableReload begin(Path directory, WriterOptions options, Publish publish)
      throws IOException {
    Table table = Table.at(directory);
    String version = table.currentVersion();
    if (publish == Publish.ALL || version == null) {
      return new TableReload(SnapshotWriter.create(directory, options), null, 0, true);
    }
    Manifest manifest = table.manifest(version);
    String obstacle = obstacle(manifest, options);
    if (publish == Publish.CHANGES) {
      require(obstacle, table);
      return new TableReload(
          null, compare(directory, manifest, options, true), Long.MAX_VALUE, true);
    }
    SnapshotWriter all = SnapshotWriter.create(directory, options);
    try {
      return new TableReload(
          all,
          obstacle == null ? compare(directory, manifest, options, true) : null,
          manifest.recordCount() / BASE_SHARE,
          true);
    } catch (IOException | RuntimeException | Error e) {
      all.close();
      throw e;
    }
  }

  /**
   * Begins a reload of all rows, of records that are at least as new as a version of the table: the
   * changes published after it are kept, and apply to what is built.
   *
   * @throws java.nio.file.NoSuchFileException if there is no such complete version
   */
  public static TableReload beginAsOf(String version, Path directory, WriterOptions options)
      throws IOException {
    return new TableReload(SnapshotWriter.createAsOf(version, directory, options), null, 0, true);
  }

  /**
   * Begins a reload that publishes nothing: it only reports how the source differs.
   *
   * @throws java.nio.file.NoSuchFileException if the table has no version
   * @throws IllegalArgumentException if the table was built otherwise than the options say
   */
  public static TableReload dryRun(Path directory, WriterOptions options) throws IOException {
    Table table = Table.at(directory);
    Manifest manifest = table.manifest(table.requireCurrentVersion());
    require(obstacle(manifest, options), table);
    return new TableReload(
        null, compare(directory, manifest, options, false), Long.MAX_VALUE, false);
  }

  private static void require(@Nullable String obstacle, Table table) {
    if (obstacle != null) {
      throw new IllegalArgumentException(
          "the input cannot be compared with the version in service: table=%s %s; give the same, or publish all rows"
              .formatted(table.storage(), obstacle));
    }
  }

  private static DifferenceWriter compare(
      Path directory, Manifest manifest, WriterOptions options, boolean publishes)
      throws IOException {
    Table table = Table.at(directory);
    SnapshotReader reader =
        SnapshotReader.openVersion(directory, manifest.version(), ReaderOptions.defaults());
    try {
      return new DifferenceWriter(
          table, options, reader, publishes ? DeltaWriter.create(table) : null);
    } catch (IOException | RuntimeException | Error e) {
      reader.close();
      throw e;
    }
  }

  /** Returns in what a version differs from what the options would build; null for nothing. */
  private static @Nullable String obstacle(Manifest manifest, WriterOptions options) {
    WriterOptions built;
    try {
      built = WriterOptions.like(manifest);
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
    Map<String, String> properties = options.properties();
    String found = differing("schema", manifest.schema(), options.schema());
    found = found != null ? found : differing("layout", built.layout(), options.layout());
    found = found != null ? found : differing("order", built.order(), options.order());
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
        : "%s in service=%s input=%s".formatted(what, built, wanted);
  }

  /** Sets the listener that is told of the progress of a build of all rows. */
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
   * @throws IllegalArgumentException if a length is out of range
   * @throws io.bsdb.writer.DuplicateKeyException if a key came twice and the options say to fail; a
   *     build of all rows finds that when it is published
   */
  public void add(
      byte[] key, int keyOffset, int keyLength, byte[] value, int valueOffset, int valueLength)
      throws IOException {
    requireOpen();
    SnapshotWriter writer = all;
    if (writer != null) {
      writer.add(key, keyOffset, keyLength, value, valueOffset, valueLength);
    }
    DifferenceWriter compared = difference;
    if (compared != null) {
      compared.add(
          Arrays.copyOfRange(key, keyOffset, keyOffset + keyLength),
          Arrays.copyOfRange(value, valueOffset, valueOffset + valueLength));
      if (compared.differing() > maxDiffering) {
        difference = null;
        compared.close();
      }
    }
    read++;
  }

  private void requireOpen() {
    if (ended) {
      throw new IllegalStateException("the reload has been published or closed");
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
    DifferenceWriter compared = difference;
    ReloadReport.Difference found = compared == null ? null : compared.finish();
    if (!publishes) {
      return new ReloadReport(null, read, found);
    }
    boolean publishesAll = all != null && (found == null || found.differing() > maxDiffering);
    if (publishesAll) {
      return new ReloadReport(Objects.requireNonNull(all).publish(), read, found);
    }
    return new ReloadReport(
        Objects.requireNonNull(compared).publish(Objects.requireNonNull(found)), read, found);
  }

  /** Deletes temporary files and, if nothing was published, all that was written. */
  @Override
  public void close() throws IOException {
    ended = true;
    DifferenceWriter compared = difference;
    difference = null;
    try {
      if (compared != null) {
        compared.close();
      }
    } finally {
      if (all != null) {
        all.close();
      }
    }
  }
}
